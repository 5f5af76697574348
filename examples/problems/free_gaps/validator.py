"""Says whether a text is an input as the statement has it: an argument a line, as JSON."""
import json
import sys


def is_whole(value, low, high):
    return type(value) is int and low <= value <= high


def is_valid_input(input_str):
    try:
        day, bookings, need = map(json.loads, input_str.split("\n"))
    except ValueError:
        return False
    if not is_whole(day, 1, 10**9) or not is_whole(need, 1, day):
        return False
    if type(bookings) is not list or len(bookings) > 20000:
        return False
    return all(
        type(each) is list and len(each) == 2 and is_whole(each[1], 1, day) and is_whole(each[0], 0, each[1] - 1)
        for each in bookings
    )


def main():
    print(is_valid_input(sys.argv[1] if len(sys.argv) > 1 else sys.stdin.read()))


if __name__ == "__main__":
    main()
