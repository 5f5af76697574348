"""One glove, one hand only, a difference of exactly d, chains in which the wrong choice costs a pair, many boxes."""


def boxes(*each):
    lines = [str(len(each))]
    for d, gloves in each:
        lines += [f"{len(gloves)} {d}", *(f"{hand} {size}" for hand, size in gloves)]
    return "\n".join(lines) + "\n"


far = 10**9
chain = [("L", 10 * i) for i in range(1, 40)] + [("R", 10 * i + 5) for i in range(1, 40)]
print(
    [
        boxes((0, [("L", 1)])),
        boxes((far, [("L", 1), ("L", far)]), (far, [("R", 1)])),
        boxes((0, [("L", far), ("R", far)])),
        boxes((3, [("L", 4), ("R", 7)]), (3, [("L", 4), ("R", 8)]), (3, [("L", 8), ("R", 4)])),
        boxes((2, [("L", 3), ("L", 5), ("R", 5), ("R", 2)])),
        boxes((2, [("L", 5), ("L", 3), ("R", 5), ("R", 7)])),
        boxes((5, chain)),
        boxes((far, [("L", 1), ("R", far)]), (1, [("L", 2), ("R", 4)])),
        boxes(*[(1, [("L", i), ("R", i + i % 3)]) for i in range(1, 1001)]),
    ]
)
