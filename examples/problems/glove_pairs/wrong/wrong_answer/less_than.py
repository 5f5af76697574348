# A difference of exactly d counts too.
for _ in range(int(input())):
    n, d = map(int, input().split())
    hands = {"L": [], "R": []}
    for _ in range(n):
        hand, size = input().split()
        hands[hand].append(int(size))
    left, right = sorted(hands["L"]), sorted(hands["R"])
    i = j = pairs = 0
    while i < len(left) and j < len(right):
        if abs(left[i] - right[j]) < max(d, 1):
            i, j, pairs = i + 1, j + 1, pairs + 1
        elif left[i] < right[j]:
            i += 1
        else:
            j += 1
    print(pairs)
