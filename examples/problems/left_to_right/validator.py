"""Says whether a text is an input as the statement has it: an argument a line, as JSON."""
import json
import re
import sys


def is_valid_input(input_str):
    try:
        text = json.loads(input_str)
    except ValueError:
        return False
    if type(text) is not str or not 1 <= len(text) <= 100000 or not re.fullmatch(r"[-+*()0-9]+", text):
        return False
    if re.search(r"\d{10}|\d\(|\)\d|\)\(|\(\)|[-+*(][-+*)]", f"({text})"):
        return False
    depth = deepest = 0
    for c in text:
        depth += (c == "(") - (c == ")")
        deepest = max(deepest, depth)
        if depth < 0:
            return False
    return depth == 0 and deepest <= 20000


def main():
    print(is_valid_input(sys.argv[1] if len(sys.argv) > 1 else sys.stdin.read()))


if __name__ == "__main__":
    main()
