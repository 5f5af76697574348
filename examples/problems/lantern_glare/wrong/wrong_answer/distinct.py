# Lanterns of equal brightness are taken for one.
n = int(input())
b = sorted(set(map(int, input().split())))
print(sum(x * i for i, x in enumerate(b)))
