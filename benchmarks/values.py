"""Tests for functions grown without a model: how many, how valid, and what they catch.

    python benchmarks/values.py ROWS [--programs FILE]... [--times 35] [--seconds 60] [--only TASK]... [--limit N]
                                     [--caught] [--no-contract] [--labels FILE] [--seed N] [--kept FILE]

ROWS are HumanEval+ or MBPP+ in evalplus' form. The base inputs are the seeds; the plus inputs are not looked at, but
for labels. For each task at least `times` as many tests as it has base inputs are asked for, and no fewer than 100.
Then, by runs of their own: does each input keep the contract, and does the jury accept the reference on all of them.

Programs: evalplus' results (`*_eval_results.json`), which say what passes base and plus tests, or JSON lines with
`task_id` and `solution`, for which the jury says it here (kept in the file of --labels). Those that pass base and fail
plus count as wrong: how many are caught by all tests, and by the first 100? Those that pass both count as right: how
many are accepted? --caught grows tests only for tasks that have such programs.

--no-contract grows as if there were none, and shows how many of the inputs would keep it.

--kept FILE gets a line of JSON as soon as a task is measured; tasks that stand there already are not measured again,
and are counted with the others: a run of hours may be interrupted, and goes on.

Text goes to stderr as it comes, one JSON object to stdout at the end.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import time
from pathlib import Path
from typing import Any

import msgspec

from codejury.dataset import read_problems
from codejury.errors import CodejuryError
from codejury.judging import calls
from codejury.judging.jury import Jury
from codejury.model import Limits, Problem, Submission
from codejury.mutation.values import mined
from codejury.testgen import functions

FIRST = 100


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def bases(problem: Problem) -> Problem:
    return msgspec.structs.replace(problem, cases=tuple(case for case in problem.cases if case.group == "base"))


def programs(path: Path) -> list[tuple[str, str, str, bool | None]]:
    """Task, name, source, and whether it is right: None where nobody has said; what fails base tests is left out."""
    found: list[tuple[str, str, str, bool | None]] = []
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode()
    if "_eval_results" in path.name:
        for task, samples in json.loads(text)["eval"].items():
            for number, each in enumerate(samples):
                if each["base_status"] == "pass":
                    name = f"{path.parent.parent.name}#{number}"
                    found.append((task, name, each["solution"], each["plus_status"] == "pass"))
        return found
    for line in text.splitlines():
        row = json.loads(line)
        if row.get("is_solved", True):
            found.append((row["task_id"].replace("MBPP/", "Mbpp/"), path.name, row["solution"], None))
    return found


def label(jury: Jury, problem: Problem, source: str) -> str:
    """right, wrong, or neither where base tests fail."""
    submission = Submission(source=source, language="python")
    for group, otherwise in (("base", "neither"), ("plus", "wrong")):
        part = msgspec.structs.replace(
            problem, id=f"{problem.id} {group}", cases=tuple(c for c in problem.cases if c.group == group)
        )
        if part.cases and not next(jury.judge_many([(submission, part)], stop_on_first_failure=True)).accepted:
            return otherwise
    return "right"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=Path)
    parser.add_argument("--programs", type=Path, action="append", default=[])
    parser.add_argument("--labels", type=Path)
    parser.add_argument("--kept", type=Path)
    parser.add_argument("--times", type=int, default=35)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--limit", type=int)
    parser.add_argument("--caught", action="store_true")
    parser.add_argument("--no-contract", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    problems = {problem.id: problem for problem in read_problems(options.rows)}
    pool: dict[str, list[tuple[str, str, str]]] = {}
    known: dict[str, str] = {}
    if options.labels is not None and options.labels.exists():
        known = json.loads(options.labels.read_text())
    with Jury() as jury:
        for path in options.programs:
            for task, name, source, is_right in programs(path):
                if task not in problems:
                    continue
                key = f"{task} {name}"
                if is_right is None and key not in known:
                    try:
                        known[key] = label(jury, problems[task], source)
                    except CodejuryError as error:
                        say(f"{key}: {error}")
                        known[key] = "neither"
                told = known[key] if is_right is None else "right" if is_right else "wrong"
                pool.setdefault(task, []).append((name, source, told))
        if options.labels is not None:
            options.labels.write_text(json.dumps(known, indent=0))
        chosen = [p for p in problems.values() if not options.only or p.id in options.only]
        if options.caught:
            chosen = [p for p in chosen if any(told == "wrong" for _, _, told in pool.get(p.id, []))]
        kept = measured(options.kept)
        tasks = []
        for problem in chosen[: options.limit]:
            if problem.id not in kept:
                kept[problem.id] = one(jury, problem, pool.get(problem.id, []), options)
                if options.kept is not None:
                    with options.kept.open("a") as file:
                        file.write(json.dumps(kept[problem.id]) + "\n")
            tasks.append(kept[problem.id])
    summary = summed(tasks, options)
    for name, value in summary.items():
        say(f"{name:>34}  {value}")
    print(json.dumps({"summary": summary, "tasks": tasks}))
    return 0


def measured(path: Path | None) -> dict[str, dict[str, Any]]:
    if path is None or not path.exists():
        return {}
    return {row["task"]: row for row in map(json.loads, path.read_text().splitlines())}


def one(jury: Jury, problem: Problem, pool: list[tuple[str, str, str]], options: Any) -> dict[str, Any]:
    base = bases(problem)
    wanted = max(FIRST, options.times * len(base.cases))
    since = time.monotonic()
    try:
        grown = functions.grow(
            jury,
            base,
            budget_tests=wanted,
            budget_s=options.seconds,
            seed=options.seed,
            use_contract=not options.no_contract,
        )
    except CodejuryError as error:
        say(f"{problem.id}: {error}")
        return {"task": problem.id, "error": str(error), "base": len(base.cases), "tests": 0}
    seconds = time.monotonic() - since
    tests = msgspec.structs.replace(base, id=f"{problem.id} grown", cases=grown.cases, outputs="given")
    row: dict[str, Any] = {
        "task": problem.id,
        "base": len(base.cases),
        "tests": len(grown.cases),
        "times": round(len(grown.cases) / len(base.cases), 1),
        "seconds": round(seconds, 2),
        **{name: getattr(grown, name) for name in ("tried", "invalid", "too_much", "unsteady", "split")},
        "outside_contract": outside(jury, problem, tests),
    }
    gold = problem.golds[0]
    row["reference"] = not grown.cases or next(jury.judge_many([(gold, tests)])).accepted
    row["caught"], row["caught_first"], row["missed"], row["rejected_right"] = 0, 0, [], []
    row["wrong"] = sum(told == "wrong" for _, _, told in pool)
    row["right"] = sum(told == "right" for _, _, told in pool)
    for name, source, told in pool:
        if told == "neither" or not grown.cases:
            continue
        submission = Submission(source=source, language="python", id=name)
        said = next(jury.judge_many([(submission, tests)], limits=Limits(), stop_on_first_failure=True))
        if told == "wrong":
            row["caught"] += not said.accepted
            row["caught_first"] += not said.accepted and said.cases[-1].index < FIRST
            if said.accepted or said.cases[-1].index >= FIRST:
                row["missed"].append((name, "by all" if said.accepted else f"by the first {FIRST}"))
        elif not said.accepted:
            last = said.cases[-1]
            args = calls.shown(tests.cases[last.index].input)
            row["rejected_right"].append((name, last.index, last.verdict, args, last.message[-200:]))
    marks = "" if row["reference"] else "  REFERENCE REJECTED"
    say(
        f"{problem.id:14} {row['tests']:5} tests, {row['times']:6} times, {row['seconds']:6} s, "
        f"invalid {grown.invalid} of {grown.tried}, too much {grown.too_much}, unsteady {grown.unsteady}, "
        f"caught {row['caught_first']}/{row['caught']}/{row['wrong']}, "
        f"right refused {len(row['rejected_right'])}/{row['right']}{marks}"
    )
    return row


def outside(jury: Jury, problem: Problem, tests: Problem) -> int:
    """How many of the inputs the contract refuses."""
    contract, fn_name = functions.contract_of(problem), problem.fn_name
    joined = mined.with_contract(problem.golds[0].source, fn_name or "", contract) if contract else None
    if joined is None or not tests.cases:
        return 0
    told = calls.gold_answers(
        jury.sandbox,
        joined,
        fn_name or "",
        [case.input for case in tests.cases],
        matches=problem.compare.oracle == "not_none",
    )
    return sum(answer.verdict is not None for answer in told)


def summed(tasks: list[dict[str, Any]], options: Any) -> dict[str, Any]:
    def total(name: str) -> int:
        return sum(task.get(name, 0) for task in tasks)

    made = [task for task in tasks if "error" not in task]
    return {
        "tasks": len(tasks),
        "tasks in error": len(tasks) - len(made),
        "tests": total("tests"),
        f"tasks below {options.times} times": [
            f"{t['task']} ({t['times']})" for t in made if t["times"] < options.times
        ],
        "seconds, mean": round(sum(t["seconds"] for t in made) / max(1, len(made)), 2),
        "seconds, most": max((t["seconds"] for t in made), default=0),
        "inputs tried": total("tried"),
        "invalid": total("invalid"),
        "outside the contract": total("outside_contract"),
        "references rejected": [t["task"] for t in made if not t["reference"]],
        "wrong programs": total("wrong"),
        "caught by all tests": total("caught"),
        f"caught by the first {FIRST}": total("caught_first"),
        "right programs": total("right"),
        "right programs rejected": sum(len(t["rejected_right"]) for t in made),
    }


if __name__ == "__main__":
    sys.exit(main())
