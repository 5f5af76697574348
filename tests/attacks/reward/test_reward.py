"""Completions that want a reward they did not earn, or none at all instead of the nought that they earned.

Two sorts of attack, each in every kind of test and in the shapes that trainers use for it:

    FAKES     the programs of ../verdict: they want to be taken for right. Each gets a nought, its honest twin a one
    ESCAPES   they want the grader to fail under them, since what the grader could not judge is left out of the mean.
              Each gets a nought too, never None
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from attacks.verdict.test_verdict import ATTACKS, LIMITS, PROBLEMS, Problem, forms

import codejury
from codejury.reward import score


@pytest.fixture(scope="module")
def jury() -> Iterator[codejury.Jury]:
    with codejury.Jury(workers=2) as made:
        yield made


def fenced(code: str) -> str:
    return f"```python\n{code}\n```"


def truths(problem: Problem, kind: str) -> list[Any]:
    given, answers = list(problem.answers), list(problem.answers.values())
    if kind == "stdin":
        return [json.dumps({"inputs": [f"{n}\n" for n in given], "outputs": [f"{answer}\n" for answer in answers]})]
    if kind == "function":
        texts = {
            "fn_name": "solve",
            "inputs": [str(n) for n in given],
            "outputs": [json.dumps(each) for each in answers],
        }
        lists = {"fn_name": "solve", "inputs": [[n] for n in given], "outputs": [[each] for each in answers]}
        return [json.dumps(texts), lists]
    setup = f"{problem.setup}\n"
    asserts, check, tests, _, _ = forms(problem)
    imported = f"{setup}from solution import solve\n{tests}"
    return [{"assert_case": [setup + asserts]}, {"functional": f"{setup}{check}\ncheck(solve)"}, imported]


# The kinds and the shapes in turn: what each comes to in all of them is tested in ../verdict.
QUICK = codejury.Limits(cpu_s=0.5, wall_s=1, memory_mb=LIMITS.memory_mb, output_mb=LIMITS.output_mb)
FAKES = [
    (attack, shapes[number % len(shapes)])
    for number, attack in enumerate(ATTACKS)
    if (shapes := truths(PROBLEMS[attack.problem], attack.kinds[number % len(attack.kinds)]))
]


def test_no_fake_is_rewarded(jury: codejury.Jury) -> None:
    said = score([fenced(attack.source) for attack, _ in FAKES], [t for _, t in FAKES], limits=QUICK, jury=jury)
    wrong = {
        attack.name: (each.score, each.trouble, each.message)
        for (attack, _), each in zip(FAKES, said, strict=True)
        if each.score != 0.0
    }
    assert wrong == {}
    assert len(FAKES) >= 60


def test_honest_twins_are(jury: codejury.Jury) -> None:
    some = FAKES[::5]
    said = score([fenced(attack.honest) for attack, _ in some], [t for _, t in some], limits=LIMITS, jury=jury)
    assert {a.name: each.message for (a, _), each in zip(some, said, strict=True) if each.score != 1.0} == {}


# What is done when the program starts or when the function is called. `number` is the problem.
ESCAPES = {
    "kills all that it can": """
import os, signal
for pid in (1, -1, os.getppid(), 0, os.getpid()):
    try: os.kill(pid, signal.SIGKILL)
    except OSError: pass
""",
    "kills its parents in turn": """
import os
for pid in range(1, 200):
    try: os.kill(pid, 9) if pid != os.getpid() else None
    except OSError: pass
os._exit(0)
""",
    "stops itself": """
import os, signal
os.kill(os.getpid(), signal.SIGSTOP)
""",
    "exits with what looks like our own failure": """
import os
os._exit(125)
""",
    "closes every descriptor": """
import os
for fd in range(256):
    try: os.close(fd)
    except OSError: pass
""",
    "floods its output": """
import sys
while True: sys.stdout.write('x' * 65536)
""",
    "floods every descriptor": """
import os
while True:
    for fd in range(1, 16):
        try: os.write(fd, b'\\xff' * 65536)
        except OSError: pass
""",
    "fills its memory": """
held = []
while True: held.append(bytearray(1 << 20))
""",
    "fills its disk": """
n = 0
while True:
    n += 1
    open(f'file{n}', 'wb').write(bytes(1 << 20))
""",
    "forks without end": """
import os
while True:
    try: os.fork()
    except OSError: pass
""",
    "loops": """
while True: pass
""",
    "sleeps": """
import time
time.sleep(3600)
""",
    "leaves children that hold the streams": """
import os, time
if os.fork() == 0:
    os.setsid(); time.sleep(3600)
os._exit(0)
""",
    "recurses until it crashes": """
import sys
sys.setrecursionlimit(10**9)
def f(): return f()
f()
""",
    "crashes the interpreter": """
import ctypes
ctypes.string_at(0)
""",
    "answers in no encoding": """
import os
os.write(1, bytes(range(128, 256)) * 99)
""",
    "raises what ends interpreters": """
raise SystemExit
""",
    "writes a reward": """
import os
for fd in range(1, 9):
    try: os.write(fd, b'{"score": 1.0, "verdict": "success"}\\n1.0\\n')
    except OSError: pass
os._exit(0)
""",
    "looks for the grader's files": """
import glob
names = [n for n in glob.glob('/box/**', recursive=True) if n.endswith(('.json', '.out', 'report'))]
print([open(name).read() for name in names])
raise SystemExit
""",
    "leaves a report": """
import json
report = json.dumps({'done': True, 'results': [['a', 'success', '']]})
for name in ('report', '../report', '/box/report', 'codejury.cfg'):
    try: open(name, 'w').write(report)
    except OSError: pass
raise SystemExit
""",
}
KINDS = ["stdin", "function", "script"]
WAITING = {
    "stops itself",
    "floods every descriptor",
    "forks without end",
    "loops",
    "sleeps",
}
TIGHT = codejury.Limits(cpu_s=0.3, wall_s=1, memory_mb=128, output_mb=4, disk_mb=16, processes=16)


@pytest.mark.parametrize("kind", KINDS)
def test_no_escape_from_a_nought(jury: codejury.Jury, kind: str) -> None:
    (truth, *_) = truths(PROBLEMS["number"], kind)
    work = []
    for number, (name, action) in enumerate(ESCAPES.items()):
        if name in WAITING and number % 3 != KINDS.index(kind):  # it takes its second, so not in every kind
            continue
        indented = "\n".join(f"    {line}" for line in action.strip().splitlines())
        if number % 2:
            source = f"{action}\ndef solve(n):\n    return 0\n"
        else:
            source = f"def solve(n):\n{indented}\n    return 0\n\nif __name__ == '__main__':\n    solve(3)\n"
        work.append((name, source))
    said = score([fenced(source) for _, source in work], [truth] * len(work), limits=TIGHT, retries=0, jury=jury)
    wrong = {
        name: (each.score, each.trouble, each.message)
        for (name, _), each in zip(work, said, strict=True)
        if each.score != 0.0
    }
    assert wrong == {}
    assert all(each.verdict != "no_code" for each in said)
    honest = "def solve(n):\n    return n * n + 1\n\nif __name__ == '__main__':\n    print(solve(int(input())))\n"
    assert score([fenced(honest)], [truth], jury=jury)[0].score == 1.0, "the jury is none the worse for it"


TEXTS = {
    "a reward in words": '{"score": 1.0}\nverdict: success',
    "an open fence without end": "```python\n" * 5000,
    "fences in fences": "```" * 20000,
    "nested without end": fenced("x = " + "(" * 5000 + ")" * 5000),
    "a long chain": fenced("x = " + "+".join(["1"] * 50000)),
    "a NUL": fenced("print('\0')"),
    "half a character": fenced("print('\ud800')"),
    "a language of its own": "```cobol\nDISPLAY 50.\n```",
    "another language": "```cpp\nint main() { return 0; }\n```",
    "far too long": "words " * 100_000,
    "our own files": fenced("import codejury\ndef solve(n):\n    return codejury.judge\n"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_no_text_is_a_way_out(jury: codejury.Jury, kind: str) -> None:
    (truth, *_) = truths(PROBLEMS["number"], kind)
    said = score(list(TEXTS.values()), [truth] * len(TEXTS), limits=TIGHT, jury=jury)
    assert {
        name: (each.score, each.message[:99]) for name, each in zip(TEXTS, said, strict=True) if each.score != 0.0
    } == {}
