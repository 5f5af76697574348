"""Says whether a text is an input as the statement has it."""
import re
import sys

LINE = re.compile(r"([1-9]\d{0,6}) (0|[1-9]\d{0,4})\.(\d\d) (0|[1-9]\d{0,2})")


def is_valid_input(input_str):
    head, *lines = input_str.removesuffix("\n").split("\n")
    if not re.fullmatch(r"[1-9]\d{0,4}", head) or not len(lines) == int(head) <= 50000:
        return False
    for line in lines:
        match = LINE.fullmatch(line)
        if match is None:
            return False
        q, euros, cents, rate = map(int, match.groups())
        if not (q <= 10**6 and 1 <= 100 * euros + cents <= 10**6 and rate <= 500):
            return False
    return True


def main():
    print(is_valid_input(sys.argv[1] if len(sys.argv) > 1 else sys.stdin.read()))


if __name__ == "__main__":
    main()
