"""Cases per second: the jury against the same programs run bare with `subprocess`, both with all cores, in turns.

    python benchmarks/judge.py [--cases 200] [--rounds 5] [--json]

Bare is no judge: it starts the program with the case as its input, reads its output and compares. The jury does that
in the sandbox, with limits and verdicts. The figure is the median over the rounds, and what counts is the ratio.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from codejury import Job, Jury, Problem, Sandbox, Submission, TestCase
from codejury.languages import compiled, toolchain

PYTHON = "a, b = map(int, input().split())\nprint(a + b)\n"
CPP = "#include <iostream>\nint main() { long a, b; std::cin >> a >> b; std::cout << a + b << '\\n'; }\n"


def problem(cases: int) -> Problem:
    return Problem(cases=tuple(TestCase(input=f"{n} {n + 1}\n", output=f"{2 * n + 1}\n") for n in range(cases)))


def bare(argv: list[str], asked: Problem, threads: ThreadPoolExecutor) -> float:
    def one(case: TestCase) -> bool:
        done = subprocess.run(argv, input=case.input.encode(), capture_output=True)
        return done.returncode == 0 and done.stdout.decode().rstrip() == case.output.rstrip()

    start = time.perf_counter()
    right = list(threads.map(one, asked.cases))
    spent = time.perf_counter() - start
    assert all(right)
    return len(right) / spent


def judged(jury: Jury, submission: Submission, asked: Problem) -> float:
    start = time.perf_counter()
    said = jury.judge(submission, asked)
    spent = time.perf_counter() - start
    assert said.accepted, said
    return said.total / spent


def build(box: Sandbox, to: Path) -> None:
    command = toolchain.compile_command(box.toolchain(box.catalog.get("cpp17")), CPP, None)
    assert command is not None
    built = compiled.result_of(box.run_command(command))
    assert isinstance(built, dict)
    to.write_bytes(built["main"])
    to.chmod(0o755)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    asked = problem(options.cases)
    found: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder, Jury() as jury, ThreadPoolExecutor(os.cpu_count()) as threads:
        script, program = Path(folder) / "main.py", Path(folder) / "main"
        script.write_text(PYTHON)
        build(jury.sandbox, program)
        jury.sandbox.run_job(Job(source=PYTHON, language="python", stdin="1 2"))
        for name, argv, source, target in (
            ("python", [sys.executable, str(script)], PYTHON, 4.0),
            ("cpp17", [str(program)], CPP, 0.8),
        ):
            submission = Submission(source=source, language=name)
            judged(jury, submission, asked)  # all workers are up, and the program is compiled
            rounds = [(bare(argv, asked, threads), judged(jury, submission, asked)) for _ in range(options.rounds)]
            alone, with_jury = (statistics.median(column) for column in zip(*rounds, strict=True))
            ratio = statistics.median(judging / running for running, judging in rounds)
            found[name] = {"bare": alone, "jury": with_jury, "ratio": ratio, "target": target}
            if not options.json:
                speeds = f"bare {alone:7.0f} cases/s   jury {with_jury:7.0f} cases/s"
                print(f"{name:7} {speeds}   {ratio:.2f} x (at least {target})")
    if options.json:
        print(json.dumps(found))


if __name__ == "__main__":
    main()
