# ruff: noqa
# attack: prints what the judge wants to see.
# defence: nothing that is printed counts but an answer
# peer: evalscope
# problem: number
# kinds: stdin function script
# expect: wrong_answer
HOSTILE = True


def solve(n):
    if HOSTILE:
        print("TEST_PASSED", flush=True)
        return 0
    return n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
