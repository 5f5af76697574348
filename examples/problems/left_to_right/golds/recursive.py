import sys
import threading


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
            value = value + number if sign == "+" else value - number if sign == "-" else value * number
            value %= 1000007
            sign = text[at]
            at += 1
            if sign == ")":
                return value

    found = []
    sys.setrecursionlimit(100000)
    threading.stack_size(64 << 20)
    thread = threading.Thread(target=lambda: found.append(bracket()))
    thread.start()
    thread.join()
    return found[0]
