"""Exact: the first time at which the upper hull of x - t v is no more above the lower one of x + t v."""
import sys


def main():
    n, *rest = map(int, sys.stdin.read().split())
    walkers = list(zip(rest[::2], rest[1::2]))
    # From the pair that decides at the time t, the next t: Newton's steps on a convex function, never too far.
    t_num, t_den = 0, 1
    while True:
        right = max(walkers, key=lambda w: w[0] * t_den - t_num * w[1])  # furthest right that must be reached
        left = min(walkers, key=lambda w: w[0] * t_den + t_num * w[1])
        gap = (right[0] - left[0]) * t_den - t_num * (right[1] + left[1])
        if gap <= 0:
            break
        t_num, t_den = right[0] - left[0], right[1] + left[1]
    print(f"{t_num / t_den:.12f}")


main()
