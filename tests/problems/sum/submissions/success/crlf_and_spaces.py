a, b = map(int, input().split())
print(a + b, end=' \r\n\r\n')
