"""What golds answer, kept from run to run."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from codejury.benchmarks.expected import Expected
from codejury.judging.calls import Answer
from codejury.judging.values import Large

SOURCE = "def f(x):\n    return x\n"
INPUTS: list[Any] = [[1], [(2, 3)], [None]]
ANSWERS = [Answer(value=1, cpu_s=0.5), Answer(value=(2, 3)), Answer(value=Large(bytes(32)))]


def of(folder: Path, source: str = SOURCE, inputs: list[Any] = INPUTS, how: str = "") -> Expected:
    return Expected(source, "f", inputs, how=how, folder=folder)


def test_what_was_kept_is_known_with_its_types_and_times(tmp_path: Path) -> None:
    assert of(tmp_path / "e").known() is None
    of(tmp_path / "e").keep(ANSWERS)
    assert of(tmp_path / "e").known() == ANSWERS


@pytest.mark.parametrize(
    "other",
    [
        {"source": SOURCE + "#"},
        {"inputs": [[1], [[2, 3]], [None]]},
        {"inputs": [[True], [(2, 3)], [None]]},
        {"how": "x"},
    ],
)
def test_of_anything_else_nothing_is_known(tmp_path: Path, other: dict[str, Any]) -> None:
    of(tmp_path).keep(ANSWERS)
    assert of(tmp_path, **other).known() is None


@pytest.mark.parametrize("raw", [b"", b"N", b"garbage", b"d\x00\x00\x00\x00"])
def test_a_file_that_is_torn_is_a_miss(tmp_path: Path, raw: bytes) -> None:
    of(tmp_path).keep(ANSWERS)
    (path,) = tmp_path.glob("*.bin")
    path.write_bytes(raw)
    assert of(tmp_path).known() is None


def test_answers_of_another_number_of_calls_are_a_miss(tmp_path: Path) -> None:
    of(tmp_path).keep(ANSWERS[:2])
    assert of(tmp_path).known() is None


@pytest.mark.parametrize("mode", [0o666, 0o620])
def test_what_others_could_have_written_is_not_used(tmp_path: Path, mode: int) -> None:
    of(tmp_path).keep(ANSWERS)
    (path,) = tmp_path.glob("*.bin")
    path.chmod(mode)
    assert of(tmp_path).known() is None


def test_the_oldest_go_when_there_are_too_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    of(tmp_path, how="old").keep(ANSWERS)
    (old,) = tmp_path.glob("*.bin")
    os.utime(old, (1, 1))
    monkeypatch.setattr("codejury.benchmarks.expected._MAX_BYTES", old.stat().st_size + 10)
    of(tmp_path, how="new").keep(ANSWERS)
    assert of(tmp_path, how="old").known() is None
    assert of(tmp_path, how="new").known() == ANSWERS
