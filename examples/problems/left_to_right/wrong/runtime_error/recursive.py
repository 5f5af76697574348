# Deeper than Python's stack.
def left_to_right(expression):
    text, at = expression + ")", 0

    def bracket():
        nonlocal at
        value, sign = 0, "+"
        while True:
            if text[at] == "(":
                at += 1
                number = bracket()
            else:
                start = at
                while text[at].isdigit():
                    at += 1
                number = int(text[start:at])
            value = {"+": value + number, "-": value - number, "*": value * number}[sign] % 1000007
            sign = text[at]
            at += 1
            if sign == ")":
                return value

    return bracket()
