"""What a path holds, told from its content: which part of a report it becomes.

    problems   rows with tests                 T.jsonl; also by its record, T.run.json
    quality    TPR and TNR                     Q.json; also by Q.programs.jsonl
    eval       samples of a benchmark          eval_results.json
    verdicts   of `judge`                      V.jsonl
    bench      of `bench --json`
    programs   submissions, whose sources other parts show

A folder stands for what is in it; files of it that are none of these are passed over.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from codejury.dataset.formats.detect import format_of
from codejury.dataset.rows import BadRow, read_rows
from codejury.errors import UsageError

Kind = Literal["problems", "quality", "eval", "verdicts", "bench", "programs"]

_EXPECTED = (
    "what gen, harden, select, quality, eval, judge or bench --json writes: problems with tests, TPR and TNR, "
    "eval_results.json, verdicts, speeds; or submissions"
)
_ENDINGS = (".json", ".jsonl", ".jsonl.gz")
_BESIDE = (".errors.jsonl", "eval_verdicts.jsonl", ".new")  # of a run, and no result by themselves


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """`value`: the document, where the file is a small one."""

    kind: Kind
    path: Path
    value: Any = None


def sources_of(paths: Sequence[Path]) -> tuple[list[Source], list[Path]]:
    """Of all paths, each file once; and the files of folders that were passed over."""
    found: dict[Path, Source] = {}
    passed: list[Path] = []
    for path in paths:
        if path.is_dir():
            some = list(_of_folder(path, passed))
            if not some:
                raise BadRow(str(path), "", f"a folder with {_EXPECTED}", "none of them")
        else:
            some = [source_of(path)]
        for source in some:
            found.setdefault(source.path.resolve(), source)
    return list(found.values()), passed


def _of_folder(folder: Path, passed: list[Path]) -> Iterator[Source]:
    for path in sorted(folder.glob("results/*/*_eval_results.json")):  # the run of `eval --model`
        yield source_of(path)
    for path in sorted(folder.iterdir()):
        if not path.is_file() or not path.name.endswith(_ENDINGS) or path.name.endswith(_BESIDE):
            continue
        try:
            yield source_of(path)
        except UsageError:
            passed.append(path)


def source_of(path: Path) -> Source:
    first_bad: list[BadRow] = []

    def pass_over(error: BadRow) -> None:  # what the file is, any row tells; of bad ones its part of the report does
        first_bad[1:] = []
        first_bad.append(error)

    row = next(read_rows(path, on_error=pass_over), None)
    if row is None:
        raise first_bad[0] if first_bad else BadRow(str(path), "", _EXPECTED, "an empty file")
    value = row.value[0] if row.whole and isinstance(row.value, list) and row.value else row.value
    if not isinstance(value, dict):
        raise BadRow(row.where, "", _EXPECTED)
    if isinstance(value.get("eval"), dict):
        return Source(kind="eval", path=path)
    if isinstance(value.get("table"), list) and isinstance(value.get("problems"), list):
        return Source(kind="quality", path=path, value=value)
    if isinstance(value.get("throughput"), list) and isinstance(value.get("python"), list):
        return Source(kind="bench", path=path, value=value)
    if isinstance(value.get("runs"), list) and path.name.endswith(".run.json"):
        return _beside(path, path.with_name(path.name.removesuffix(".run.json") + ".jsonl"))
    if {"suite", "program", "accepted"} <= value.keys():
        return _beside(path, path.with_name(path.name.removesuffix(".programs.jsonl") + ".json"))
    if "verdict" in value and "custom_id" in value:
        return Source(kind="verdicts", path=path)
    if {"solution", "completion"} & value.keys() and not {"input_output", "cases", "test", "reward"} & value.keys():
        return Source(kind="programs", path=path)
    try:
        format_of(value, where=row.where)
    except BadRow:
        fields = ", ".join(sorted(str(name)[:30] for name in value)[:12])
        raise BadRow(row.where, "", _EXPECTED, f"the fields {fields or '(none)'}") from None
    return Source(kind="problems", path=path)


def _beside(path: Path, main: Path) -> Source:
    if main == path or not main.is_file():
        raise BadRow(str(path), "", f"{main.name} beside it, which it belongs to")
    return source_of(main)
