# Puts the whole rest on the last badge, beyond m.
k, m, s = map(int, input().split())
left = s - k * (k + 1) // 2
if k > m or left < 0 or left > k * (m - k):
    print("none")
else:
    print(*range(1, k), k + left)
