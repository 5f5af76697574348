import sys


def main():
    n, a, p, b, q, *x = map(int, sys.stdin.read().split())
    x.sort()
    best = [0]  # best[i]: the first i screws
    i = j = 0
    for count, last in enumerate(x, 1):
        while x[i] < last - a:
            i += 1
        while x[j] < last - b:
            j += 1
        best.append(min(best[i] + p, best[j] + q))
    print(best[n])


main()
