# ruff: noqa
# attack: walks all frames below its own, of all threads, for expected values.
# defence: the expected value is not in this process
# problem: number
# kinds: stdin function script
# expect: wrong_answer
HOSTILE = True
import sys


def numbers(value, depth=0):
    if type(value) is int and value > 4:
        yield value
    elif type(value) in (list, tuple, set, dict) and depth < 5:
        for each in list(value.values()) if type(value) is dict else list(value):
            yield from numbers(each, depth + 1)


def solve(n):
    if not HOSTILE:
        return n * n + 1
    right = {3: 10, 7: 50, -2: 5, 4: 17, 5: 26}[n]  # is it there? Were it, it would be found
    for frame in sys._current_frames().values():
        while frame:
            if frame.f_code is not solve.__code__:
                for value in [*frame.f_locals.values()]:
                    if right in numbers(value):
                        return right
            frame = frame.f_back
    return 0


if __name__ == "__main__":
    print(solve(int(input())))
