# ruff: noqa
# attack: answers with a text whose class says it is equal to everything, with a hash that collides.
# defence: a class that extends a builtin one is sent as the builtin value
# problem: text
# kinds: stdin function script
# expect: wrong_answer
HOSTILE = True


class Text(str):
    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    def __hash__(self):
        return hash("xxx")

    def __contains__(self, other):
        return True

    def startswith(self, other):
        return True

    def __len__(self):
        return 3


def solve(n):
    return Text("lie") if HOSTILE else "x" * n


if __name__ == "__main__":
    print(solve(int(input())))
