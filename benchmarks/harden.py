"""Tests made without a model, by `harden` and `select`: what they reject, and whether they are fair.

    python benchmarks/harden.py FOLDER [--only NAME] [--budget N] [--mutants N] [--seconds S]
                                       [--max-tests N] [--lone] [--json FILE]

FOLDER holds Kattis packages. Of each package the samples, the statement and every second one of the accepted
submissions (the golds) go in; its secret data stays hidden. A gold that is alone agrees with nobody: where there are
two accepted submissions, both are golds, or with --lone the first, so that there is another to try. Then:

    valid   share of the new inputs that the package's own input validators accept
    right   accepted submissions that were no golds and that all tests accept
    wrong   wrong_answer submissions that the tests reject; few: that the `select`ed 20 of them reject
    other   the same of the other wrong submissions, but those that are only slow

`select` sees mutants of the golds alone, so none of the programs that are scored. Where FOLDER has a labels.jsonl
({id, sub, keep}), submissions whose label does not hold (keep false) are left out. Exit code 1: less than 98 % of the
inputs are valid, less than 85 % of the wrong_answer submissions are rejected, a right one is, or `select` loses more
than a point.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
from inputs import judge_validity, share, sound, validators

from codejury.dataset.formats import kattis
from codejury.errors import CodejuryError
from codejury.judging.jury import Jury
from codejury.model import Problem, Submission
from codejury.testgen import harden, select


def rejected(jury: Jury, problem: Problem, programs: list[Submission]) -> dict[str, bool]:
    """By the program's id; one that cannot be judged here is not in it."""
    said = jury.judge_each(((each, problem) for each in programs), stop_on_first_failure=True)
    found = {}
    for each, result in zip(programs, said, strict=True):
        if isinstance(result, CodejuryError):
            print(f"  {problem.id} {each.id}: {result}", file=sys.stderr)
        else:
            found[each.id] = not result.accepted
    return found


def measure(jury: Jury, package: Path, options: argparse.Namespace) -> dict[str, Any]:
    problem = kattis.read(package)
    programs = sound(package)
    right = [each for each in programs if each.label == "success"]
    golds = right[::2] if options.lone or len(right) > 2 else right
    samples = [case for case in problem.cases if case.provenance.startswith("sample")]
    hidden = msgspec.structs.replace(problem, cases=samples, golds=tuple(golds))
    since = time.perf_counter()
    asked = harden.Options(
        budget=options.budget, seconds=options.seconds, max_tests=options.max_tests, mutants=options.mutants
    )
    hard = harden.harden(jury, hidden, asked).problem
    took_s = time.perf_counter() - since
    few, _ = select.select(jury, hard, select.Options(max_tests=20, mutants=options.mutants))
    new = [str(case.input) for case in hard.cases[len(samples) :]]
    said = judge_validity(jury.sandbox, package, new) if validators(package) else []
    wrong = {
        "wrong": [each for each in programs if each.label == "wrong_answer"],
        "other": [each for each in programs if each.label not in ("success", "wrong_answer", "time_limit_exceeded")],
    }
    by_all = {kind: rejected(jury, hard, each) for kind, each in wrong.items()}
    by_few = {kind: rejected(jury, few, each) for kind, each in wrong.items()}
    others = rejected(jury, hard, [each for each in right if each not in golds])
    return {
        "package": package.name,
        "tests": len(hard.cases),
        "few": len(few.cases),
        "seconds": round(took_s, 1),
        "golds": len(golds),
        "checked": len(said),
        "valid": sum(each is None for each in said),
        "right": len(others),
        "right_accepted": sum(not each for each in others.values()),
        **{kind: len(by_all[kind]) for kind in wrong},
        **{f"{kind}_rejected": sum(by_all[kind].values()) for kind in wrong},
        **{f"{kind}_by_few": sum(by_few[kind].values()) for kind in wrong},
        "survivors": [name for kind in wrong for name, out in by_all[kind].items() if not out],
        "unjust": [name for name, out in others.items() if out],
        "causes": Counter(each[:60] for each in said if each is not None).most_common(3),
    }


def line(row: dict[str, Any]) -> str:
    causes = "; ".join(f"{count} × {cause}" for cause, count in row["causes"])
    unjust = " ".join(f"REJECTED {name}" for name in row["unjust"])
    return (
        f"{row['package']:<24} {row['tests']:>5} {row['seconds']:>5.0f} {share(row['valid'], row['checked'])} "
        f"{row['right_accepted']:>3} of {row['right']:<3} {row['wrong_rejected']:>3} ({row['wrong_by_few']:>3}) of "
        f"{row['wrong']:<3} {row['other_rejected']:>3} ({row['other_by_few']:>3}) of {row['other']:<3} "
        f"{' '.join(row['survivors'])} {unjust} {causes}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", action="append")
    parser.add_argument("--budget", type=int, default=400)
    parser.add_argument("--mutants", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--max-tests", type=int, default=100)
    parser.add_argument("--lone", action="store_true", help="One gold of two.")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = []
    print(
        f"{'package':<24} tests  time valid  right      wrong (few)      other (few)      survivors / causes of misses"
    )
    with Jury(kept=None, run_only=True) as jury:
        for package in sorted(path for path in options.folder.iterdir() if kattis.is_package(path)):
            if options.only and package.name not in options.only:
                continue
            try:
                rows.append(measure(jury, package, options))
            except CodejuryError as error:
                print(f"{package.name:<24} not done: {error}", flush=True)
                continue
            print(line(rows[-1]), flush=True)
            if options.json:
                options.json.write_text(json.dumps(rows, indent=1))
    total = Counter[str]()
    for row in rows:
        total.update({key: value for key, value in row.items() if isinstance(value, int)})
    wrong, other = (
        f"{total[f'{kind}_rejected']} ({total[f'{kind}_by_few']}) of {total[kind]}" for kind in ("wrong", "other")
    )
    print(
        f"all: {len(rows)} packages, {total['tests']} tests, {share(total['valid'], total['checked']).strip()} % valid"
    )
    print(f"     right {total['right_accepted']} of {total['right']}; wrong_answer {wrong}; other {other}")
    scored = total["wrong"] + total["other"]
    lost = total["wrong_rejected"] + total["other_rejected"] - total["wrong_by_few"] - total["other_by_few"]
    good = total["valid"] >= 0.98 * total["checked"] and total["wrong_rejected"] >= 0.85 * total["wrong"]
    return 0 if good and total["right_accepted"] == total["right"] and lost <= 0.01 * scored else 1


if __name__ == "__main__":
    sys.exit(main())
