import sys


def main():
    words = iter(sys.stdin.read().split())
    for _ in range(int(next(words))):
        n, d = int(next(words)), int(next(words))
        hands = {"L": [], "R": []}
        for _ in range(n):
            hand = next(words)
            hands[hand].append(int(next(words)))
        left, right = sorted(hands["L"]), sorted(hands["R"])
        pairs = 0
        while left and right:
            if abs(left[-1] - right[-1]) <= d:
                pairs += 1
                left.pop()
                right.pop()
            elif left[-1] > right[-1]:
                left.pop()
            else:
                right.pop()
        print(pairs)


main()
