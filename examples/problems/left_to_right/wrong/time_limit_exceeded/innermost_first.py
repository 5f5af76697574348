# Works out the innermost bracket and writes the whole expression anew, for each bracket.
import re


def flat(text):
    value, sign = 0, "+"
    for token in re.findall(r"\d+|[-+*]", text):
        if token in "+-*":
            sign = token
        else:
            number = int(token)
            value = {"+": value + number, "-": value - number, "*": value * number}[sign] % 1000007
    return value


def left_to_right(expression):
    while True:
        end = expression.find(")")
        if end < 0:
            return flat(expression)
        start = max(i for i in range(end) if expression[i] == "(")
        expression = expression[:start] + str(flat(expression[start + 1 : end])) + expression[end + 1 :]
