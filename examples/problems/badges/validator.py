"""Says whether a text is an input as the statement has it."""
import re
import sys


def is_valid_input(input_str):
    match = re.fullmatch(r"([1-9]\d*) ([1-9]\d*) ([1-9]\d*)\n?", input_str)
    if match is None:
        return False
    k, m, s = map(int, match.groups())
    return k <= 100000 and m <= 10**9 and s <= 10**18


def main():
    print(is_valid_input(sys.argv[1] if len(sys.argv) > 1 else sys.stdin.read()))


if __name__ == "__main__":
    main()
