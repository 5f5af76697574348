# ruff: noqa
# attack: answers with the expected object, out of the judge's own variables.
# defence: the expected value is not in this process
# peer: evalplus
# problem: number
# kinds: function script
# expect: wrong_answer
# with: judges.py
HOSTILE = True


def solve(n):
    if not HOSTILE:
        return n * n + 1
    for frame in below():
        if "expected" in frame.f_locals and "i" in frame.f_locals:
            return frame.f_locals["expected"][frame.f_locals["i"]]
    return 0


if __name__ == "__main__":
    print(solve(int(input())))
