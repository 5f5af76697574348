"""Accepts one number within 1e-6 of the reference, absolute or relative."""
import math
import re
import sys


def is_valid_output(input_str, output_str, reference_output_str):
    words = output_str.split()
    if len(words) != 1 or not re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", words[0]):
        return False
    got, expected = float(words[0]), float(reference_output_str)
    return math.isfinite(got) and abs(got - expected) <= 1e-6 * max(1.0, abs(expected))


def main():
    print(is_valid_output(*sys.argv[1:4]))


if __name__ == "__main__":
    main()
