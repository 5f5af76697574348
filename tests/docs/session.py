"""Runs the blocks of one page, in order, in the working directory. A program of its own: a page may do anything.

    python session.py < blocks.json          [{tag, text, line, title}, …]

Ends with 1, and says which line of the page it was, at the first block that does not do what the page says.
"""

from __future__ import annotations

import ast
import atexit
import json
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

SPACE: dict[str, Any] = {"__name__": "__main__"}
PORTS: dict[str, str] = {}  # as the page has it -> as it is
SERVING = re.compile(r"codejury serve\b.*--port (\d+).*")


class Untrue(Exception):
    """The page says something else."""


def shell(text: str) -> tuple[int, str]:
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", ported(text)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    return done.returncode, done.stdout.decode(errors="replace")


def ported(text: str) -> str:
    for told, real in PORTS.items():
        text = text.replace(f":{told}", f":{real}")
    return text


def serve(line: str, told: str) -> None:
    """A service in the background, on any port that is free; it says which when it is there."""
    call = re.sub(r"--port \d+", "--port 0", line)
    running = subprocess.Popen(["bash", "-c", f"exec {call}"], stderr=subprocess.PIPE)
    atexit.register(running.wait)
    atexit.register(running.terminate)
    assert running.stderr is not None
    said = b""
    for each in running.stderr:
        said += each
        if found := re.search(rb"http://[^\s:]+:(\d+)", each):
            PORTS[told] = found[1].decode()
            threading.Thread(target=running.stderr.read, daemon=True).start()
            return
    raise Untrue(f"the service did not start: {said.decode()}")


def run_shell(text: str) -> None:
    if found := SERVING.fullmatch(text.strip()):
        serve(text.strip(), found[1])
        return
    code, output = shell(text)
    if code != 0:
        raise Untrue(f"exit code {code}:\n{output}")


def run_console(text: str) -> None:
    """Commands may go on in lines that end with a backslash. How wide columns are does not count."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, rest = "", part
        while True:
            line, _, rest = rest.partition("\n")
            command += line + "\n"
            if not line.endswith("\\"):
                break
        _, output = shell(command)  # an exit code may be what the page is about
        wanted, got = (
            "\n".join(" ".join(line.split()) for line in each.strip().splitlines()) for each in (rest, output)
        )
        pattern = ".*".join(re.escape(piece) for piece in wanted.split("…"))
        if not re.fullmatch(pattern, got, re.DOTALL):
            raise Untrue(f"$ {command}prints\n{got}\nand not\n{wanted}")


def run_python(text: str, line: int) -> None:
    text = ported(text)
    tree = ast.parse(text)
    lines = text.splitlines()
    for node in tree.body:
        if isinstance(node, ast.Expr) and (wanted := told(lines, node)):
            value = eval(compile(ast.Expression(node.value), f"<line {line + node.lineno}>", "eval"), SPACE)
            if value != wanted[0]:
                raise Untrue(f"{ast.unparse(node)} is {value!r} and not {wanted[0]!r}")
        else:
            exec(compile(ast.Module([node], []), f"<line {line + node.lineno}>", "exec"), SPACE)


def told(lines: list[str], node: ast.Expr) -> tuple[Any] | None:
    """What the comment after an expression, or in the line below it, says that it is."""
    after = lines[node.end_lineno - 1][node.end_col_offset or 0 :] if node.end_lineno else ""
    below = lines[node.end_lineno] if node.end_lineno and node.end_lineno < len(lines) else ""
    for comment in (after, below):
        if found := re.fullmatch(r" *# (.+)", comment):
            try:
                return (ast.literal_eval(found[1]),)
            except (SyntaxError, ValueError):
                return None
        if comment.strip():
            return None
    return None


def main() -> int:
    for each in json.load(sys.stdin):
        try:
            if each["title"]:
                Path(each["title"]).parent.mkdir(parents=True, exist_ok=True)
                Path(each["title"]).write_text(each["text"])
            elif each["tag"] == "python":
                run_python(each["text"], each["line"])
            elif each["tag"] == "console":
                run_console(each["text"])
            else:
                run_shell(each["text"])
        except Untrue as error:
            print(f"line {each['line']}: {error}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
