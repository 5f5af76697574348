n = int(input())
while n != 1:
    n -= 1e-9
