# ruff: noqa
# attack: answers the question that comes next together with this one.
# defence: an answer carries the question's own token
# problem: number
# kinds: stdin function script
# expect: format_error | runtime_error | wrong_answer
HOSTILE = True
import sys


def solve(n):
    if not HOSTILE:
        return n * n + 1
    frames = sys.modules.get("codejury_frames")
    if frames:
        send = frames.Pipe.send

        def ahead(self, token, kind, content):
            following = (int.from_bytes(token, "little") + 1).to_bytes(9, "little")[:8]
            send(self, token, kind, content)
            send(self, following, kind, content)

        frames.Pipe.send = ahead
    return 0


if __name__ == "__main__":
    print(solve(int(input())))
