from rows import row

n = int(input())
for i in range(1, n + 1):
    print(*row(i, n))
