# ruff: noqa
# attack: replaces functions with which the judge compares.
# defence: no function of the judge runs in this process
# peer: evalplus
# problem: number
# kinds: function script
# expect: wrong_answer
HOSTILE = True


def solve(n):
    if HOSTILE:
        import sys

        judge = sys.modules.get("evalplus.eval")
        if judge:
            judge.is_floats = judge.np.allclose = lambda *args, **keywords: True
        return 0
    return n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
