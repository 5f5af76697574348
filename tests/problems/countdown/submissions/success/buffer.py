import sys
sys.stdout.buffer.write(b''.join(b'%d\r\n' % i for i in range(int(input()), 0, -1)))
