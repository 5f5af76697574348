"""Accepts teams without a quarrel in them, and rings of an odd number of foes: either proves itself."""
import sys


def is_valid_output(input_str, output_str, reference_output_str):
    n, m, *rest = map(int, input_str.split())
    pairs = set(zip(rest[::2], rest[1::2]))
    words = output_str.split()
    if words[:1] == ["teams"]:
        if len(words) != 2 or len(words[1]) != n or not set(words[1]) <= {"A", "B"}:
            return False
        return all(words[1][a - 1] != words[1][b - 1] for a, b in pairs)
    if words[:1] != ["quarrel"] or not all(word.isascii() and word.isdigit() and len(word) < 9 for word in words[1:]):
        return False
    count, *ring = map(int, words[1:]) if len(words) > 1 else (0,)
    if count % 2 == 0 or len(ring) != count or len(set(ring)) != count:
        return False
    return all((a, b) in pairs or (b, a) in pairs for a, b in zip(ring, ring[1:] + ring[:1]))


def main():
    print(is_valid_output(*sys.argv[1:4]))


if __name__ == "__main__":
    main()
