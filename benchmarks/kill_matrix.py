"""A kill matrix: mutants of a Python program on many tests, against the same programs run bare with `subprocess`.

    python benchmarks/kill_matrix.py [--mutants 200] [--tests 100] [--bare 400] [--json]

The whole matrix is judged by the jury; of the same (program, test) pairs a sample runs bare, with as many threads as
cores, before and after, so that both see the same machine. What counts is the ratio of programs run a second, and the
share of the cores that was in use while the jury worked. Nothing is kept from one run to the next.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from codejury import Jury, Limits, Problem, Submission, TestCase
from codejury.mutation.programs import mutants
from codejury.testgen.kills import Program, matrix

GOLD = """\
def compress(values):
    order = sorted(set(values))
    place = {}
    for i, v in enumerate(order):
        place[v] = i + 1
    return [place[v] for v in values], len(order)


def add(tree, i, value):
    while i < len(tree):
        tree[i] += value
        i += i & -i


def total(tree, i):
    result = 0
    while i > 0:
        result += tree[i]
        i -= i & -i
    return result


def inversions(values):
    places, size = compress(values)
    tree = [0] * (size + 1)
    count = 0
    for seen, p in enumerate(places):
        count += seen - total(tree, p)
        add(tree, p, 1)
    return count


def longest(values):
    best = run = 1
    for i in range(1, len(values)):
        if values[i] >= values[i - 1]:
            run += 1
            if run > best:
                best = run
        else:
            run = 1
    return best


n, k = map(int, input().split())
a = list(map(int, input().split()))
low, high = min(a), max(a)
inside = 0
for x in a:
    if low < x < high and x % k == 0:
        inside += 1
pairs = 0
j = 0
b = sorted(a)
for i in range(n):
    while j < n and b[j] - b[i] <= k:
        j += 1
    pairs += j - i - 1
print(inversions(a), longest(a), inside, pairs)
"""


def problem(tests: int) -> Problem:
    draw = random.Random(1)
    inputs = []
    for number in range(tests):
        n = draw.choice((1, 2, 3, 5, 8, 20, 60))
        values = [draw.randint(-9, 9) if number % 2 else draw.randint(-(10**6), 10**6) for _ in range(n)]
        inputs.append(f"{n} {draw.randint(1, 9)}\n{' '.join(map(str, values))}\n")
    with Jury(kept=None, run_only=True) as jury:
        unknown = Problem(cases=tuple(TestCase(input=text, output=None) for text in inputs))
        said = jury.judge(Submission(source=GOLD, language="python"), unknown)
    assert said.accepted, said
    cases = tuple(TestCase(input=text, output=one.output) for text, one in zip(inputs, said.cases, strict=True))
    return Problem(id="matrix", cases=cases, limits=Limits(cpu_s=1))


def idle_s() -> float:
    fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()
    return (int(fields[4]) + int(fields[5])) / os.sysconf("SC_CLK_TCK")


def bare(scripts: list[Path], asked: Problem, count: int, threads: ThreadPoolExecutor) -> float:
    """Runs a second."""
    draw = random.Random(2)
    pairs = [(draw.choice(scripts), draw.choice(asked.cases).input) for _ in range(count)]

    def one(pair: tuple[Path, str]) -> None:
        subprocess.run([sys.executable, str(pair[0])], input=pair[1].encode(), capture_output=True)

    start = time.perf_counter()
    list(threads.map(one, pairs))
    return count / (time.perf_counter() - start)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mutants", type=int, default=200)
    parser.add_argument("--tests", type=int, default=100)
    parser.add_argument("--bare", type=int, default=400)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    asked = problem(options.tests)
    programs = [
        Program(submission=Submission(source=mutant.source, language="python"), mutant=mutant)
        for mutant in mutants(GOLD, "python")
    ]
    with tempfile.TemporaryDirectory() as folder, Jury() as jury, ThreadPoolExecutor(os.cpu_count()) as threads:
        # Bare execution has no way to end one that never ends: both leave those out.
        work = ((program.submission, asked) for program in programs)
        said = jury.judge_each(work, stop_on_first_failure=True)
        ends = [not isinstance(one, Exception) and one.verdict != "time_limit_exceeded" for one in said]
        programs = [program for program, one in zip(programs, ends, strict=True) if one][: options.mutants]
        scripts = [Path(folder) / f"{number}.py" for number in range(len(programs))]
        for path, program in zip(scripts, programs, strict=True):
            path.write_text(program.submission.source)
        before = bare(scripts, asked, options.bare, threads)
        idle, start = idle_s(), time.perf_counter()
        found = matrix(jury, asked, programs)
        seconds = time.perf_counter() - start
        busy = 1 - (idle_s() - idle) / (seconds * (os.cpu_count() or 1))
        after = bare(scripts, asked, options.bare, threads)
    runs = len(programs) * len(asked.cases) / seconds
    killed = len(frozenset().union(*found.kills))
    told = {
        "programs": len(programs),
        "tests": len(asked.cases),
        "killed": killed,
        "seconds": round(seconds, 2),
        "runs_per_second": round(runs, 1),
        "bare_per_second": round((before + after) / 2, 1),
        "ratio": round(runs / ((before + after) / 2), 2),
        "cores_busy": round(busy, 3),
    }
    if options.json:
        print(json.dumps(told))
        return
    print(f"{told['programs']} mutants x {told['tests']} tests in {seconds:.1f} s, {killed} killed")
    print(f"{runs:.0f} runs/s, bare {told['bare_per_second']:.0f}: {told['ratio']:.2f} x (at least 4)")
    print(f"cores in use {busy:.0%} (at least 90 %)")


if __name__ == "__main__":
    main()
