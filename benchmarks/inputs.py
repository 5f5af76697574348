"""Input texts made without a model: how many are valid, and how many wrong programs they reject.

    python benchmarks/inputs.py FOLDER [--only NAME] [--texts N] [--seed S] [--max-bytes B] [--json FILE]
                                       [--validity]

FOLDER holds Kattis packages. Of each package the sample inputs and the statement go in, nothing else; N texts come
out of all methods in turn. Then:

    raw     share of the texts that the package's own input validators accept, with the flags of any of its groups
    kept    texts that may be used with no validator: the accepted submissions (all that run here) agree on the output
    valid   share of the kept that the validators accept
    wrong   wrong_answer submissions that samples and kept texts reject; other: the rest of the wrong submissions

Where FOLDER has a labels.jsonl ({id, sub, keep}), submissions whose label does not hold (keep false) are left out.
Everything runs in codejury's sandbox; checktestdata scripts are interpreted (checktestdata.py). Exit code 1: less than
98 % of the kept texts are valid, or less than 85 % of the wrong_answer submissions are rejected.
"""

from __future__ import annotations

import argparse
import itertools
import json
import shlex
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import checktestdata
import msgspec
import yaml

from codejury import Sandbox
from codejury.checkers.program import CHECKER_LIMITS
from codejury.dataset.formats import kattis
from codejury.errors import CodejuryError, UsageError
from codejury.judging.jury import Jury
from codejury.languages.execute import Job
from codejury.model import Limits, Problem, Submission, TestCase
from codejury.mutation.inputs import Texts, infer

ENDINGS = {"py": "python", "cpp": "cpp", "cc": "cpp", "c": "c", "java": "java"}
GOLDS = 4  # beside the first
WORDS = 60


class Validator(msgspec.Struct):
    script: str = ""
    source: str = ""
    language: str = ""
    files: dict[str, bytes] = {}


def validators(package: Path) -> list[Validator]:
    found = []
    folder = package / "input_validators"
    for entry in sorted(folder.iterdir()) if folder.is_dir() else []:
        files = sorted(file for file in entry.rglob("*") if file.is_file()) if entry.is_dir() else [entry]
        main = next((file for file in files if file.suffix[1:] in ENDINGS), None)
        if entry.suffix == ".ctd":
            found.append(Validator(script=entry.read_text()))
        elif main is not None:
            others = {file.name: file.read_bytes() for file in files if file != main}
            found.append(Validator(source=main.read_text(), language=ENDINGS[main.suffix[1:]], files=others))
    return found


def flags(package: Path) -> list[tuple[str, ...]]:
    """The flags of all groups, those of the last first: it is most often the one without further limits."""
    found = [()]
    for file in sorted((package / "data").rglob("testdata.yaml")):
        said = (yaml.safe_load(file.read_text()) or {}).get("input_validator_flags")
        if said:
            found.append(tuple(shlex.split(str(said), posix=False)))
    return list(dict.fromkeys(found[::-1]))


def judge_validity(sandbox: Sandbox, package: Path, texts: list[str]) -> list[str | None]:
    """For each text None, or what the validator said; with no validator nobody objects."""
    said: list[str | None] = [None] * len(texts)
    for validator in validators(package):
        if validator.script:
            for at, text in enumerate(texts):
                if not checktestdata.accepts(validator.script, text):
                    said[at] = "checktestdata"
            continue
        left = {at: "" for at in range(len(texts)) if said[at] is None}
        for args in flags(package):
            order = list(left)
            jobs = [
                Job(
                    source=validator.source, language=validator.language, files=validator.files, stdin=texts[at],
                    args=args, limits=CHECKER_LIMITS,
                )
                for at in order
            ]  # fmt: skip
            for at, outcome in zip(order, sandbox.run_many(jobs), strict=True):
                if outcome.exit_code == 42:
                    del left[at]
                else:
                    words = (outcome.stderr or outcome.stdout).decode(errors="replace").strip().splitlines()
                    left[at] = left[at] or (words[-1] if words else str(outcome.status))
        for at, words in left.items():
            said[at] = words
    return said


def sound(package: Path) -> list[Submission]:
    """The submissions whose labels hold."""
    file = package.parent / "labels.jsonl"
    bad = set()
    if file.is_file():
        for row in map(json.loads, file.read_text().splitlines()):
            if row["id"] == package.name and not row["keep"]:
                bad.add(row["sub"].removeprefix("submissions/"))
    return [each for each in kattis.submissions(package) if each.id not in bad]


def measure(jury: Jury, package: Path, options: argparse.Namespace) -> dict[str, Any]:
    problem = kattis.read(package)
    samples = [file.read_text() for file in sorted((package / "data" / "sample").glob("*.in"))]
    since = time.perf_counter()
    format = infer(samples, statement=problem.statement)
    inferred_s = time.perf_counter() - since
    source = Texts(format, samples, seed=options.seed, max_bytes=options.max_bytes)
    texts = list(itertools.islice(source.mixed(), options.texts))
    made_s = time.perf_counter() - since - inferred_s
    said = judge_validity(jury.sandbox, package, texts)
    all_of = [] if options.validity else sound(package)
    kept, outputs, golds = agreed(jury, problem, [each for each in all_of if each.label == "success"], samples + texts)
    new = [at - len(samples) for at in kept if at >= len(samples)]
    cases = [TestCase(input=(samples + texts)[at], output=outputs[at]) for at in kept]
    judged = msgspec.structs.replace(problem, cases=cases)
    survivors: dict[str, list[str]] = {"wrong_answer": [], "other": []}
    numbers = Counter[str]()
    wrong = [each for each in all_of if each.label not in ("success", "time_limit_exceeded")]
    for each in wrong if cases else []:
        try:
            result = jury.judge(each, judged, stop_on_first_failure=True)
        except CodejuryError as error:
            print(f"  {package.name} {each.id}: {error}", file=sys.stderr)
            continue
        kind = "wrong_answer" if each.label == "wrong_answer" else "other"
        numbers[kind] += 1
        if result.accepted:
            survivors[kind].append(each.id)
    return {
        "package": package.name,
        "texts": len(texts),
        "inferred_s": round(inferred_s, 2),
        "made_s": round(made_s, 2),
        "has_validator": bool(validators(package)),
        "raw_valid": sum(each is None for each in said),
        "kept": len(new),
        "kept_valid": sum(said[at] is None for at in new),
        "golds": golds,
        "wrong": numbers["wrong_answer"],
        "rejected": numbers["wrong_answer"] - len(survivors["wrong_answer"]),
        "other": numbers["other"],
        "other_rejected": numbers["other"] - len(survivors["other"]),
        "survivors": survivors["wrong_answer"] + survivors["other"],
        "causes": Counter(each[:WORDS] for each in said if each is not None).most_common(3),
        "format": format.describe(),
    }


def agreed(
    jury: Jury, problem: Problem, golds: list[Submission], texts: list[str]
) -> tuple[list[int], dict[int, str], int]:
    """The texts on which all golds agree, by the problem's own comparison, and the first one's outputs."""
    limits = problem.limits or Limits()
    outputs: dict[int, str] = {}
    first = None
    for each in golds:
        try:
            jobs = [
                Job(source=each.source, language=each.language, files=each.files, stdin=text, limits=limits)
                for text in texts
            ]
            outcomes = list(jury.sandbox.run_many(jobs))
        except UsageError:
            continue
        ended = [(at, outcome) for at, outcome in enumerate(outcomes) if outcome.status == "ok"]
        outputs = {at: outcome.stdout.decode(errors="replace") for at, outcome in ended}
        if len(outputs) > 0:
            first = each
            break
    kept = sorted(outputs)
    asked = 0
    for each in golds:
        # With a checker the first one's own outputs are looked at too: on an illegal input they may be no answer.
        if (each is first and problem.checker is None) or asked >= GOLDS or not kept:
            continue
        good = [at for at, fine in zip(kept, passes(jury, problem, each, texts, outputs, kept), strict=True) if fine]
        if good:
            kept, asked = good, asked + 1
    return kept, outputs, asked + (problem.checker is None)


def passes(
    jury: Jury, problem: Problem, gold: Submission, texts: list[str], outputs: dict[int, str], kept: list[int]
) -> list[bool]:
    """For each kept text, whether the gold's answer is accepted. A checker that fails on a text accepts nothing; what
    fails on all of them (a language that is not here) says nothing."""
    problems = [msgspec.structs.replace(problem, cases=[TestCase(input=texts[at], output=outputs[at])]) for at in kept]
    said = list(jury.judge_each([(gold, each) for each in problems]))
    if all(isinstance(each, CodejuryError) for each in said):
        return [False] * len(kept)
    return [not isinstance(each, CodejuryError) and each.accepted for each in said]


def share(part: int, whole: int) -> str:
    return f"{100 * part / whole:5.1f}" if whole else "    -"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", action="append")
    parser.add_argument("--texts", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--max-bytes", type=int, default=100_000)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--validity", action="store_true", help="raw validity alone: no submission runs")
    options = parser.parse_args()
    rows = []
    print(f"{'package':<24} texts   raw  kept valid golds  wrong     other     survivors / causes of misses")
    with Jury() as jury:
        for package in sorted(path for path in options.folder.iterdir() if kattis.is_package(path)):
            if options.only and package.name not in options.only:
                continue
            row = measure(jury, package, options)
            rows.append(row)
            if not row["has_validator"]:
                row["causes"] = [("no input validator: not in the validity of all", row["texts"])]
            causes = "; ".join(f"{count} × {cause}" for cause, count in row["causes"])
            print(
                f"{row['package']:<24} {row['texts']:>5} {share(row['raw_valid'], row['texts'])} {row['kept']:>5} "
                f"{share(row['kept_valid'], row['kept'])} {row['golds']:>5} {row['rejected']:>3} of {row['wrong']:<3} "
                f"{row['other_rejected']:>2} of {row['other']:<3} {' '.join(row['survivors'])} {causes}",
                flush=True,
            )
    total = Counter[str]()
    for row in rows:  # where there is no validator, nothing is known of validity
        counted = ("wrong", "rejected", "other", "other_rejected")
        counted += ("texts", "raw_valid", "kept", "kept_valid") if row["has_validator"] else ()
        total.update({key: row[key] for key in counted})
    print(
        f"{'all':<24} {total['texts']:>5} {share(total['raw_valid'], total['texts'])} {total['kept']:>5} "
        f"{share(total['kept_valid'], total['kept'])}        {total['rejected']} of {total['wrong']} "
        f"({share(total['rejected'], total['wrong']).strip()} %)  {total['other_rejected']} of {total['other']} "
        f"({share(total['other_rejected'], total['other']).strip()} %)"
    )
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))
    good = total["kept_valid"] >= 0.98 * total["kept"] and total["rejected"] >= 0.85 * total["wrong"]
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
