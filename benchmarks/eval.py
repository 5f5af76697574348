"""All references of MBPP+ with all plus tests: codejury against evalplus, the same worker count, in turns.

    python benchmarks/eval.py [--data FOLDER] [--workers N] [--rounds 3] [--limit N] [--form script|calls|both]
                              [--venv FOLDER]

FOLDER holds MbppPlus.jsonl.gz (evalplus' form) and MbppPlus-OriginFmt.jsonl.gz (test scripts); without --data it is
looked for in the folder CODEJURY_SHARED, under data/mbppplus. evalplus is installed from PyPI into a virtual
environment of its own, which is kept (--venv) for the next time; it gets the data by its override path.

What is measured is the evaluation alone, from the samples' file to the last verdict: evalplus with its modules imported
and its expected outputs computed and cached before, codejury with its modules imported; workers are started within the
time. What the references answer to calls is kept on disk as evalplus keeps it: the first round computes it where the
cache is empty. Ours in two forms: `script`, MBPP+ as its test scripts (base asserts and plus script), and `calls`, with
expected values outside the process.

Seconds on the clock say what a user waits, and hold where nobody else uses the machine. CPU seconds, of all processes
together, hold on a busy one too.

One JSON object goes to stdout: seconds of each round, the ratios of the medians, the load of the machine, and each task
on whose verdict they differ.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path
from typing import Any

from codejury.benchmarks.catalog import benchmark
from codejury.benchmarks.samples import Tasks, format_of_data, judge_samples, read_samples
from codejury.dataset.shelf import Shelf
from codejury.judging.jury import Jury

ROOT = Path(__file__).resolve().parent.parent
CALLS, SCRIPTS = "MbppPlus.jsonl.gz", "MbppPlus-OriginFmt.jsonl.gz"
# Runs in the peer's environment. Its process pool forks, so the work stands under __main__.
PEER = """
import json, os, sys, time
from evalplus.evaluate import evaluate
if __name__ == "__main__":
    since, before = time.perf_counter(), sum(os.times()[:4])
    evaluate("mbpp", samples=sys.argv[1], parallel=int(sys.argv[2]))
    with open(sys.argv[3], "w") as file:
        json.dump([time.perf_counter() - since, sum(os.times()[:4]) - before], file)
"""


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def folder_of(given: Path | None) -> Path:
    found = given or Path(os.environ.get("CODEJURY_SHARED") or ROOT.parent / "shared") / "data" / "mbppplus"
    for name in (CALLS, SCRIPTS):
        if not (found / name).is_file():
            sys.exit(f"{found}: expected {name}: give the folder with --data, or set CODEJURY_SHARED")
    return found


def peer_python(folder: Path) -> Path:
    python = folder / "bin" / "python"
    if not python.exists():
        say(f"making {folder}")
        venv.create(folder, with_pip=True)
    installed = subprocess.run([python, "-c", "import evalplus.evaluate"], capture_output=True)
    if installed.returncode:
        say("installing evalplus")
        subprocess.run([python, "-m", "pip", "install", "--quiet", "evalplus"], check=True)
    return python


def limited(folder: Path, work: Path, limit: int | None) -> tuple[Path, Path]:
    """The data, or the first tasks of it."""
    made = []
    for name in (CALLS, SCRIPTS):
        path = folder / name
        if limit is not None:
            lines = gzip.decompress(path.read_bytes()).decode().splitlines()[:limit]
            path = work / name.removesuffix(".gz")
            path.write_text("\n".join(lines) + "\n")
        made.append(path)
    return made[0], made[1]


def rows(path: Path) -> list[dict[str, Any]]:
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode()
    return [json.loads(line) for line in text.splitlines()]


def references(data: Path, to: Path) -> Path:
    with to.open("w") as file:
        for row in rows(data):
            sample = {"task_id": row["task_id"], "solution": row["prompt"] + row["canonical_solution"]}
            file.write(json.dumps(sample) + "\n")
    return to


Taken = tuple[float, float]  # on the clock, and CPU


def ours(data: Path, samples: Path, workers: int) -> tuple[Taken, dict[str, tuple[str, str]]]:
    chosen = benchmark("mbpp_plus")
    since, before = time.perf_counter(), sum(os.times()[:4])
    said: dict[str, tuple[str, str]] = {}
    with Shelf(data, format=format_of_data(chosen, data)) as shelf, Jury(workers=workers, kept=0) as jury:
        tasks = Tasks(shelf, chosen)
        given = read_samples(samples, tasks)
        for each in judge_samples(jury, chosen, tasks, given):
            found = tuple(
                each.subsets[name].status if name in each.subsets else each.error for name in ("base", "plus")
            )
            said[each.task_id.rpartition("/")[2]] = (found[0], found[1])
        took = time.perf_counter() - since
    return (took, sum(os.times()[:4]) - before), said  # CPU of the workers is known when they are gone


def theirs(
    python: Path, data: Path, samples: Path, workers: int, work: Path
) -> tuple[Taken, dict[str, tuple[str, str]]]:
    results = samples.with_name(samples.name.replace(".jsonl", "_eval_results.json"))
    results.unlink(missing_ok=True)
    script, told = work / "peer.py", work / "peer.json"
    script.write_text(PEER)
    environment = {**os.environ, "MBPP_OVERRIDE_PATH": str(data), "XDG_CACHE_HOME": str(work / "cache")}
    command = [str(python), str(script), str(samples), str(workers), str(told)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"evalplus failed: {done.stderr[-2000:]}")
    said = {
        task.rpartition("/")[2]: (given[0]["base_status"], given[0]["plus_status"])
        for task, given in json.loads(results.read_text())["eval"].items()
    }
    took = json.loads(told.read_text())
    return (took[0], took[1]), said


def ratio(seconds: dict[str, list[float]], form: str) -> float:
    return round(statistics.median(seconds["evalplus"]) / statistics.median(seconds[form]), 2)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--form", choices=["script", "calls", "both"], default="both")
    parser.add_argument("--venv", type=Path, default=Path(tempfile.gettempdir()) / "codejury-evalplus")
    options = parser.parse_args()
    folder = folder_of(options.data)
    python = peer_python(options.venv)
    forms = ["script", "calls"] if options.form == "both" else [options.form]
    taken: dict[str, list[Taken]] = {name: [] for name in (*forms, "evalplus")}
    verdicts: dict[str, dict[str, tuple[str, str]]] = {}
    load = []
    with tempfile.TemporaryDirectory() as made:
        work = Path(made)
        calls, scripts = limited(folder, work, options.limit)
        samples = references(calls, work / "references.jsonl")
        say("evalplus once, for its expected outputs")
        theirs(python, calls, samples, options.workers, work)
        for number in range(options.rounds):
            for form in forms:
                took, verdicts[form] = ours(scripts if form == "script" else calls, samples, options.workers)
                taken[form].append(took)
            took, verdicts["evalplus"] = theirs(python, calls, samples, options.workers, work)
            taken["evalplus"].append(took)
            load.append(round(os.getloadavg()[0], 2))
            words = (f"{name} {each[-1][0]:.1f} s, CPU {each[-1][1]:.1f} s" for name, each in taken.items())
            say(f"round {number + 1}: " + "; ".join(words))
    clock, cpu = ({name: [each[at] for each in some] for name, some in taken.items()} for at in (0, 1))
    told = {
        "tasks": len(verdicts["evalplus"]),
        "workers": options.workers,
        "seconds": {name: [round(each, 2) for each in some] for name, some in clock.items()},
        "cpu_seconds": {name: [round(each, 2) for each in some] for name, some in cpu.items()},
        "times faster": {form: ratio(clock, form) for form in forms},
        "times less CPU": {form: ratio(cpu, form) for form in forms},
        "load": load,
        "differ": {
            form: {
                task: {"ours": verdicts[form].get(task), "evalplus": said}
                for task, said in verdicts["evalplus"].items()
                if verdicts[form].get(task) != said
            }
            for form in forms
        },
    }
    print(json.dumps(told, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
