"""Says whether a text is an input as the statement has it."""
import re
import sys


def is_valid_input(input_str):
    lines = input_str.removesuffix("\n").split("\n")
    if len(lines) != 2 or not all(re.fullmatch(r"-?\d+(?: -?\d+)*", line) for line in lines):
        return False
    head, x = ([int(word) for word in line.split(" ")] for line in lines)
    return (
        len(head) == 5
        and len(x) == head[0] <= 200000
        and all(1 <= value <= 10**9 for value in head[1:])
        and all(abs(value) <= 10**9 for value in x)
    )


def main():
    print(is_valid_input(sys.argv[1] if len(sys.argv) > 1 else sys.stdin.read()))


if __name__ == "__main__":
    main()
