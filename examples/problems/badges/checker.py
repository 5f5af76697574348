"""Accepts k different numbers from 1 to m with the sum s, and `none` where the reference says so."""
import sys


def is_valid_output(input_str, output_str, reference_output_str):
    k, m, s = map(int, input_str.split())
    if reference_output_str.split() == ["none"] or output_str.split() == ["none"]:
        return output_str.split() == reference_output_str.split()
    words = output_str.split()
    if len(words) != k or not all(word.isascii() and word.isdigit() and len(word) <= 10 for word in words):
        return False
    numbers = [int(word) for word in words]
    return len(set(numbers)) == k and min(numbers) >= 1 and max(numbers) <= m and sum(numbers) == s


def main():
    print(is_valid_output(*sys.argv[1:4]))


if __name__ == "__main__":
    main()
