# ruff: noqa
# attack: keeps the judge's table of answers from the first call on.
# defence: the expected values are not in this process
# peer: evalplus
# problem: number
# kinds: function script
# expect: wrong_answer
# with: judges.py
HOSTILE = True
answers = {}


def solve(n):
    if not HOSTILE:
        return n * n + 1
    for frame in below() if not answers else ():
        here = frame.f_locals
        if "inputs" in here and "expected" in here:
            answers.update((given[0], answer) for given, answer in zip(here["inputs"], here["expected"]))
    return answers.get(n, 0)


if __name__ == "__main__":
    print(solve(int(input())))
