"""The answers are too large to keep."""


def cases():
    for n in (1, 2, 1000, 600_000):
        yield f"{n}\n", "".join(f"{i}\n" for i in range(n, 0, -1))
