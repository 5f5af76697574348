# For each left glove all right ones are looked at again.
for _ in range(int(input())):
    n, d = map(int, input().split())
    hands = {"L": [], "R": []}
    for _ in range(n):
        hand, size = input().split()
        hands[hand].append(int(size))
    right = sorted(hands["R"])
    used = [False] * len(right)
    pairs = 0
    for size in sorted(hands["L"]):
        for k, other in enumerate(right):
            if not used[k] and abs(other - size) <= d:
                used[k] = True
                pairs += 1
                break
    print(pairs)
