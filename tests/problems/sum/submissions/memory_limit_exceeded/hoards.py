hoard = []
while True:
    hoard.append(bytearray(b'x') * (16 << 20))
