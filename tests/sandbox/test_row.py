"""One program on a row of inputs, asked for at once: each run is as it would be by itself."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from codejury import Job, Limits, Outcome, Sandbox
from codejury.errors import WorkerLost
from codejury.languages.execute import Ready
from codejury.sandbox.pool import Task
from codejury.sandbox.worker import Worker

LIMITS = Limits(cpu_s=1, wall_s=20, memory_mb=128, output_mb=1)
MANNERS = """
import os, sys, time
asked = sys.stdin.read()
if asked == "crash": os.abort()
if asked == "leave": sys.exit(7)
if asked == "spin":
    while True: pass
if asked == "grow": x = bytearray(400 << 20)
if asked == "flood":
    while True: print("x" * 1000)
if asked == "much": print("y" * 500_000)
if asked == "complain": print("no", file=sys.stderr)
print(f"[{asked}]")
"""
ASKED = ["", "1", "crash", "2", "leave", "spin", "3", "grow", "much", "much", "flood", "complain", "4"]
# What a run might leave behind for the next: files in every place that can be written to, a process, an environment.
TRACES = """
import os, subprocess, sys
found = []
for place in sorted(set(map(os.path.realpath, (".", "/tmp", "/dev/shm", os.environ["HOME"], os.environ["TMPDIR"])))):
    path = os.path.join(place, "trace")
    try:
        found.append(os.path.exists(path))
        open(path, "w").close()
    except OSError:
        found.append(None)
import json  # of the waiting interpreter
found += [hasattr(json, "trace"), "TRACE" in os.environ]
json.trace = os.environ["TRACE"] = "1"
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True)
if os.getpid() < 100:
    found.append(sum(name.isdigit() for name in os.listdir("/proc")))
print(found, input())
"""
CPP = "#include <iostream>\nint main() { long a, b; std::cin >> a >> b; std::cout << a + b; return a % 7; }"


def essence(outcome: Any) -> tuple[Any, ...]:
    return outcome.status, outcome.exit_code, outcome.signal, outcome.stdout, outcome.stderr, outcome.stdout_truncated


def all_of(program: Ready, inputs: Sequence[str]) -> list[Outcome]:
    """A row is cut after a run that is not short: then the rest is asked for."""
    outcomes: list[Outcome] = []
    while len(outcomes) < len(inputs):
        more = program.run_row(inputs[len(outcomes) :])
        assert more
        outcomes += more
    assert len(outcomes) == len(inputs)
    return outcomes


def python(source: str, **fields: Any) -> Job:
    return Job(source=source, language="python", **{"limits": LIMITS, **fields})


@pytest.mark.parametrize("fresh", [False, True], ids=["warm", "cold"])
def test_each_is_as_by_itself(box: Sandbox, fresh: bool) -> None:
    program = box.ready(python(MANNERS, fresh=fresh))
    row = [essence(outcome) for outcome in all_of(program, ASKED)]
    assert row == [essence(program.run(asked)) for asked in ASKED]
    assert [said[0] for said in row] == [
        "ok", "ok", "runtime_error", "ok", "runtime_error", "time_limit_exceeded", "ok", "memory_limit_exceeded", "ok",
        "ok", "output_limit_exceeded", "ok", "ok",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("asked", "short"),
    [("spin", False), ("sleep", False), ("flood", False), ("many", False), ("crash", True), ("leave", True)],
)
def test_what_is_not_short_ends_the_row(box: Sandbox, asked: str, short: bool) -> None:
    """One that turns out slow, or talkative, keeps neither a worker nor memory for seven others."""
    source = MANNERS.replace(
        "if asked ==",
        "if asked == 'sleep': time.sleep(0.3)\nif asked == 'many': print('z' * 2_000_000)\nif asked ==",
        1,
    )
    program = box.ready(python(source, limits=Limits(cpu_s=1, wall_s=20, output_mb=4)))
    program.run("")
    row = program.run_row(["a", "b", asked, "c", "d"])
    assert len(row) == (5 if short else 3)
    assert program.run("e").stdout == b"[e]\n"  # nothing is left of what was not run
    assert [each.stdout for each in all_of(program, ["f", "g"])] == [b"[f]\n", b"[g]\n"]


def test_very_many_inputs(box: Sandbox) -> None:
    program = box.ready(Job(source="read x; echo $x", language="bash", limits=LIMITS))
    assert [int(each.stdout) for each in all_of(program, [str(n) for n in range(150)])] == list(range(150))


@pytest.mark.skipif(not shutil.which("g++"), reason="g++ is not installed")
def test_compiled_programs(box: Sandbox) -> None:
    program = box.ready(Job(source=CPP, language="cpp17", limits=LIMITS))
    said = all_of(program, [f"{n} {n}" for n in range(100)])
    assert [(each.exit_code, each.stdout) for each in said] == [(n % 7, str(2 * n).encode()) for n in range(100)]


@pytest.mark.parametrize("fresh", [False, True], ids=["warm", "cold"])
def test_nothing_of_one_is_there_in_the_next(box: Sandbox, fresh: bool) -> None:
    program = box.ready(python(TRACES, fresh=fresh, limits=Limits(cpu_s=10, wall_s=60)))
    said = [outcome.stdout.decode().rsplit(None, 1) for outcome in all_of(program, "abcdefgh")]
    assert [mine for _, mine in said] == list("abcdefgh")
    assert {found for found, _ in said} == {said[0][0]}
    assert "True" not in said[0][0]


def test_no_inputs_and_large_inputs(box: Sandbox) -> None:
    program = box.ready(python("import sys; print(len(sys.stdin.read()))", limits=Limits(cpu_s=10, wall_s=60)))
    assert program.run_row([]) == []
    sizes = [0, 1 << 20, 5, 3 << 20]
    assert [int(each.stdout) for each in all_of(program, ["x" * size for size in sizes])] == sizes


def test_a_program_that_does_not_compile(box: Sandbox) -> None:
    if not shutil.which("gcc"):
        pytest.skip("gcc is not installed")
    said = box.ready(Job(source="int main( {", language="c")).run_row(["1", "2"])
    assert [each.status for each in said] == ["compile_error", "compile_error"]


def test_rows_and_single_runs_take_turns(box: Sandbox) -> None:
    one, other = box.ready(python("print(1, input())")), box.ready(python("print(2, input())", files={"a": "b"}))
    for _ in range(3):
        assert [each.stdout for each in all_of(one, "ab")] == [b"1 a\n", b"1 b\n"]
        assert other.run("c").stdout == b"2 c\n"
        assert [each.stdout for each in all_of(other, "de")] == [b"2 d\n", b"2 e\n"]


def test_a_worker_that_is_lost_on_the_way_costs_nothing(box: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its answers, those that waited for others among them, are asked for again."""
    inner: Callable[..., Any] = Worker._outcome
    lost: list[int] = []

    def outcome(self: Worker, *given: Any) -> Any:
        said = inner(self, *given)
        if not lost and said.stdout == b"3\n":
            lost.append(self.pid)
            os.kill(self.pid, signal.SIGKILL)
        return said

    monkeypatch.setattr(Worker, "_outcome", outcome)
    program = box.ready(python("import time; time.sleep(0.03); print(input())", limits=Limits(cpu_s=10, wall_s=60)))
    said = all_of(program, [str(n) for n in range(8)])
    assert [each.stdout for each in said] == [f"{n}\n".encode() for n in range(8)]
    assert lost


def test_who_is_given_up_is_not_run_again(box: Sandbox) -> None:
    task = Task()
    task.give_up()
    program = box.ready(python("print(input())"))
    with pytest.raises(WorkerLost):
        box.run_for(task, lambda: program.run_row(["1", "2"]))
    assert [each.stdout for each in all_of(program, "12")] == [b"1\n", b"2\n"]
