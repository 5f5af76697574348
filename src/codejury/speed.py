"""How fast this host runs programs: codejury against bare execution and the peers that are installed.

Owns the measurement behind `codejury bench`. The ways take turns in every round, so that what the machine does
meanwhile falls on all of them alike; between two turns there is a moment's rest, so that nobody pays for what the one
before still had to clear away, or to make ready. The figure is the median, and what counts is the ratio. What a run
costs in all, made ready and cleared away, shows in the runs per second.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec

from codejury.errors import InternalError
from codejury.languages import compiled, toolchain
from codejury.languages.execute import Job, Sandbox
from codejury.sandbox import interpreter, peers

_PYTHON = "a, b = map(int, input().split())\nprint(a + b)\n"
_CPP = "#include <iostream>\nint main() { long a, b; std::cin >> a >> b; std::cout << a + b << '\\n'; }\n"
_REST_S = 0.01
_INPUT, _EXPECTED = b"20 22\n", b"42\n"


class Way(msgspec.Struct):
    """One way of running one program."""

    name: str
    median_ms: float
    ratio_to_bare: float
    failed: str = ""


class Throughput(msgspec.Struct):
    """Runs per second with all workers busy. `bare_ratio`: what bare execution gains by as many at a time instead of
    one, which is what this host has to give; cores that are halves of one core give less than their number."""

    program: str
    one_worker: float
    all_workers: float
    workers: int
    ratio: float
    bare_ratio: float = 0.0


class Speed(msgspec.Struct):
    level: str
    runs: int
    python: list[Way]
    cpp: list[Way]
    throughput: list[Throughput]


def _checked(output: bytes, name: str) -> None:
    if output != _EXPECTED:
        raise InternalError(f"{name} printed {output!r} instead of {_EXPECTED!r}")


def _rounds(ways: dict[str, Callable[[], bytes]], runs: int, progress: Callable[[int], None]) -> list[Way]:
    times: dict[str, list[float]] = {name: [] for name in ways}
    failed: dict[str, str] = {}
    for way, call in ways.items():  # one to warm up, and to find out who works at all
        try:
            _checked(call(), way)
        except OSError as error:
            failed[way] = str(error)
    names = [name for name in ways if name not in failed]
    for number in range(runs):
        shift = number % len(names)
        for name in names[shift:] + names[:shift]:
            start = time.perf_counter()
            output = ways[name]()
            times[name].append(time.perf_counter() - start)
            time.sleep(_REST_S)
            _checked(output, name)
        progress(1)
    bare = statistics.median(times["bare"])
    return [
        Way(name, 0.0, 0.0, failed[name])
        if name in failed
        else Way(name, statistics.median(times[name]) * 1e3, statistics.median(times[name]) / bare)
        for name in ways
    ]


def _per_second(call: Callable[[], bytes], workers: int, runs: int) -> float:
    """Each worker is kept busy by a thread of its own."""

    def serve(_: int) -> None:
        for _ in range(runs):
            _checked(call(), "codejury")

    with ThreadPoolExecutor(workers) as threads:
        list(threads.map(lambda _: _checked(call(), "codejury"), range(2 * workers)))
        start = time.perf_counter()
        list(threads.map(serve, range(workers)))
        return workers * runs / (time.perf_counter() - start)


def _throughput(
    program: str, job: Job, bare: Callable[[], bytes], one: Sandbox, every: Sandbox, runs: int
) -> Throughput:
    # In turns, and the median of what each turn gained: a shared host is faster now and slower then by a third, for
    # seconds at a time, which must not pass for our own scaling.
    ways: tuple[tuple[Callable[[], bytes], int, int], ...] = (
        (lambda: one.run_job(job).stdout, 1, 2 * runs),
        (lambda: every.run_job(job).stdout, every.workers, 2 * runs),
        (bare, 1, max(1, runs // 5)),
        (bare, every.workers, max(1, runs // 5)),
    )
    one.prepare()
    every.prepare()
    rounds = [[_per_second(*way) for way in ways] for _ in range(16)]
    single, all_workers, _, _ = (statistics.median(column) for column in zip(*rounds, strict=True))
    gained = statistics.median(two / one for one, two, _, _ in rounds)
    bare_gained = statistics.median(two / one for _, _, one, two in rounds)
    return Throughput(program, single, all_workers, every.workers, gained, bare_gained)


def measure(
    *, runs: int, level: str = "auto", workers: int | None = None, progress: Callable[[int], None] = lambda _: None
) -> Speed:
    """`progress` is called with 1 after each of `3 * runs` steps, more or less."""
    python = interpreter.find()
    with tempfile.TemporaryDirectory(prefix="codejury-bench-") as folder, Sandbox(workers=1, level=level) as box:
        work = Path(folder)
        work.chmod(0o755)
        (work / "main.py").write_text(_PYTHON)
        (work / "input").write_bytes(_INPUT)
        others = peers.installed(work, python)
        tools = box.toolchain(box.catalog.get("cpp17"))
        command = toolchain.compile_command(tools, _CPP, None)
        assert command is not None
        built = compiled.result_of(box.run_command(command))
        if not isinstance(built, dict):
            raise InternalError("the C++ program of the bench does not compile on this host")
        (work / "main").write_bytes(built["main"])
        (work / "main").chmod(0o755)
        jobs = {
            "python": Job(source=_PYTHON, language="python", stdin=_INPUT),
            "cpp": Job(source=_CPP, language="cpp17", stdin=_INPUT),
        }
        argv = {"python": [str(python.executable), str(work / "main.py")], "cpp": [str(work / "main")]}
        bare: dict[str, Callable[[], bytes]] = {
            program: lambda words=words: peers.run(others[0], words, work / "input")  # type: ignore[misc]
            for program, words in argv.items()
        }
        found: dict[str, list[Way]] = {}
        for program, job in jobs.items():
            ways: dict[str, Callable[[], bytes]] = {
                "bare": bare[program],
                "codejury": lambda job=job: box.run_job(job).stdout,  # type: ignore[misc]
            }
            for peer in others[1:]:
                ways[peer.name] = lambda peer=peer, argv=argv[program]: peers.run(peer, argv, work / "input")  # type: ignore[misc]
            found[program] = _rounds(ways, runs, progress)
        reached = box.level
        throughput = []
        with Sandbox(workers=workers, level=level) as every:
            for program, job in jobs.items():
                throughput.append(_throughput(program, job, bare[program], box, every, runs))
                progress(runs // 2)
    return Speed(reached, runs, found["python"], found["cpp"], throughput)
