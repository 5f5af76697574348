# ruff: noqa
# attack: raises an exception whose text and class lie.
# defence: messages do not count; methods of the exception are not trusted
# problem: number
# kinds: stdin function script
# expect: runtime_error
HOSTILE = True


class Lie(Exception):
    def __str__(self):
        raise SystemExit(0)

    @property
    def __class__(self):
        return StopIteration


def solve(n):
    if HOSTILE:
        raise Lie("passed")
    return n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
