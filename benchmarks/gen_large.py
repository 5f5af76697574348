"""Making tests for a large file: 28,000 problems in 2 GB. How soon work begins, and what codejury itself holds.

    python benchmarks/gen_large.py [--problems N] [--bytes N] [--seconds S] [--folder DIR]

The file is made first. `codejury gen --gen_index all` then works on it for --seconds, is interrupted as by Ctrl-C, and
looked at once more after the output has been filled up to all but the last twenty problems, as by a run of days: the
second run has to find its place behind all of them.

    begins      seconds from the start of the command to that of the first program, a generator
    first row   seconds to the first row in the output
    resident    the most that the command's own process held, as the kernel has it (VmHWM); programs in the sandbox have
                their own limits

Text goes to stderr as it comes, one JSON object to stdout at the end. Exit code 1: later than 2 s on the fresh file, or
400 MB or more at any time.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import IO, Any

BEGINS_S, RESIDENT_MB = 2.0, 400.0
LEFT = 20

GOLD = "n, *x = map(int, open(0).read().split())\nprint(sum(x))\n"
OTHER = "import sys\nwords = sys.stdin.read().split()\nprint(sum(int(word) for word in words[1:]))\n"
REGULAR = (
    "import random\nrandom.seed({seed})\nprint([f'{{n}}\\n' + ' '.join(str(random.randrange(10**6)) for _ in range(n))"
    " for n in range(1, 80)])\n"
)
CORNER = "print(['1\\n0', '1\\n-1000000', '2\\n1000000 -1000000'])\n"


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def row(number: int, size: int) -> dict[str, Any]:
    """Of about that many bytes, most of them in the statement and in a field that nobody knows."""
    made = {
        "custom_id": f"problem/{number}",
        "question": "The sum of n numbers. ",
        "solutions": [GOLD, OTHER],
        "input_generator": [REGULAR.format(seed=number), CORNER],
        "type": "stdin",
        "input_output": "",
        "time-limit": 2,
        "memory-limit": "256",
    }
    left = max(0, size - len(json.dumps(made)) - 40)
    made["question"] += "Constraints and a story \\(n \\le 10^6\\).\n" * (left // 2 // 41)
    made["editorial"] = 'ä line that nobody reads, with "quotes"\n' * (left // 2 // 49)
    return made


def write(path: Path, problems: int, size: int) -> None:
    with path.open("w") as file:
        for number in range(problems):
            file.write(json.dumps(row(number, size)) + "\n")


def resident_mb(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024
    return 0.0


def work(command: list[str], output: Path, seconds: float | None) -> dict[str, Any]:
    """Runs it, for some seconds or to its end."""
    before = output.stat().st_size if output.exists() else 0
    most_mb, first_row_s = 0.0, None
    since, since_time = time.monotonic(), time.time()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        while process.poll() is None:
            time.sleep(0.02)
            if first_row_s is None and output.exists() and output.stat().st_size > before:
                first_row_s = time.monotonic() - since
            try:
                most_mb = max(most_mb, resident_mb(process.pid))
            except (FileNotFoundError, ProcessLookupError):
                break
            if seconds is not None and time.monotonic() - since > seconds:
                seconds = None
                process.send_signal(signal.SIGINT)
    finally:
        process.kill()
    stream: IO[bytes] = process.stdout  # type: ignore[assignment]
    told = json.loads(stream.read() or b"{}")
    counts = told.get("counts", {})
    run = json.loads(output.with_suffix(".run.json").read_text())["runs"][-1]
    first = run["timings"].get("inputs")
    began = datetime.fromisoformat(run["started"]).timestamp() - since_time
    return {
        "begins_s": began + first["first_s"] if first else None,
        "first_row_s": first_row_s,
        "resident_mb": most_mb,
        "seconds": time.monotonic() - since,
        "exit_code": process.wait(),
        "made": counts.get("made"),
        "done_before": counts.get("done before"),
        "tests": counts.get("tests"),
    }


def fill(source: Path, output: Path, problems: int, left: int) -> None:
    """The output as a run would have it that has all but the last `left` problems. Tests are those of one row."""
    made = [json.loads(line) for line in output.read_text().splitlines()]
    done, added = {each["custom_id"] for each in made}, {key: made[0][key] for key in ("error_info", "reward")}
    with source.open() as lines, output.open("a") as file:
        for line in islice(lines, problems - left):
            each = json.loads(line)
            if each["custom_id"] not in done:
                file.write(json.dumps({**each, **added}) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", type=int, default=28_000)
    parser.add_argument("--bytes", type=int, default=2 << 30)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--folder", type=Path, default=None)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="codejury-gen-", dir=options.folder) as name:
        source, output = Path(name, "P.jsonl"), Path(name, "T.jsonl")
        write(source, options.problems, options.bytes // options.problems)
        size = source.stat().st_size
        say(f"{options.problems} problems, {size / 2**30:.2f} GB; load {os.getloadavg()[0]:.1f}")
        command = [sys.executable, "-m", "codejury.cli", "gen", "--input", str(source), "--output", str(output)]
        command += ["--gen_index", "all", "--json"]
        fresh = work(command, output, options.seconds)
        say(f"fresh: {fresh}")
        fill(source, output, options.problems, LEFT)
        grown = output.stat().st_size
        say(f"the output has {grown / 2**30:.2f} GB now")
        resumed = work(command, output, None)
        say(f"resumed: {resumed}")
        again = work(command, output, None)
        say(f"nothing left to do: {again}")
    told = {"problems": options.problems, "bytes": size, "output_bytes": grown, "fresh": fresh, "resumed": resumed}
    print(json.dumps({**told, "nothing_left": again}))
    held = max(each["resident_mb"] for each in (fresh, resumed, again))
    complete = (resumed["exit_code"], resumed["made"], again["made"]) == (0, LEFT, 0)
    begun = fresh["begins_s"] is not None and fresh["begins_s"] <= BEGINS_S
    return 0 if begun and held < RESIDENT_MB and complete else 1


if __name__ == "__main__":
    sys.exit(main())
