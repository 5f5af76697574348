"""How well a model does at synthesis: of the example problems, how many get a valid generator in which round, and how
many a checker and a validator that are trusted.

    python benchmarks/synth.py FOLDER --model M --api-url URL [--problems a,b] [--part generators] [-- OPTIONS OF SYNTH]

FOLDER keeps rows and exchanges: a run that was interrupted goes on. Three parts, each with what the model is to write
taken out of the rows: `generators` (regular and corner), `checkers` (of the problems that have one; inputs by the row's
own generators) and `validators`. One JSON object goes to stdout. A live run is slow, and its figures are the model's.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from codejury.cli.synth import synth

EXAMPLES = Path(__file__).resolve().parent.parent / "examples" / "problems.jsonl"
PARTS = ("generators", "checkers", "validators")


def rows_for(part: str, wanted: set[str]) -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in EXAMPLES.read_text().splitlines()]
    rows = [row for row in rows if not wanted or row["custom_id"] in wanted]
    if part == "generators":
        return [{name: value for name, value in row.items() if name != "input_generator"} for row in rows]
    field = "checker" if part == "checkers" else "input_validator"
    stdin = [row for row in rows if row.get(field) and row["type"] == "stdin"]
    return [{name: value for name, value in row.items() if name != field} for row in stdin]


def by_round(rows: list[dict[str, Any]], kind: str) -> dict[str, int]:
    """In which round there was the first generator without a fault; `with faults`: only such as give some tests."""
    found: Counter[str] = Counter()
    for row in rows:
        faults = row["synthesis"]["rounds"].get(kind, [])
        stage = f"generator {kind}"
        kept = any(each.get("stage") == stage for each in row["synthesis"].get("generators", []))
        if "" in faults:
            found[f"round {faults.index('') + 1}"] += 1
        else:
            found["with faults" if kept else "none"] += 1
    return dict(sorted(found.items()))


def figures(part: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    told: dict[str, Any] = {"problems": len(rows), "questions": sum(len(row["synthesis"]["steps"]) for row in rows)}
    told["states"] = Counter(row["synthesis"]["state"] for row in rows)
    if part == "generators":
        for kind in ("regular", "corner"):
            told[kind] = by_round(rows, kind)
            told[f"{kind} faults"] = Counter(
                fault or "good" for row in rows for fault in row["synthesis"]["rounds"].get(kind, [])
            )
        return told
    name = part.removesuffix("s")
    accounts = {row["custom_id"]: row["synthesis"].get(name, {}) for row in rows}
    told["trusted by round"] = dict(
        sorted(Counter(f"round {each['rounds']}" for each in accounts.values() if each.get("trusted")).items())
    )
    told["not trusted"] = {key: each.get("why", "") for key, each in accounts.items() if not each.get("trusted")}
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--model", required=True)
    parser.add_argument("--api-url", required=True)
    parser.add_argument("--problems", default="")
    parser.add_argument("--part", choices=PARTS, action="append")
    words = sys.argv[1:]
    own = words.index("--") if "--" in words else len(words)  # what comes after is for synth
    given = parser.parse_args(words[:own])
    given.folder.mkdir(parents=True, exist_ok=True)
    told = {}
    for part in given.part or PARTS:
        source, output = given.folder / f"{part}.in.jsonl", given.folder / f"{part}.jsonl"
        rows = rows_for(part, set(filter(None, given.problems.split(","))))
        source.write_text("".join(json.dumps(row) + "\n" for row in rows))
        arguments = ["--input", source, "--output", output, "--exchanges", given.folder / "exchanges", "--only", part]
        arguments += ["--model", given.model, "--api-url", given.api_url, *words[own + 1 :]]
        arguments += ["--checkers", "always"] if part == "checkers" else []
        try:
            synth.main([str(each) for each in arguments], standalone_mode=False)
        except SystemExit as ended:
            if ended.code not in (0, 3):
                raise
        told[part] = figures(part, [json.loads(line) for line in output.read_text().splitlines()])
    print(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()
