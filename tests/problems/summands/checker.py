import sys


def is_valid_output(input_str, output_str, reference_output_str):
    try:
        a, b = map(int, output_str.split())
    except ValueError:
        return False
    return a > 0 and b > 0 and a + b == int(input_str)


def main():
    print(is_valid_output(sys.argv[1], sys.argv[2], sys.argv[3]))


if __name__ == "__main__":
    main()
