"""Submissions of contest packages against the packages' own data: does each get the verdict it was filed under?

    python benchmarks/packages.py [FOLDER] [--only ID] [--workers N]

FOLDER holds problem packages and labels.jsonl, a row a submission: id, sub (its path in the package), label (the folder
it is filed in), verified (what it got when it was run bare: AC, WA, TLE, RTE), keep (it was accepted or rejected there,
as the label has it). Without FOLDER it is kattis in the data of CODEJURY_SHARED. Rows that are kept must get their
label, or what was seen bare, where that is another way to fail; of the others it is told what they get.

Differences go to stderr as they are found, one JSON object to stdout.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from codejury import CodejuryError, Jury, Limits, Problem, Submission
from codejury.dataset.formats import kattis

FILED = {
    "accepted": "success",
    "wrong_answer": "wrong_answer",
    "run_time_error": "runtime_error",
    "runtime_error": "runtime_error",
    "time_limit_exceeded": "time_limit_exceeded",
}
SEEN = {"AC": "success", "WA": "wrong_answer", "TLE": "time_limit_exceeded", "RTE": "runtime_error"}
LIMITS = Limits(cpu_s=10, memory_mb=2048)  # where a package says nothing

Todo = list[tuple[str, Submission, Problem, dict[str, Any]]]


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def found_in(folder: Path, only: list[str]) -> Todo:
    labels: dict[str, dict[str, Any]] = {}
    for line in (folder / "labels.jsonl").read_text().splitlines():
        row = json.loads(line)
        labels[f"{row['id']}/{row['sub']}"] = row
    todo: Todo = []
    for name in sorted({row["id"] for row in labels.values()}):
        if only and name not in only:
            continue
        problem = kattis.read(folder / name)
        for submission in kattis.submissions(folder / name):
            path = f"{name}/submissions/{submission.id.split('submissions/')[-1]}"
            row = labels.get(path)
            if row is None:
                say(f"{path}: no label")
                continue
            todo.append((name, submission, problem, row))
    return todo


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--workers", type=int)
    options = parser.parse_args()
    folder = options.folder or Path(os.environ.get("CODEJURY_SHARED", "")) / "data" / "kattis"
    if not (folder / "labels.jsonl").exists():
        parser.error(f"{folder}: expected a folder with labels.jsonl")
    todo = found_in(folder, options.only)
    counts: Counter[str] = Counter()
    others = []
    with Jury(workers=options.workers) as jury:
        pairs = ((submission, problem) for _, submission, problem, _ in todo)
        judged = jury.judge_each(pairs, limits=LIMITS, stop_on_first_failure=True)
        for (name, _, _, row), said in zip(todo, judged, strict=True):
            got = type(said).__name__ if isinstance(said, CodejuryError) else said.verdict
            seen = SEEN.get(row["verified"], row["verified"])
            wanted = {seen, FILED.get(row["label"], seen)} if row["keep"] else {seen}
            counts[f"{'kept' if row['keep'] else 'other'}, {'same' if got in wanted else 'differs'}"] += 1
            if got not in wanted:
                words = " or ".join(sorted(wanted))
                others.append({"submission": f"{name}/{row['sub']}", "kept": row["keep"], "wanted": words, "got": got})
                say(f"{name}/{row['sub']}: {'kept, ' if row['keep'] else ''}wanted {words}, got {got}")
    print(json.dumps({"judged": len(todo), **counts, "differences": others}, indent=1))
    return int(any(each["kept"] for each in others))


if __name__ == "__main__":
    sys.exit(main())
