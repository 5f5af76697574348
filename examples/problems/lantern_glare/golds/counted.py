import sys
from collections import Counter


def main():
    data = sys.stdin.read().split()
    below = total = 0
    for value, count in sorted(Counter(map(int, data[1:])).items()):
        total += value * (count * below + count * (count - 1) // 2)
        below += count
    print(total)


main()
