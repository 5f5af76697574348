"""How busy a batch of rewards keeps the machine, and how fast it is.

    python benchmarks/reward.py [--completions 1024] [--tests 20] [--rounds 3] [--rule pass_rate] [--json]

A batch as a training step has it: completions in Python, C++ and JavaScript (where they are there), with functions that
are called among them; two thirds right, the others wrong on some tests, a few crashing or without code, and one in
sixteen there twice.

Busy is what this process and its workers used of all cores' time; `left` the share that they used of what others left
them, which says something on a machine with other work too. Both come out of /proc.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from typing import Any

from codejury import Jury, LanguageUnavailable
from codejury.reward import score

SOURCES = {
    "python": (
        "n = int(input())\ns = 0\nfor i in range({work}):\n    s = (s * 31 + i) % 1000003\n"
        "print(2 * n{wrong}) # {number}\n"
    ),
    "cpp": (
        '#include <cstdio>\nint main() {{ long n; volatile long s = 0; scanf("%ld", &n); '
        'for (long i = 0; i < {work}; i++) s = (s * 31 + i) % 1000003; printf("%ld\\n", 2 * n{wrong}); }} // {number}\n'
    ),
    "javascript": (
        "const n = Number(require('fs').readFileSync(0)); let s = 0; "
        "for (let i = 0; i < {work}; i++) s = (s * 31 + i) % 1000003; console.log(2 * n{wrong}) // {number}\n"
    ),
}
TICKS = os.sysconf("SC_CLK_TCK")
FUNCTION = "def double(n):\n    return 2 * n{wrong}  # {number}\n"
WRONGS = {"python": " + (n > 12)", "cpp": " + (n > 12)", "javascript": " + (n > 12 ? 1 : 0)"}


def batch(jury: Jury, completions: int, tests: int) -> tuple[list[str], list[Any]]:
    """Half Python programs, a quarter functions, the rest C++ and JavaScript. A C++ program is the same for sixteen
    completions' problems: a policy repeats itself, and compiling is not what is measured."""
    program = json.dumps({"inputs": [f"{n}\n" for n in range(tests)], "outputs": [f"{2 * n}\n" for n in range(tests)]})
    function = json.dumps(
        {"fn_name": "double", "inputs": [str(n) for n in range(tests)], "outputs": [str(2 * n) for n in range(tests)]}
    )
    others = [name for name in ("cpp", "javascript") if has(jury, name)] or ["python"]
    texts: list[str] = []
    truths: list[Any] = []
    for number in range(completions):
        wrong = number % 3 == 1
        if number % 16 == 15:
            texts.append(texts[-1])
            truths.append(truths[-1])
        elif number % 16 == 14:
            texts.append(("I do not know.", "```python\nraise ValueError\n```")[number % 2])
            truths.append(program)
        elif number % 4 == 1:
            code = FUNCTION.format(wrong=WRONGS["python"] if wrong else "", number=number)
            texts.append(f"```python\n{code}```")
            truths.append(function)
        else:
            name = "python" if number % 4 in (0, 2) else others[number // 4 % len(others)]
            which = number // 128 if name == "cpp" else number
            code = SOURCES[name].format(
                wrong=WRONGS[name] if wrong else "", number=which, work=20_000 if name == "python" else 200_000
            )
            texts.append(f"Here it is:\n\n```{name}\n{code}```\n")
            truths.append(program)
    return texts, truths


def has(jury: Jury, name: str) -> bool:
    try:
        jury.sandbox.toolchain(jury.sandbox.catalog.get(name))
    except LanguageUnavailable:
        return False
    return True


def idle_and_all() -> tuple[float, float]:
    """Seconds of all cores since the machine started."""
    with open("/proc/stat") as file:
        values = [int(each) for each in file.readline().split()[1:9]]
    return (values[3] + values[4]) / TICKS, sum(values) / TICKS


def used() -> tuple[float, float]:
    """CPU seconds of this process, and of it with all that it has started, those that have ended with them."""
    parents: dict[int, int] = {}
    seconds: dict[int, float] = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(name)] = int(fields[1])
        seconds[int(name)] = sum(map(int, fields[11:15])) / TICKS
    ours = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in ours} - ours:
        ours |= more
    return time.process_time(), sum(seconds[pid] for pid in ours)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--completions", type=int, default=1024)
    parser.add_argument("--tests", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rule", default="pass_rate")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rounds = []
    with Jury() as jury:
        texts, truths = batch(jury, options.completions, options.tests)
        score(texts[:64], truths[:64], rule=options.rule, jury=jury)  # workers are up
        for _ in range(options.rounds):
            before = (*used(), *idle_and_all())
            since = time.perf_counter()
            said = score(texts, truths, rule=options.rule, jury=jury)
            seconds = time.perf_counter() - since
            after = (*used(), *idle_and_all())
            python, own, idle, everything = (late - early for late, early in zip(after, before, strict=True))
            cases = sum(len(each.judgement.cases) for each in said if each.judgement and each.duplicate_of is None)
            assert all(each.score is not None for each in said), [each.message for each in said if each.score is None]
            shares = {"busy": own / everything, "left": own / (own + idle), "python": python / everything}
            rounds.append({"seconds": seconds, "cases": cases, **shares})
    told = {name: statistics.median(each[name] for each in rounds) for name in rounds[0]}
    told |= {"completions": options.completions, "tests": options.tests, "cores": os.cpu_count(), "rule": options.rule}
    told["completions_per_s"] = options.completions / told["seconds"]
    told["cases_per_s"] = told["cases"] / told["seconds"]
    if options.json:
        print(json.dumps(told))
        return
    print(f"{options.completions} completions × {options.tests} tests, rule {options.rule}, {told['cores']} cores")
    print(f"busy               {told['busy']:8.1%}   (wanted: at least 90 %, with nothing else running)")
    print(f"of what was left   {told['left']:8.1%}")
    print(f"in this process    {told['python']:8.1%}")
    print(f"seconds            {told['seconds']:8.2f}")
    print(f"completions a s    {told['completions_per_s']:8.1f}")
    print(f"cases run a s      {told['cases_per_s']:8.1f}   ({told['cases']:.0f} cases)")


if __name__ == "__main__":
    main()
