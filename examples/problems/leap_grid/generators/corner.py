"""Rows and columns, walls of one and of two fields, ways that would lead round the edge, corners."""


def grid(*lines):
    return "\n".join([f"{len(lines)} {len(lines[0])}", *lines]) + "\n"


def column(line):
    return grid(*line)


print(
    [
        grid("ST"),
        column("TS"),
        grid("S#T"),
        column("S##T"),
        grid("S.#.#.#.T"),
        column("T.#.#.#.S"),
        grid("S.........T"),
        grid("S....##....T"),
        grid("S####", "#####", "####T"),
        grid("#S#", "###", "###", "#T#"),
        grid("S..", "##.", "##.", "T.."),
        grid("S#####", "######", ".####T"),
        grid(*["." * 20] * 9, "." * 19 + "S", *["." * 20] * 9, "T" + "." * 19),
    ]
)
