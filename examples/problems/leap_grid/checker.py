"""Walks the way. It has to arrive, in as many moves as the reference."""
import sys

MOVES = {"u": (-1, 0), "d": (1, 0), "l": (0, -1), "r": (0, 1), "U": (-2, 0), "D": (2, 0), "L": (0, -2), "R": (0, 2)}


def is_valid_output(input_str, output_str, reference_output_str):
    words, expected = output_str.split(), reference_output_str.split()
    if expected == ["none"] or words == ["none"]:
        return words == expected
    if len(words) != 2 or words[0] != expected[0] or len(words[1]) != int(expected[0]):
        return False
    head, *grid = input_str.split("\n")
    h, w = map(int, head.split())
    grid = grid[:h]
    y = next(y for y in range(h) if "S" in grid[y])
    x = grid[y].index("S")
    for name in words[1]:
        if name not in MOVES:
            return False
        y, x = y + MOVES[name][0], x + MOVES[name][1]
        if not (0 <= y < h and 0 <= x < w) or grid[y][x] == "#":
            return False
    return grid[y][x] == "T"


def main():
    print(is_valid_output(*sys.argv[1:4]))


if __name__ == "__main__":
    main()
