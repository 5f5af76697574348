"""Verdicts that evalplus recorded for a model's samples, against ours: strict (as evalplus scores) and default.

    python benchmarks/samples.py [--data FOLDER] [--mode strict|default|both] [--only humaneval|mbpp] [--limit N]
                                 [--work FOLDER]

FOLDER holds samples/*/{humaneval,mbpp}/generated.jsonl with generated_eval_results.json beside it, and the data that
they were judged by: humanevalplus/HumanEvalPlus.jsonl.gz and mbppplus/MbppPlus-v0.1.0.jsonl.gz; without --data it is
looked for in the folder CODEJURY_SHARED, under data. Verdicts are kept in --work: a run that was ended goes on there.

One JSON object goes to stdout: for each file of samples and mode the number of tasks, pass@1 of both, and every task
on which they differ, with what ours says of it.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from codejury.benchmarks.catalog import benchmark
from codejury.benchmarks.results import hash_of
from codejury.benchmarks.samples import Tasks, judge_samples, read_samples
from codejury.dataset.shelf import Shelf
from codejury.judging.jury import Jury

ROOT = Path(__file__).resolve().parent.parent
SETS = {
    "humaneval": ("humaneval_plus", "humanevalplus/HumanEvalPlus.jsonl.gz"),
    "mbpp": ("mbpp_plus", "mbppplus/MbppPlus-v0.1.0.jsonl.gz"),
}


def held(jury: Jury, folder: Path, data: Path, name: str, mode: str, limit: int | None, work: Path) -> dict[str, Any]:
    recorded = json.loads((folder / "generated_eval_results.json").read_text())["eval"]
    chosen = benchmark(name)
    peer = chosen.peer("function", hash_of(data)) if mode == "strict" else None
    differ: dict[str, Any] = {}
    ours = {"base": 0, "plus": 0}
    theirs = {"base": 0, "plus": 0}
    tasks_judged = 0
    errors: dict[str, str] = {}
    with Shelf(data) as shelf:
        tasks = Tasks(shelf, chosen, limit=limit)
        samples = read_samples(folder / "generated.jsonl", tasks)
        store = work / f"{folder.parent.name}-{folder.name}-{mode}.jsonl"
        for said in judge_samples(jury, chosen, tasks, samples, peer=peer, store=store):
            if said.error:
                errors[said.task_id] = said.error[:300]
                continue
            tasks_judged += 1
            (row,) = recorded[said.task_id]
            for subset in ("base", "plus"):
                status = said.subsets[subset].status
                there = row[f"{subset}_status"]
                ours[subset] += said.subsets["base"].status == status == "pass"
                theirs[subset] += row["base_status"] == there == "pass"
                if status != there:
                    told = said.subsets[subset]
                    differ.setdefault(said.task_id, {})[subset] = {
                        "evalplus": there,
                        "codejury": status,
                        "verdict": told.verdict,
                        "message": told.message[:200],
                        "input": repr(told.failed)[:200],
                    }
    return {
        "scoring": peer.peer if peer is not None else "codejury",
        "tasks": tasks_judged,
        "passed": {"evalplus": theirs, "codejury": ours},
        "not judged": errors,
        "differ": differ,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--mode", choices=["strict", "default", "both"], default="both")
    parser.add_argument("--only", choices=list(SETS))
    parser.add_argument("--limit", type=int)
    parser.add_argument("--workers", type=int)
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "codejury-samples")
    options = parser.parse_args()
    data = options.data or Path(os.environ.get("CODEJURY_SHARED") or ROOT.parent / "shared") / "data"
    folders = [
        folder for each in SETS for folder in sorted(data.glob(f"samples/*/{each}")) if options.only in (None, each)
    ]
    if not folders:
        sys.exit(f"{data}: expected samples/*/humaneval or samples/*/mbpp: give the folder with --data")
    options.work.mkdir(parents=True, exist_ok=True)
    found: dict[str, Any] = {}
    with Jury(workers=options.workers, kept=0) as jury:
        for folder in folders:
            name, file = SETS[folder.name]
            for mode in ["strict", "default"] if options.mode == "both" else [options.mode]:
                key = f"{folder.parent.name} {folder.name} {mode}"
                print(key, file=sys.stderr, flush=True)
                found[key] = held(jury, folder, data / file, name, mode, options.limit, options.work)
    print(json.dumps(found, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
