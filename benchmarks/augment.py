"""What strengthened tests catch: samples of models that pass a task's base tests and fail MBPP+'s, judged by our rows.

    python benchmarks/augment.py ROWS PLUS SAMPLES... [--tasks-only FILE] [--labels FILE]

ROWS are what `codejury augment` made of MBPP (script form), PLUS is MBPP+ with its `test` scripts; SAMPLES are the
results of evalplus (`*_eval_results.json`, which say what passes base and plus) or JSON lines with `task_id` and
`solution`, for which the jury says it here by PLUS (kept in the file of --labels). Those that pass base and fail plus
count as wrong, those that pass both as right. With --tasks-only no row is judged: the ids of tasks that have wrong
samples are written to that file, one a line.

One JSON object goes to stdout: rates with 95 % intervals, and every miss and every right program refused.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from pathlib import Path
from typing import Any

import msgspec

from codejury.dataset import read_problems
from codejury.errors import CodejuryError
from codejury.judging.jury import Jury
from codejury.model import Limits, Problem, Submission
from codejury.score.rates import wilson

LIMITS = Limits(cpu_s=20.0)


def number(task: str) -> str:
    return task.rpartition("/")[2]


def samples(path: Path) -> list[tuple[str, str, str, str]]:
    """Task, name, source, label: right, wrong, or nothing where nobody has said."""
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode()
    found = []
    if "_eval_results" in path.name:
        for task, given in json.loads(text)["eval"].items():
            for at, each in enumerate(given):
                if each["base_status"] == "pass":
                    label = "right" if each["plus_status"] == "pass" else "wrong"
                    found.append((number(task), f"{path.parent.parent.name}#{at}", each["solution"], label))
        return found
    for line in text.splitlines():
        row = json.loads(line)
        if row.get("is_solved", True):
            found.append((number(row["task_id"]), path.name, row["solution"], ""))
    return found


def judge(jury: Jury, pairs: list[tuple[str, Problem]]) -> list[Any]:
    work = [(Submission(source=source, language="python"), problem) for source, problem in pairs]
    return list(jury.judge_each(work, limits=LIMITS))


def group(problem: Problem, *names: str) -> Problem:
    return msgspec.structs.replace(problem, cases=tuple(case for case in problem.cases if case.group in names))


def labelled(
    jury: Jury, pool: list[tuple[str, str, str, str]], plus: dict[str, Problem], known: dict[str, str]
) -> None:
    unknown = [each for each in pool if not each[3] and each[0] in plus and f"{each[0]} {each[1]}" not in known]
    base = judge(jury, [(source, group(plus[task], "base")) for task, _, source, _ in unknown])
    passed = [
        each for each, said in zip(unknown, base, strict=True) if not isinstance(said, CodejuryError) and said.accepted
    ]
    known |= {f"{task} {name}": "neither" for task, name, _, _ in unknown}
    full = judge(jury, [(source, group(plus[task], "plus")) for task, _, source, _ in passed])
    for (task, name, _, _), said in zip(passed, full, strict=True):
        if not isinstance(said, CodejuryError):
            known[f"{task} {name}"] = "right" if said.accepted else "wrong"


def rate(part: int, whole: int) -> dict[str, Any]:
    if not whole:
        return {"of": 0}
    interval = wilson(part, whole)
    return {
        "count": part,
        "of": whole,
        "rate": round(part / whole, 4),
        "interval": [round(each, 4) for each in interval],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=Path)
    parser.add_argument("plus", type=Path)
    parser.add_argument("samples", type=Path, nargs="+")
    parser.add_argument("--labels", type=Path)
    parser.add_argument("--tasks-only", type=Path)
    options = parser.parse_args()
    plus = {problem.id: problem for problem in read_problems(options.plus)}
    pool = [each for path in options.samples for each in samples(path)]
    known = json.loads(options.labels.read_text()) if options.labels and options.labels.exists() else {}
    with Jury() as jury:
        labelled(jury, pool, plus, known)
        if options.labels:
            options.labels.write_text(json.dumps(known, indent=0))
        told = [(task, name, source, label or known.get(f"{task} {name}", "")) for task, name, source, label in pool]
        if options.tasks_only:
            ids = sorted({task for task, _, _, label in told if label == "wrong"}, key=int)
            options.tasks_only.write_text("".join(f"{each}\n" for each in ids))
            return 0
        ours = {problem.id: group(problem, "base", "plus") for problem in read_problems(options.rows)}
        looked = [each for each in told if each[0] in ours and each[3] in ("right", "wrong")]
        results = judge(jury, [(source, ours[task]) for task, _, source, _ in looked])
    missed, refused, errors = [], [], []
    caught = accepted = 0
    for (task, name, source, label), said in zip(looked, results, strict=True):
        if isinstance(said, CodejuryError):
            errors.append([task, name, str(said)[:200]])
        elif label == "wrong" and said.accepted:
            missed.append([task, name, source])
        elif label == "right" and not said.accepted:
            bad = next(case for case in said.cases if case.verdict != "success")
            refused.append([task, name, bad.message[-200:], source])
        else:
            caught, accepted = caught + (label == "wrong"), accepted + (label == "right")
    found = {
        "tasks": len(ours),
        "wrong samples without a row": sum(label == "wrong" and task not in ours for task, _, _, label in told),
        "wrong caught": rate(caught, caught + len(missed)),
        "right accepted": rate(accepted, accepted + len(refused)),
        "missed": missed,
        "refused": refused,
        "errors": errors,
    }
    print(json.dumps(found, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
