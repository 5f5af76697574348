"""Says whether a text is an input as the statement has it."""
import re
import sys


def is_valid_input(input_str):
    lines = input_str.removesuffix("\n").split("\n")
    if not re.fullmatch(r"[1-9]\d* [1-9]\d*", lines[0]):
        return False
    n, m = map(int, lines[0].split())
    if not (n <= 200000 and m <= 200000 and len(lines) == m + 1):
        return False
    for line in lines[1:]:
        if not re.fullmatch(r"[1-9]\d* [1-9]\d* (?:0|-?[1-9]\d*)", line):
            return False
        l, r, v = map(int, line.split())
        if not (l <= r <= n and abs(v) <= 10**9):
            return False
    return True


def main():
    print(is_valid_input(sys.argv[1] if len(sys.argv) > 1 else sys.stdin.read()))


if __name__ == "__main__":
    main()
