# Right, but printed with three digits.
n = int(input())
walkers = [tuple(map(int, input().split())) for _ in range(n)]
num, den = 0, 1
while True:
    right = max(walkers, key=lambda w: w[0] * den - num * w[1])
    left = min(walkers, key=lambda w: w[0] * den + num * w[1])
    if (right[0] - left[0]) * den <= num * (right[1] + left[1]):
        break
    num, den = right[0] - left[0], right[1] + left[1]
print(f"{num / den:.3f}")
