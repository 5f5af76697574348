"""Says whether a text is an input as the statement has it: a tree, not only parents within the bounds."""
import re
import sys


def is_valid_input(input_str):
    lines = input_str.removesuffix("\n").split("\n")
    if len(lines) != 3 or not all(re.fullmatch(r"(?:[1-9]\d*(?: [1-9]\d*)*)?", line) for line in lines):
        return False
    head, parents, colours = ([int(word) for word in line.split()] for line in lines)
    if len(head) != 1 or not 1 <= head[0] <= 100000:
        return False
    n = head[0]
    if len(parents) != n - 1 or len(colours) != n or max(parents + colours) > n:
        return False
    below = [[] for _ in range(n + 1)]
    for node, parent in enumerate(parents, 2):
        below[parent].append(node)
    reached = [1]
    for node in reached:
        reached.extend(below[node])
    return len(reached) == n


def main():
    print(is_valid_input(sys.argv[1] if len(sys.argv) > 1 else sys.stdin.read()))


if __name__ == "__main__":
    main()
