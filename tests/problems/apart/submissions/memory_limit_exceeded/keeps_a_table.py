n = int(input())
table = [bytearray(b'x') * (8 << 20) for _ in range(100)]
print('none' if len(table) > n else n)
