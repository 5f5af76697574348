# Each lantern is paired with itself as well.
n = int(input())
b = sorted(map(int, input().split()))
print(sum(x * i for i, x in enumerate(b, 1)))
