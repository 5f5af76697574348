# Ignores the brackets.
def left_to_right(expression):
    import re

    value, sign = 0, "+"
    for token in re.findall(r"\d+|[-+*]", expression):
        if token in "+-*":
            sign = token
        else:
            number = int(token)
            value = {"+": value + number, "-": value - number, "*": value * number}[sign] % 1000007
    return value
