# Buys all strips of one sort.
n, a, p, b, q = map(int, input().split())
x = sorted(map(int, input().split()))


def price(length, each):
    total, end = 0, x[0] - 1
    for at in x:
        if at > end:
            total += each
            end = at + length
    return total


print(min(price(a, p), price(b, q)))
