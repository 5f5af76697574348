# ruff: noqa
# attack: replaces functions of the driver that it finds in sys.modules: values are encoded as something else.
# defence: whatever the driver is made to send is one answer, and is decoded strictly
# problem: number
# kinds: stdin function script
# expect: wrong_answer | runtime_error | format_error
HOSTILE = True
import sys


def solve(n):
    if HOSTILE:
        for name, module in list(sys.modules.items()):
            if name.startswith("codejury"):
                for each in ("encode", "_encode"):
                    if hasattr(module, each):
                        setattr(module, each, lambda *args, **keywords: b"=\0\0\0\0")
        return 0
    return n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
