from cells import cell

n = int(input())
for i in range(1, n + 1):
    print(*(cell(i, j) for j in range(1, n + 1)))
