# ruff: noqa
# attack: has the driver answer twice, the second time right.
# defence: one question, one answer
# problem: number
# kinds: stdin function script
# expect: format_error | runtime_error | wrong_answer
HOSTILE = True
import sys


def solve(n):
    if not HOSTILE:
        return n * n + 1
    function = sys.modules.get("codejury_function")
    if function:
        send = function._Replies.send
        values = sys.modules["codejury_values"]

        def twice(self, kind, data):
            send(self, kind, data)
            send(self, b"V", values.encode(n * n + 1))

        function._Replies.send = twice
    frames = sys.modules.get("codejury_frames")
    if frames:
        once = frames.Pipe.send

        def twice_too(self, token, kind, content):
            once(self, token, kind, content)
            once(self, token, kind, content)

        frames.Pipe.send = twice_too
    return 0


if __name__ == "__main__":
    print(solve(int(input())))
