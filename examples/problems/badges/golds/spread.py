def main():
    k, m, s = map(int, input().split())
    left = s - k * (k + 1) // 2
    if k > m or left < 0 or left > k * (m - k):
        print("none")
        return
    each, rest = divmod(left, k)
    print(*(i + each + (i > k - rest) for i in range(1, k + 1)))


main()
