# A remainder that keeps the sign, as in C.
import math
import re


def left_to_right(expression):
    stack, value, sign = [], 0, "+"
    for token in re.findall(r"\d+|[-+*()]", expression):
        if token == "(":
            stack.append((value, sign))
            value, sign = 0, "+"
            continue
        if token in "+-*":
            sign = token
            continue
        if token == ")":
            number = value
            value, sign = stack.pop()
        else:
            number = int(token)
        value = {"+": value + number, "-": value - number, "*": value * number}[sign]
        value = int(math.copysign(abs(value) % 1000007, value))
    return value
