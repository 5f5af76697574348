# ruff: noqa
# attack: looks for the expected value among all objects of the process.
# defence: the expected value is not in this process
# problem: items
# kinds: stdin function script
# expect: wrong_answer
HOSTILE = True
import gc


def solve(n):
    if not HOSTILE:
        return list(range(n))
    wanted = ", ".join(map(str, range(n)))
    for each in gc.get_objects():
        if type(each) is list and len(each) == n and str(each) == "[" + wanted + "]":
            return each
    return []


if __name__ == "__main__":
    print(solve(int(input())))
