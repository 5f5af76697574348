"""Many rows: resumed, interrupted, killed; bad lines; one writer; what is written beside."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from testgen.rows import SUM_CPP, SUM_PY, add_row, generator, pairs_of, row, split_row

from codejury.dataset import Store
from codejury.errors import InternalError, UsageError
from codejury.testgen import Options, Summary, generate, pipeline
from codejury.testgen.crew import Tally


def write(path: Path, given: list[Any]) -> Path:
    lines = [each if isinstance(each, bytes) else json.dumps(each).encode() for each in given]
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def made_by_id(path: Path) -> dict[str, Any]:
    found = read(path)
    names = [each["custom_id"] for each in found]
    assert len(names) == len(set(names)), "each id once"
    return {each["custom_id"]: (pairs_of(each), each["error_info"]) for each in found}


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    return tmp_path / "P.jsonl", tmp_path / "T.jsonl"


def small(name: str, **fields: Any) -> dict[str, Any]:
    return row(name, **{"solutions": [SUM_PY], "input_generator": [generator(3, seed=len(name))], **fields})


def test_rows_of_all_kinds(files: tuple[Path, Path]) -> None:
    source, output = files
    write(
        source, [row("sum"), split_row("split"), add_row("add"), row("bad", input_generator=["1/0 if 1 else print()"])]
    )
    tally = Tally()
    summary = generate(source, output, workers=2, tally=tally)
    found = {each["custom_id"]: each for each in read(output)}
    assert sorted(found) == ["add", "bad", "split", "sum"]
    assert [len(pairs_of(found[name])) for name in ("sum", "split", "add", "bad")] == [10, 10, 6, 0]
    assert "ZeroDivisionError" in found["bad"]["error_info"]
    assert {name: summary.counts[name] for name in ("rows", "made", "failed", "tests", "inputs")} == {
        "rows": 4,
        "made": 3,
        "failed": 1,
        "tests": 26,
        "inputs": 26,
    }
    assert not summary.complete
    assert not summary.errors.exists()
    assert tally["bytes read"] == tally["bytes"] == source.stat().st_size


def test_what_is_done_is_not_done_again(files: tuple[Path, Path]) -> None:
    source, output = files
    write(source, [small("a"), small("b")])
    assert generate(source, output, workers=2).complete
    before = output.read_bytes()
    write(source, [small("a"), small("b"), small("c")])
    second = generate(source, output, workers=2)
    assert (second.counts["done before"], second.counts["made"]) == (2, 1)
    assert output.read_bytes().startswith(before)
    assert sorted(made_by_id(output)) == ["a", "b", "c"]


def test_failed_rows_are_done_again_when_asked(files: tuple[Path, Path]) -> None:
    source, output = files
    write(source, [small("a"), small("b", input_generator=["raise SystemExit(3)"]), small("c")])
    first = generate(source, output, workers=2)
    assert (first.counts["failed"], first.complete) == (1, False)
    again = generate(source, output, workers=2)
    assert (again.counts["done before"], again.failed_before, again.complete) == (3, 1, False)
    write(source, [small("a"), small("b"), small("c")])
    mended = generate(source, output, workers=2, retry_failed=True)
    assert (mended.counts["done before"], mended.counts["made"], mended.complete) == (2, 1, True)
    assert {name: len(pairs) for name, (pairs, _) in made_by_id(output).items()} == {"a": 3, "b": 3, "c": 3}


def test_bad_lines_lose_nothing(files: tuple[Path, Path]) -> None:
    source, output = files
    lines = [
        small("a"),
        b'{"custom_id": "torn", "solutions": [',
        {"custom_id": "lacks", "solutions": ["x"]},
        small("wrong", **{"time-limit": "soon"}),
        small("a"),
        b'{"custom_id": "\xff"}',
        small("z"),
    ]
    write(source, lines)
    notes: list[str] = []
    summary = generate(source, output, workers=2, note=notes.append)
    assert sorted(made_by_id(output)) == ["a", "z"]
    assert (summary.counts["rows"], summary.counts["bad lines"], summary.complete) == (7, 5, False)
    told = read(summary.errors)
    assert summary.errors.name == "T.errors.jsonl"
    assert [each["line"] for each in told] == [2, 3, 4, 5, 6]
    assert [each["error"] for each in told] == notes
    words = ["expected a JSON object", "input_generator: expected", "time-limit: expected", "as in line 1", "UTF-8"]
    assert all(word in note for word, note in zip(words, notes, strict=True))
    assert told[2]["row"] == lines[3]
    assert told[0]["text"] == lines[1].decode()
    # The next run sees the same lines, and tells them once; when they are mended, nothing is left to tell.
    generate(source, output, workers=2)
    assert read(summary.errors) == told
    write(source, [small("a"), small("z")])
    assert generate(source, output, workers=2).complete
    assert not summary.errors.exists()


def test_one_writer(files: tuple[Path, Path]) -> None:
    source, output = files
    write(source, [small("a")])
    with Store(output), pytest.raises(UsageError, match="another process is writing to it"):
        generate(source, output, workers=2)
    with pytest.raises(UsageError, match="expected another file than the input"):
        generate(source, source, workers=2)


def test_a_torn_end_is_mended(files: tuple[Path, Path]) -> None:
    source, output = files
    write(source, [small("a"), small("b")])
    generate(source, output, workers=2)
    whole = output.read_bytes()
    output.write_bytes(whole[:-40])
    notes: list[str] = []
    generate(source, output, workers=2, note=notes.append)
    assert sorted(made_by_id(output)) == ["a", "b"]
    assert "cut off a torn row" in notes[0]


def test_the_record(files: tuple[Path, Path]) -> None:
    source, output = files
    write(source, [row("a", solutions=[SUM_PY, SUM_CPP])])
    summary = generate(source, output, Options(plain=True), workers=2)
    generate(source, output, workers=1)
    first, second = json.loads(summary.record.read_text())["runs"]
    assert summary.record.name == "T.run.json"
    assert (first["state"], first["counts"]["made"], second["counts"]["done before"]) == ("done", 1, 1)
    assert (first["settings"]["plain"], first["settings"]["workers"]) == (True, 2)
    assert first["sandbox"]["level"] in ("full", "rootless", "landlock")
    assert {"codejury", "python", "kernel", "cpp17"} <= set(first["versions"])
    assert first["host"]["cores"] >= 1
    assert first["seconds"] > 0


def test_a_record_that_cannot_be_read_is_begun_anew(files: tuple[Path, Path]) -> None:
    source, output = files
    write(source, [small("a")])
    record = output.with_name("T.run.json")
    record.write_text("[nonsense")
    generate(source, output, workers=1)
    assert len(json.loads(record.read_text())["runs"]) == 1


def test_a_failure_of_ours_is_no_failed_row(files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told, it is not in the output, and the next run does the row."""
    source, output = files
    write(source, [small("a"), small("b"), small("c")])
    real = pipeline.make

    def broken(crew: Any, task: Any, options: Any, *, turn: int = 0) -> pipeline.Made:
        if task.id == "a":
            raise InternalError("no core to be had")
        if task.id == "b":
            raise ZeroDivisionError("a mistake of ours")
        return real(crew, task, options, turn=turn)

    monkeypatch.setattr(pipeline, "make", broken)
    summary = generate(source, output, workers=2)
    assert (summary.counts["not done"], summary.counts["made"], summary.complete) == (2, 1, False)
    told = {each["row"]["custom_id"]: each["error"] for each in read(summary.errors)}
    assert "no core to be had" in told["a"]
    assert "a mistake of ours" in told["b"]
    monkeypatch.undo()
    assert generate(source, output, workers=2).complete
    assert sorted(made_by_id(output)) == ["a", "b", "c"]


def test_being_told_to_stop_finishes_what_is_under_way(files: tuple[Path, Path]) -> None:
    source, output = files
    write(source, [small(f"{number}") for number in range(200)])
    stop = threading.Event()
    found: list[Summary] = []
    thread = threading.Thread(target=lambda: found.append(generate(source, output, workers=2, stop=stop)))
    thread.start()
    while not output.exists() or not output.stat().st_size:
        time.sleep(0.05)
    stop.set()
    thread.join()
    (summary,) = found
    assert summary.stopped
    assert not summary.complete
    done = made_by_id(output)
    assert 0 < len(done) == summary.counts["made"] < 200
    assert all(len(pairs) == 3 for pairs, _ in done.values())


def test_a_full_disk_ends_the_run(files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    source, output = files
    write(source, [small(f"{number}") for number in range(50)])
    real = Store._write

    def full(store: Store, line: bytes) -> None:
        if len(store.done) == 2:
            raise UsageError(f"{store.path}: cannot be written: No space left on device")
        real(store, line)

    monkeypatch.setattr(Store, "_write", full)
    with pytest.raises(UsageError, match="No space left"):
        generate(source, output, workers=1)
    assert json.loads(output.with_name("T.run.json").read_text())["runs"][0]["state"] == "failed"
    monkeypatch.undo()
    assert generate(source, output, workers=2).complete
    assert len(made_by_id(output)) == 50


# ── Killed ───────────────────────────────────────────────────────────────────────────────────────────────────────────

KILLS = 50 if os.environ.get("CODEJURY_THOROUGH") else 12


def command(source: Path, output: Path) -> list[str]:
    return [sys.executable, "-m", "codejury.cli", "gen", "--input", str(source), "--output", str(output), "--quiet"]


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_kill_at_any_moment(tmp_path: Path) -> None:
    """Forty rows; killed again and again, resumed each time: as if nothing had been."""
    source = tmp_path / "P.jsonl"
    rows = [row(f"r{n}", solutions=[SUM_PY, SUM_CPP], input_generator=[generator(12, seed=n)]) for n in range(30)]
    rows += [split_row(f"s{n}") for n in range(4)] + [add_row(f"f{n}") for n in range(4)]
    rows += [row("bad", input_generator=["raise SystemExit(1)"]), row("two", solutions=[SUM_PY, "print(1)"])]
    write(source, random.Random(1).sample(rows, len(rows)))
    calm, killed = tmp_path / "calm.jsonl", tmp_path / "killed.jsonl"
    started = time.monotonic()
    assert subprocess.run(command(source, calm), stdout=subprocess.DEVNULL, check=False).returncode == 3
    length_s = time.monotonic() - started
    chance = random.Random(2)
    died = 0
    for _ in range(KILLS):
        process = subprocess.Popen(command(source, killed), stdout=subprocess.DEVNULL)
        try:
            # So that the work is spread over all of them: some die before they have done anything.
            process.wait(timeout=chance.uniform(0.05, 0.5 + 4 * length_s / KILLS))
        except subprocess.TimeoutExpired:
            os.kill(process.pid, signal.SIGKILL)
            died += 1
            process.wait()
    last = subprocess.run(command(source, killed), stdout=subprocess.DEVNULL, check=False)
    assert last.returncode == 3
    assert died > 0  # how many depends on how busy the machine is
    assert made_by_id(killed) == made_by_id(calm)
    assert len(made_by_id(calm)) == 40
