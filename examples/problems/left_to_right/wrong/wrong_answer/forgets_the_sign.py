# After a bracket it always adds.
def left_to_right(expression):
    import re

    stack, value, sign = [], 0, "+"
    for token in re.findall(r"\d+|[-+*()]", expression):
        if token == "(":
            stack.append(value)
            value, sign = 0, "+"
        elif token == ")":
            value = (stack.pop() + value) % 1000007
        elif token in "+-*":
            sign = token
        else:
            number = int(token)
            value = {"+": value + number, "-": value - number, "*": value * number}[sign] % 1000007
    return value
