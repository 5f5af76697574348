"""Says whether a text is an input as the statement has it."""
import re
import sys


def is_valid_input(input_str):
    lines = iter(input_str.removesuffix("\n").split("\n"))
    try:
        boxes = number(next(lines), 1, 1000)
        total = 0
        for _ in range(boxes):
            n, d = next(lines).split(" ")
            number(d, 0, 10**9)
            total += number(n, 1, 100000)
            for _ in range(int(n)):
                hand, size = next(lines).split(" ")
                if hand not in ("L", "R"):
                    return False
                number(size, 1, 10**9)
    except (StopIteration, ValueError):
        return False
    return total <= 100000 and next(lines, None) is None


def number(word, low, high):
    if not re.fullmatch(r"0|[1-9]\d*", word) or not low <= int(word) <= high:
        raise ValueError(word)
    return int(word)


def main():
    print(is_valid_input(sys.argv[1] if len(sys.argv) > 1 else sys.stdin.read()))


if __name__ == "__main__":
    main()
