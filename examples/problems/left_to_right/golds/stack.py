MOD = 1000007


def left_to_right(expression):
    stack = []  # what waits outside the open brackets
    value, sign, number = 0, "+", 0

    def apply(value, sign, number):
        if sign == "+":
            return (value + number) % MOD
        if sign == "-":
            return (value - number) % MOD
        return value * number % MOD

    for c in expression:
        if c.isdigit():
            number = number * 10 + int(c)
        elif c == "(":
            stack.append((value, sign))
            value, sign, number = 0, "+", 0
        elif c == ")":
            number = apply(value, sign, number)
            value, sign = stack.pop()
        else:
            value, sign, number = apply(value, sign, number), c, 0
    return apply(value, sign, number)
