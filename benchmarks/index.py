"""Look-ups of tests by id in a file of a training set's size: how long to open, how long a look-up?

    python benchmarks/index.py [--problems 27965] [--tests 86] [--bytes 400] [--lookups 2000] [--processes 4]
                               [--directory DIR]

Makes a file of rows as `codejury gen` writes them, indexes it, and measures in processes of their own: opening, and
look-ups of random ids as Problems. The file goes to DIR, or to a temporary directory that is removed; --bytes is the
size of a test's input on average, so that the file has about problems × tests × bytes × 1.2 of them.

Text goes to stderr as it comes, one JSON object to stdout at the end. Exit code 1: opening took 50 ms or more, or the
median look-up 1 ms or more, or a look-up gave another problem's tests.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from codejury.dataset.index import TestIndex, build_index


def make(path: Path, problems: int, tests: int, size: int) -> None:
    dice = random.Random(4)
    # Tests are cut out of one long text of numbers: making each anew would take longer than all that is measured.
    numbers = " ".join(str(dice.randrange(10**9)) for _ in range(200_000))
    with path.open("w") as file:
        for number in range(problems):
            cases = []
            for _ in range(tests):
                length = min(int(dice.expovariate(1 / size)) + 8, 64 * size)
                at = dice.randrange(len(numbers) - length)
                cases.append({"input": f"{number}\n{numbers[at : at + length]}\n", "output": f"{at}\n"})
            row = {
                "custom_id": f"problem_{number}",
                "question": numbers[number : number + 1500],
                "solutions": [numbers[number : number + 1200]] * 2,
                "type": "stdin",
                "input_output": "",
                "time-limit": 2.0,
                "memory-limit": 256.0,
                "error_info": None,
                "reward": {"ground_truth": {"input_output": cases, "type": "stdin", "fn_name": None}},
            }
            file.write(json.dumps(row) + "\n")


def measure(given: tuple[Path, int, int, int, int]) -> dict[str, Any]:
    path, problems, tests, lookups, seed = given
    began = time.perf_counter()
    index = TestIndex(path)
    opened_s = time.perf_counter() - began
    dice = random.Random(seed)
    times, wrong = [], 0
    for _ in range(lookups):
        number = dice.randrange(problems)
        began = time.perf_counter()
        problem = index[f"problem_{number}"]
        times.append(time.perf_counter() - began)
        wrong += len(problem.cases) != tests or not problem.cases[-1].input.startswith(f"{number}\n")
    times.sort()
    return {
        "open_ms": opened_s * 1e3,
        "lookup_median_ms": statistics.median(times) * 1e3,
        "lookup_p99_ms": times[int(len(times) * 0.99)] * 1e3,
        "wrong": wrong,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", type=int, default=27965)
    parser.add_argument("--tests", type=int, default=86)
    parser.add_argument("--bytes", type=int, default=400)
    parser.add_argument("--lookups", type=int, default=2000)
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--directory", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.directory) as folder:
        path = Path(folder, "T.jsonl")
        make(path, options.problems, options.tests, options.bytes)
        print(f"{path}: {path.stat().st_size / 1e9:.2f} GB", file=sys.stderr)
        began = time.perf_counter()
        built = build_index(path)
        build_s = time.perf_counter() - began
        print(f"indexed in {build_s:.1f} s: {built.problems} problems, {built.tests} tests", file=sys.stderr)
        work = [(path, options.problems, options.tests, options.lookups, seed) for seed in range(options.processes)]
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            alone = pool.map(measure, work[:1])[0]
        with multiprocessing.get_context("spawn").Pool(options.processes) as pool:
            together = pool.map(measure, work, chunksize=1)
    result = {
        "problems": built.problems,
        "tests": built.tests,
        "source_bytes": built.source_bytes,
        "index_bytes": built.index_bytes,
        "build_s": round(build_s, 2),
        "alone": alone,
        "together": together,
    }
    print(json.dumps(result))
    good = alone["open_ms"] < 50 and alone["lookup_median_ms"] < 1
    return 0 if good and not any(each["wrong"] for each in [alone, *together]) else 1


if __name__ == "__main__":
    sys.exit(main())
