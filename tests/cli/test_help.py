"""Every command's --help has an example, and the examples work: they are run as they stand, on small files of the names
that they have.

What is changed in one before it runs is in CHANGES: a folder that nobody has, numbers that take minutes. Of commands
that take seconds however small the files are, the first example is run.
"""

from __future__ import annotations

import gzip
import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest

from codejury.cli import _COMMANDS, _root

CHANGES = {"/fast/": "", "--runs 200": "--runs 3", "codejury harden": "codejury harden --budget 8 --mutants 3"}
CHANGES["codejury augment"] = "codejury augment --tests 10"
FIRST = ("doctor", "gen", "harden", "lint", "augment", "trust")
# What needs somebody beside it is run where that one is: a chat model, a client, a reward's record.
ELSEWHERE = {"serve": "service/test_serve.py", "replay": "cli/test_replay.py", "--api-url": "cli/test_eval_model.py"}
ALLOWED = {"lint": (0, 3)}  # 3: something was found, with --strict

GOLDS = [
    "a, b = map(int, input().split())\nprint(a + b)\n",
    "import sys\nprint(sum(map(int, sys.stdin.read().split())))\n",
    "print(sum(int(word) for word in input().split()))\n",
]
WRONG = "a, b = map(int, input().split())\nprint(a - b)\n"
GENERATOR = "print([f'{n} {n * 7 % 5}\\n' for n in range(4)])\n"
CHECKER = (
    "import sys\ndef is_valid_output(input_str, output_str, reference_output_str):\n"
    "    return output_str.split() == reference_output_str.split()\n"
    "def main():\n    print(is_valid_output(*sys.argv[1:4]))\n"
    "if __name__ == '__main__':\n    main()\n"
)
ROW: dict[str, Any] = {
    "custom_id": "sum",
    "question": "Add a and b (0 ≤ a, b ≤ 100).",
    "solutions": GOLDS,
    "input_generator": [GENERATOR],
    "checker": [CHECKER],
    "type": "stdin",
    "input_output": json.dumps({"inputs": ["1 2\n"], "outputs": ["3\n"]}),
    "time-limit": "2",
    "memory-limit": "256",
}
TESTS = [{"input": f"{a} {b}\n", "output": f"{a + b}\n"} for a, b in ((1, 2), (0, 0), (40, 2))]
MADE = {**ROW, "checker": [], "reward": {"ground_truth": {"input_output": TESTS, "type": "stdin", "fn_name": None}}}
TASK = {
    "task_id": "HumanEval/0",
    "prompt": "def plus(a, b):\n    '''The sum.'''\n",
    "entry_point": "plus",
    "canonical_solution": "    return a + b\n",
    "base_input": [[1, 2]],
    "plus_input": [[3, 4]],
    "atol": 0,
    "contract": "",
}
SAMPLE = {"task_id": "HumanEval/0", "solution": "def plus(a, b):\n    return a + b\n"}


def lines(path: Path, *rows: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def examples(name: str) -> list[str]:
    """The lines of a command's help that call it, without the words beside them."""
    command = _root.get_command(click.Context(_root), name)
    assert command is not None
    found = re.findall(rf"^ +((?:echo [\d ]+\| )?codejury {name}(?: .*)?)$", command.help or "", re.MULTILINE)
    return [re.split(r" {3,}", line)[0].strip() for line in found]


@pytest.mark.parametrize("name", list(_COMMANDS))
def test_every_command_has_an_example(name: str) -> None:
    assert examples(name)


def prepare(folder: Path, name: str, root: Path) -> None:
    """The files that examples name; but not those that this command makes."""
    lines(folder / "P.jsonl", ROW)
    for made in ("T", "H", "A", "B"):
        lines(folder / f"{made}.jsonl", MADE)
    tests = json.dumps({"inputs": ["1 2\n"], "outputs": ["3\n"]})
    taco = {"input_output": tests, "solutions": GOLDS[:1], "question": "Add.", "difficulty": "EASY", "url": "x"}
    lines(folder / "taco.jsonl", taco)
    row = {"custom_id": "sum", "language": "python"}
    lines(
        folder / "S.jsonl", {**row, "solution": GOLDS[0], "correct": True}, {**row, "solution": WRONG, "correct": False}
    )
    asserts = ["assert plus(1, 2) == 3", "assert plus(0, 0) == 0"]
    mbpp = {"task_id": 1, "text": "The sum.", "code": "def plus(a, b):\n    return a + b\n", "test_list": asserts}
    lines(folder / "mbpp.jsonl", mbpp)
    if name == "eval":
        lines(folder / "S.jsonl", SAMPLE)
    lines(folder / "train.jsonl", mbpp)
    check = "def check(candidate):\n    assert candidate(1, 2) == 3\n"
    human = {name: TASK[name] for name in ("task_id", "prompt", "entry_point", "canonical_solution")} | {"test": check}
    (folder / "HumanEval.jsonl.gz").write_bytes(gzip.compress(json.dumps(human).encode() + b"\n"))
    (folder / "HumanEvalPlus.jsonl.gz").write_bytes(gzip.compress(json.dumps(TASK).encode() + b"\n"))
    result = {"task_id": "HumanEval/0", "solution": SAMPLE["solution"], "base_status": "pass", "plus_status": "fail"}
    for place in ("A/", "B/", "A_", "B_"):
        path = folder / f"{place}eval_results.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps({"eval": {"HumanEval/0": [result]}}))
    rate = {"tpr_hits": 1, "tpr_programs": 1, "tnr_hits": 1, "tnr_programs": 1, "not_judged": 0}
    quality = {
        "table": [{"suite": "T", "language": "All", **rate}],
        "problems": [{"suite": "T", "problem": "sum", **rate}],
    }
    (folder / "Q.json").write_text(json.dumps(quality))
    for source in ("sum.py", "solution.py"):
        (folder / source).write_text(GOLDS[0])
    shutil.copy(root / "examples" / "sum.cpp", folder / "solution.cpp")
    shutil.copy(root / "examples" / "sum.cpp", folder / "gold.cpp")
    (folder / "generator.py").write_text(GENERATOR)
    (folder / "tests").mkdir()
    (folder / "tests" / "1.in").write_text("1 2\n")
    (folder / "inputs.json").write_text(json.dumps(["1 2\n"]))
    (folder / "tests.json").write_text(json.dumps({"inputs": ["1 2\n"], "outputs": ["3\n"]}))
    package = folder / "package"
    for inside in ("data/sample", "data/secret", "submissions/accepted"):
        (package / inside).mkdir(parents=True)
    (package / "problem.yaml").write_text("name: Sum\nlimits:\n  memory: 256\n")
    (package / "data" / "secret" / "1.in").write_text("1 2\n")
    (package / "data" / "secret" / "1.ans").write_text("3\n")
    (package / "submissions" / "accepted" / "sum.py").write_text(GOLDS[0])
    for made in {"gen": ["T"], "special-judge-gen": ["T"], "harden": ["H"], "convert": ["P"]}.get(name, []):
        (folder / f"{made}.jsonl").unlink()


RUN = [
    (name, line)
    for name in _COMMANDS
    for line in examples(name)[: 1 if name in FIRST else None]
    if not any(word in line.split() for word in ELSEWHERE)
]


@pytest.mark.parametrize("word", ELSEWHERE)
def test_what_is_not_run_here_is_run_elsewhere(word: str, root: Path) -> None:
    assert word in (root / "tests" / ELSEWHERE[word]).read_text()


@pytest.mark.slow
@pytest.mark.parametrize(("name", "line"), RUN)
def test_the_examples_of_the_help_work(name: str, line: str, tmp_path: Path, root: Path) -> None:
    if ".cpp" in line and shutil.which("g++") is None:
        pytest.skip("there is no g++ on this machine")
    prepare(tmp_path, name, root)
    for old, new in CHANGES.items():
        line = line.replace(old, new)
    given, _, call = (
        line.rpartition("codejury ") if line.startswith("echo") else ("", "", line.removeprefix("codejury "))
    )
    call, _, rest = call.partition(" | ")  # jq is not ours
    done = subprocess.run(
        [sys.executable, "-m", "codejury.cli", *shlex.split(call)],
        cwd=tmp_path,
        input=given.removeprefix("echo ").removesuffix("| "),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in ALLOWED.get(name, (0,)), done.stdout + done.stderr
    if field := re.fullmatch(r"jq \.(\w+)", rest):
        assert field[1] in json.loads(done.stdout)


# --- the terminal ----------------------------------------------------------------------------------------------------

ESCAPES = re.compile(r"\x1b")
COLOURS = re.compile(r"\x1b\[[\d;]*?(?:3\d|4\d|9\d|10\d)[\d;]*m")


def in_a_terminal(arguments: list[str], folder: Path, environ: dict[str, str]) -> str:
    """What somebody sees who calls it: both streams in a terminal of its own."""
    import os
    import pty

    main, side = pty.openpty()
    running = subprocess.Popen(
        [sys.executable, "-m", "codejury.cli", *arguments],
        cwd=folder,
        stdout=side,
        stderr=side,
        stdin=side,
        env=environ,
    )
    os.close(side)
    found = b""
    while True:
        try:
            part = os.read(main, 4096)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        found += part
    os.close(main)
    assert running.wait() == 0
    return found.decode()


def test_no_color_is_honoured_and_a_pipe_is_plain(tmp_path: Path) -> None:
    import os

    lines(tmp_path / "P.jsonl", ROW)
    plain = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "TERM")}
    environ = {**plain, "TERM": "xterm-256color"}
    call = ["gen", "--input", "P.jsonl", "--output"]
    assert COLOURS.search(in_a_terminal([*call, "1.jsonl"], tmp_path, environ)), "a bar in colours"
    without = in_a_terminal([*call, "2.jsonl"], tmp_path, {**environ, "NO_COLOR": "1"})
    assert "rows" in without
    assert not COLOURS.search(without)
    piped = subprocess.run(
        [sys.executable, "-m", "codejury.cli", *call, "3.jsonl"],
        cwd=tmp_path,
        env=environ,
        capture_output=True,
        text=True,
        check=True,
    )
    assert not ESCAPES.search(piped.stdout + piped.stderr)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell: str, root: Path) -> None:
    """The script that the documentation tells to load, and what it asks for."""
    import os

    page = (root / "docs" / "terminal.md").read_text()
    assert f"_CODEJURY_COMPLETE={shell}_source codejury" in page

    def call(**more: str) -> str:
        return subprocess.run(
            [sys.executable, "-m", "codejury.cli"],
            env={**os.environ, **more},
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    if shell != "bash" or shutil.which("bash"):
        script = call(_CODEJURY_COMPLETE=f"{shell}_source")
        assert "codejury" in script
        assert f"_CODEJURY_COMPLETE={shell}_complete" in script
    words = {"COMP_WORDS": "codejury re", "COMP_CWORD": "re" if shell == "fish" else "1"}
    assert "report" in call(_CODEJURY_COMPLETE=f"{shell}_complete", **words)
    words = {"COMP_WORDS": "codejury report --ti", "COMP_CWORD": "--ti" if shell == "fish" else "2"}
    assert "--title" in call(_CODEJURY_COMPLETE=f"{shell}_complete", **words)
