"""Making tests: `codejury gen` beside the procedure that it replaces, done bare, in one run.

    python benchmarks/gen.py [--rows FILE] [--inputs N] [--all-golds] [--copies N]

The original's procedure: the generator; the first solution on each input it printed, one after another; the last
solution on each, one after another, compared. Here that is done with bare processes and no sandbox at all, programs
compiled with the same flags. `codejury gen --quorum first-last` asks the same of the same golds, as a command from its
start to its end, with an empty cache of compiled programs. --all-golds also takes the time of the default, which asks
every gold of the row, and one of them twice.

--inputs N takes the first N inputs of the generator alone, for both. --copies N: the row N times, under N names, as a
file of many rows would be; both do all of them.

Rows come from Klear's published sample, `data/klear/sample.jsonl` in the folder CODEJURY_SHARED. Text goes to stderr
as it comes, one JSON object to stdout at the end. Exit code 1: less than five times as fast, other outputs, or less
than nine tenths of the cores in use while golds run. Both figures about cores are taken between the begin of the
first gold's run and the end of the last one's (T.run.json has both), at twenty moments a second. `wanted` is the
share of the cores that processes of ours were on, or ready for: that holds on a machine that others use too, and is
what has to be nine tenths. `busy` is the share that was not idle, whoever used it (/proc/stat).
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from datetime import datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FLAGS = ["-std=gnu++17", "-O2", "-pipe", "-w", "-DONLINE_JUDGE"]
ENOUGH = 5.0
BUSY = 0.9


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def program(source: str, folder: Path, name: str) -> list[str]:
    """How to start it; compiled where it is C++."""
    if "#include" not in source:
        file = folder / f"{name}.py"
        file.write_text(source)
        return [sys.executable, str(file)]
    file = folder / f"{name}.cpp"
    file.write_text(source)
    subprocess.run(["g++", *FLAGS, "-o", str(folder / name), str(file)], check=True)
    return [str(folder / name)]


def bare(row: dict[str, Any], folder: Path) -> tuple[float, dict[str, str]]:
    """Seconds, and the outputs on which both agree."""
    since = time.perf_counter()
    made = subprocess.run(program(row["input_generator"][0], folder, "generator"), capture_output=True, check=True)
    inputs = ast.literal_eval(made.stdout.decode())
    first = program(row["solutions"][0], folder, "first")
    last = program(row["solutions"][-1], folder, "last")
    outputs = [run(first, text) for text in inputs]
    agreed = {}
    for text, output in zip(inputs, outputs, strict=True):
        if run(last, text).split() == output.split():
            agreed[text] = output
    return time.perf_counter() - since, agreed


def run(command: list[str], text: str) -> str:
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


class Cores:
    """How busy the cores are, and how many of our processes want one, looked at while a command runs."""

    EVERY_S = 0.05

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._cores = len(os.sched_getaffinity(0))
        self._seen: list[tuple[float, int, int, int]] = []  # time, idle ticks, all ticks, ours that run or are ready
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def _look(self) -> None:
        while True:
            with open("/proc/stat") as file:
                ticks = [int(word) for word in file.readline().split()[1:9]]
            self._seen.append((time.time(), ticks[3] + ticks[4], sum(ticks), ready(self._pid)))
            if self._over.wait(self.EVERY_S):
                return

    def __enter__(self) -> Cores:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def use(self, since: float, until: float) -> tuple[float, float]:
        """Wanted and busy, between two moments."""
        within = [each for each in self._seen if since <= each[0] <= until]
        (_, idle, ticks, _), (_, idle_after, ticks_after, _) = within[0], within[-1]
        wanted = sum(min(ours, self._cores) for *_, ours in within) / len(within) / self._cores
        return wanted, 1 - (idle_after - idle) / max(1, ticks_after - ticks)


def ready(pid: int) -> int:
    """Threads of a process and of all below it that are on a core or ready for one."""
    count = 0
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            state = task.joinpath("stat").read_bytes().rpartition(b") ")[2][:1]
            count += state == b"R"
            count += sum(ready(int(child)) for child in task.joinpath("children").read_text().split())
    return count


def ours(rows: Path, folder: Path, *options: str) -> tuple[float, tuple[float, float], dict[str, str]]:
    """Seconds, cores wanted and busy while golds ran, and the tests."""
    output = folder / f"T{len(list(folder.iterdir()))}.jsonl"
    command = [sys.executable, "-m", "codejury.cli", "gen", "--input", str(rows), "--output", str(output), "--quiet"]
    cache = tempfile.mkdtemp(dir=folder)
    since = time.perf_counter()
    process = subprocess.Popen(
        [*command, *options], stdout=subprocess.DEVNULL, env={**os.environ, "CODEJURY_CACHE": cache}
    )
    with Cores(process.pid) as cores:
        code = process.wait()
        seconds = time.perf_counter() - since
    if code != 0:
        raise SystemExit(f"codejury gen ended with {code}")
    made = [json.loads(line) for line in output.read_text().splitlines()]
    found = [
        {test["input"]: test["output"] for test in each["reward"]["ground_truth"]["input_output"]} for each in made
    ]
    assert all(each == found[0] for each in found), "copies of a row have the same tests"
    (run,) = json.loads(output.with_suffix(".run.json").read_text())["runs"]
    began = datetime.fromisoformat(run["started"]).timestamp()
    golds = run["timings"]["outputs"]
    last_s = run["timings"].get("steady", golds)["last_s"]
    return seconds, cores.use(began + golds["first_s"], began + last_s), found[0]


def main() -> int:
    shared = Path(os.environ.get("CODEJURY_SHARED") or ROOT.parent / "shared")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=Path, default=shared / "data" / "klear" / "sample.jsonl")
    parser.add_argument("--inputs", type=int, default=None)
    parser.add_argument("--all-golds", action="store_true")
    parser.add_argument("--copies", type=int, default=1)
    options = parser.parse_args()
    if not options.rows.exists():
        say(f"{options.rows} is not there: name a file of one row with --rows")
        return 2
    row = json.loads(options.rows.read_text().splitlines()[0])
    if options.inputs is not None:
        cut = f"\nprint(_printed.getvalue() and repr(ast.literal_eval(_printed.getvalue())[:{options.inputs}]))\n"
        row["input_generator"] = [
            "import ast, contextlib, io\n_printed = io.StringIO()\nwith contextlib.redirect_stdout(_printed):\n"
            f"    exec({row['input_generator'][0]!r}, {{'__name__': '__main__'}})" + cut
        ]
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="codejury-gen-") as name:
        folder = Path(name)
        rows = folder / "P.jsonl"
        rows.write_text("".join(json.dumps({**row, "custom_id": f"{n}"}) + "\n" for n in range(options.copies)))
        say(f"load {load:.1f} on {len(os.sched_getaffinity(0))} cores")
        seconds, (wanted, busy), tests = ours(rows, folder, "--quorum", "first-last")
        cores = f"cores {wanted:.0%} wanted, {busy:.0%} busy"
        say(f"codejury gen, first and last gold: {seconds:.1f} s, {len(tests)} tests, {cores}")
        told: dict[str, Any] = {"load": load, "seconds": seconds, "cores_wanted": wanted, "cores_busy": busy}
        told["tests"] = len(tests)
        if options.all_golds:
            all_seconds, (all_wanted, all_busy), all_tests = ours(rows, folder)
            cores = f"cores {all_wanted:.0%} wanted, {all_busy:.0%} busy"
            say(f"codejury gen, every gold: {all_seconds:.1f} s, {len(all_tests)} tests, {cores}")
            told |= {"all_golds_seconds": all_seconds, "all_golds_tests": len(all_tests)}
            told |= {"all_golds_cores_wanted": all_wanted, "all_golds_cores_busy": all_busy}
        bare_seconds, agreed = bare(row, folder)
        for _ in range(1, options.copies):
            bare_seconds += bare(row, folder)[0]
        times = bare_seconds / seconds
        say(f"one after another, bare: {bare_seconds:.1f} s, {len(agreed)} different inputs; {times:.1f} times as long")
    same = {text: out.split() for text, out in tests.items()} == {text: out.split() for text, out in agreed.items()}
    print(json.dumps({**told, "bare_seconds": bare_seconds, "times": times, "same_outputs": same}))
    return 0 if same and times >= ENOUGH and wanted >= BUSY else 1


if __name__ == "__main__":
    sys.exit(main())
