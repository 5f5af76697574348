import sys
from decimal import ROUND_HALF_UP, Decimal, getcontext


def main():
    getcontext().prec = 40
    cent = Decimal("0.01")
    words = sys.stdin.read().split()
    total = Decimal("0.00")
    for q, price, rate in zip(words[1::3], words[2::3], words[3::3]):
        one = Decimal(price)
        tax = (one * int(rate) / 1000).quantize(cent, ROUND_HALF_UP)
        total += int(q) * (one + tax)
    print(total.quantize(cent))


main()
