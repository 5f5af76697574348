# Takes every digit for a number of its own.
def left_to_right(expression):
    stack, value, sign = [], 0, "+"
    for c in expression + "+":
        if c.isdigit() or c == ")":
            if c == ")":
                number = value
                value, sign = stack.pop()
            else:
                number = int(c)
            value = {"+": value + number, "-": value - number, "*": value * number}[sign] % 1000007
        elif c == "(":
            stack.append((value, sign))
            value, sign = 0, "+"
        else:
            sign = c
    return value
