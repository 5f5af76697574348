import re
from operator import add, mul, sub

SIGNS = {"+": add, "-": sub, "*": mul}


def left_to_right(expression):
    frames = [[]]
    for token in re.findall(r"\d+|[-+*()]", expression):
        if token == "(":
            frames.append([])
            continue
        if token in SIGNS:
            frames[-1].append(SIGNS[token])
            continue
        value = frames.pop()[0] if token == ")" else int(token)
        frame = frames[-1]
        if frame:
            sign, left = frame.pop(), frame.pop()
            value = sign(left, value)
        frame.append(value % 1000007)
    return frames[0][0]
