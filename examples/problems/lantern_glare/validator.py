"""Says whether a text is an input as the statement has it."""
import re
import sys


def is_valid_input(input_str):
    match = re.fullmatch(r"([1-9]\d{0,5})\n([1-9]\d*(?: [1-9]\d*)*)\n?", input_str)
    if match is None:
        return False
    values = [int(word) for word in match[2].split()]
    return len(values) == int(match[1]) <= 100000 and max(values) <= 10**9


def main():
    print(is_valid_input(sys.argv[1] if len(sys.argv) > 1 else sys.stdin.read()))


if __name__ == "__main__":
    main()
