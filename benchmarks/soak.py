"""Many runs in a row on one pool: does anything grow, does anything stay?

    python benchmarks/soak.py [--runs 10000] [--level auto] [--workers 2]

Warm Python and compiled C take turns; every twentieth run crashes, every hundredth runs into its time limit. Resident
memory is the sum over this process and all its descendants, taken while no program runs: after the first 500 runs,
after every further 500, and at the end. The counts are of what a sandbox could leave: taken before it is made, and
after it is closed.

Text goes to stderr as it comes, one JSON object to stdout at the end. Exit code 1: memory grew by more than a tenth and
5 MB after the first 500 runs, or a count differs, or an outcome was not the expected one.
"""

from __future__ import annotations

import argparse
import glob
import json
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import codejury
from codejury.model import Limits, Outcome

STEP = 500
LOOK = 100
C = '#include <stdio.h>\nint main(void) { long a, b; scanf("%ld %ld", &a, &b); printf("%ld\\n", a + b); return 0; }\n'
CRASH = "#include <stdlib.h>\nint main(void) { abort(); }\n"
PYTHON = "a, b = map(int, input().split())\nprint(a + b)\n"


def job(number: int) -> tuple[codejury.Job, str, bytes]:
    """The run of this number, its status, its output."""
    stdin, total = f"{number} {number * 7}\n", f"{number * 8}\n".encode()
    if number % 100 == 99:
        source, language = ("while True: pass", "python") if number % 200 == 99 else ("int main() { for (;;); }", "c")
        return codejury.Job(source=source, language=language, limits=Limits(cpu_s=0.02)), "time_limit_exceeded", b""
    if number % 20 == 9:
        source, language = ("print(1 / 0)", "python") if number % 40 == 9 else (CRASH, "c")
        return codejury.Job(source=source, language=language), "runtime_error", b""
    source, language = (PYTHON, "python") if number % 2 else (C, "c")
    return codejury.Job(source=source, language=language, stdin=stdin), "ok", total


# ── Looking at the host ──────────────────────────────────────────────────────────────────────────────────────────────


def family() -> list[int]:
    """This process and all its descendants."""
    children: dict[int, list[int]] = {}
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            fields = Path(path).read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(path.split("/")[2]))
    found = [os.getpid()]
    for pid in found:
        found += children.get(pid, ())
    return found


def resident_mb() -> float:
    pages = 0
    for pid in family():
        try:
            pages += int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        except OSError:
            continue
    return pages * os.sysconf("SC_PAGESIZE") / 2**20


def _not_of_others(paths: list[str], ours: set[int]) -> int:
    """Without what belongs to a launcher that lives and is none of ours. Names are codejury-<launcher>, and more."""
    count = 0
    for path in paths:
        launcher = os.path.basename(path.rstrip("/")).split("-")[1]
        count += not launcher.isdigit() or int(launcher) in ours or not os.path.exists(f"/proc/{launcher}")
    return count


def counts() -> dict[str, int]:
    ours = set(family())
    groups = [path for depth in range(6) for path in glob.glob("/sys/fs/cgroup/" + "*/" * depth + "codejury-*/")]
    temp = os.environ.get("CODEJURY_TEMP") or tempfile.gettempdir()
    return {
        "descriptors": len(os.listdir("/proc/self/fd")),
        "processes": len(ours),
        "mounts": len(Path("/proc/self/mountinfo").read_text().splitlines()),
        "control groups": _not_of_others(groups, ours),
        "temporary files": _not_of_others(glob.glob(os.path.join(glob.escape(temp), "codejury-*")), ours),
    }


# ── The runs ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def soak(box: codejury.Sandbox, runs: int) -> Iterator[tuple[int, float, list[tuple[int, Outcome]]]]:
    """After each step: how many runs so far, the resident megabytes, and the outcomes that were not as expected. Of
    memory the most of a few looks: it depends on how many forks of an interpreter happen to stand ready."""
    for start in range(0, runs, STEP):
        wrong = []
        most = 0.0
        end = min(runs, start + STEP)
        for part in range(start, end, LOOK):
            numbers = range(part, min(end, part + LOOK))
            for number, outcome in zip(numbers, box.run_many(job(n)[0] for n in numbers), strict=True):
                _, status, stdout = job(number)
                if (outcome.status, outcome.stdout) != (status, stdout):
                    wrong.append((number, outcome))
            most = max(most, resident_mb())
        yield end, most, wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--level", default="auto")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()

    with codejury.Sandbox(1, options.level) as box:  # what is imported at the first use is imported, and compiled
        level = box.level
        for number in (0, 1, 9, 29, 99, 199):
            box.run_job(job(number)[0])
    start = counts()
    memory: dict[int, float] = {}
    wrong: list[tuple[int, Outcome]] = []
    began = time.monotonic()
    with codejury.Sandbox(options.workers, level) as box:
        for done, resident, bad in soak(box, options.runs):
            memory[done] = round(resident, 1)
            wrong += bad
            say(f"{done:7} runs   {resident:8.1f} MB   {done / (time.monotonic() - began):7.1f} runs/s")
    seconds = time.monotonic() - began
    end = counts()

    first, last = memory[min(memory)], memory[max(memory)]
    allowed = first * 1.1 + 5
    faults = [f"run {number}: {outcome.status}, {outcome.stdout[:80]!r}" for number, outcome in wrong]
    if last > allowed:
        faults.append(f"memory grew from {first} MB to {last} MB; {allowed:.1f} MB would do")
    faults += [
        f"{what}: {start[what]} at the start, {end[what]} at the end" for what in start if start[what] != end[what]
    ]
    report: dict[str, Any] = {
        "level": level,
        "runs": options.runs,
        "workers": options.workers,
        "seconds": round(seconds, 1),
        "runs_per_s": round(options.runs / seconds, 1),
        "resident_mb": {"after_500": first, "end": last, "most": max(memory.values()), "allowed": round(allowed, 1)},
        "start": start,
        "end": end,
        "statuses": dict(Counter(job(number)[1] for number in range(options.runs))),
        "faults": faults,
    }
    say(f"{level}: {options.runs} runs in {seconds:.0f} s; {first} MB after {min(memory)}, {last} MB at the end")
    for what in start:
        say(f"{what:>16}: {start[what]} -> {end[what]}")
    for fault in faults:
        say(f"FAULT  {fault}")
    print(json.dumps(report))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
