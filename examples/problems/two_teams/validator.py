"""Says whether a text is an input as the statement has it."""
import re
import sys


def is_valid_input(input_str):
    lines = input_str.removesuffix("\n").split("\n")
    if not all(re.fullmatch(r"[1-9]\d* (?:0|[1-9]\d*)", line) for line in lines):
        return False
    (n, m), *pairs = (tuple(map(int, line.split())) for line in lines)
    if not (n <= 100000 and m <= 100000 and len(pairs) == m):
        return False
    if not all(1 <= a <= n and 1 <= b <= n and a != b for a, b in pairs):
        return False
    return len({(min(pair), max(pair)) for pair in pairs}) == m


def main():
    print(is_valid_input(sys.argv[1] if len(sys.argv) > 1 else sys.stdin.read()))


if __name__ == "__main__":
    main()
