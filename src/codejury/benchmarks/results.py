"""eval_results.json: what samples came to, in evalplus' layout; written, and read again to be compared.

    {date, hash, eval: {task: [{task_id, solution, base_status, plus_status, base_fail_tests, plus_fail_tests}, …]},
     pass_at_k: {base: {"pass@1": …}, plus: {…}},
     codejury: {…}}                  whose scoring, intervals, what was not judged: readers of evalplus pass it over

A sample that we failed to judge is in `codejury.not_judged` and nowhere else, since evalplus has no word for it and a
reader would take it for a failure. The status of a subset that the task has no tests of is null.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import zlib
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from codejury.benchmarks.catalog import SUBSETS, Benchmark, Strict, Subset
from codejury.benchmarks.samples import Judged, SubsetVerdict
from codejury.dataset.rows import BadRow
from codejury.errors import UsageError
from codejury.model import Submission
from codejury.score.passk import Estimate, Tally, estimates, micro

FILE = "eval_results.json"

Rows = dict[str, list[dict[str, Any]]]


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """estimates   of each subset that there are verdicts for; plus: of those that pass base and plus
    micro       of each subset: samples that pass out of all of them
    scoring     codejury's own, or the peer that it is the scoring of
    """

    dataset: str
    scoring: str
    differs: str
    tasks: int
    samples: int
    estimates: dict[Subset, list[Estimate]]
    micro: dict[Subset, float]
    not_judged: list[dict[str, str]]
    without_samples: list[str]


def rows_of(samples: Mapping[str, Iterable[Submission]], judged: Iterable[Judged]) -> tuple[Rows, list[dict[str, str]]]:
    """`eval` of the file, in the order of the samples; and the samples that were not judged."""
    by_source = {(said.task_id, said.source): said for said in judged}
    rows: Rows = {}
    not_judged = []
    for task_id, given in samples.items():
        for sample in given:
            said = by_source[task_id, sample.source]
            if said.error:
                not_judged.append({"task_id": task_id, "sample": sample.id, "error": said.error})
                continue
            rows.setdefault(task_id, []).append(row_of(task_id, sample.source, said.subsets))
    return rows, not_judged


def tallies(rows: Rows, subset: Subset) -> dict[str, Tally]:
    """Of each task that has verdicts on the subset. Whoever passes plus passes base too."""
    found = {}
    for task_id, samples in rows.items():
        known = [each for each in samples if each[f"{subset}_status"] is not None]
        if known:
            correct = sum(
                all(each[f"{name}_status"] in ("pass", None) for name in SUBSETS[: SUBSETS.index(subset) + 1])
                for each in known
            )
            found[task_id] = Tally(len(known), correct)
    return found


def summary_of(
    benchmark: Benchmark,
    rows: Rows,
    not_judged: list[dict[str, str]],
    *,
    peer: Strict | None = None,
    without_samples: Iterable[str] = (),
) -> Summary:
    counted = {subset: list(tallies(rows, subset).values()) for subset in SUBSETS}
    return Summary(
        dataset=benchmark.name,
        scoring="codejury" if peer is None else f"strict-compat: as {peer.peer}",
        differs="" if peer is None else peer.differs,
        tasks=len(rows),
        samples=sum(map(len, rows.values())),
        estimates={subset: estimates(given) for subset, given in counted.items() if given},
        micro={subset: mean for subset, given in counted.items() if (mean := micro(given)) is not None},
        not_judged=not_judged,
        without_samples=list(without_samples),
    )


def write_results(
    path: Path, rows: Iterable[tuple[str, list[dict[str, Any]]]], said: Mapping[str, Any], *, data_hash: str
) -> None:
    """In one step: a reader finds the old file or the new one. Rows are written as they come: they may be many.

    said   what goes into `pass_at_k` and `codejury`
    """
    from codejury import __version__

    start = {"date": datetime.now().strftime("%Y-%m-%d %H:%M"), "hash": data_hash}
    end = {"pass_at_k": said["pass_at_k"], "codejury": {"version": __version__, **said["codejury"]}}
    beside = path.with_name(path.name + ".new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with beside.open("w") as file:
            file.write(json.dumps(start, indent=1).removesuffix("\n}") + ',\n "eval": {')
            between = "\n"
            for task_id, samples in rows:
                file.write(f"{between}  {json.dumps(task_id)}: {json.dumps(samples)}")
                between = ",\n"
            file.write("\n },\n" + json.dumps(end, indent=1).removeprefix("{\n") + "\n")
        os.replace(beside, path)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror or error}") from None


def said_of(summary: Summary) -> dict[str, Any]:
    """What `write_results` takes."""
    return {
        "pass_at_k": {
            subset: {f"pass@{each.k}": each.value for each in found} for subset, found in summary.estimates.items()
        },
        "codejury": msgspec.to_builtins(summary),
    }


def row_of(task_id: str, source: str, subsets: Mapping[Subset, SubsetVerdict]) -> dict[str, Any]:
    row: dict[str, Any] = {"task_id": task_id, "solution": source}
    for subset in SUBSETS:
        row[f"{subset}_status"] = subsets[subset].status if subset in subsets else None
    for subset in SUBSETS:
        row[f"{subset}_fail_tests"] = list(subsets[subset].failed) if subset in subsets else []
    return row


def hash_of(data: Path) -> str:
    """evalplus': MD5 of the data, not of what compressed it."""
    digest = hashlib.md5(usedforsecurity=False)
    try:
        with gzip.open(data) if data.suffix == ".gz" else data.open("rb") as stream:
            while part := stream.read(1 << 20):
                digest.update(part)
    except (OSError, EOFError, zlib.error) as error:
        raise UsageError(f"{data}: cannot be read: {error}") from None
    return digest.hexdigest()


def read_results(path: Path) -> Rows:
    """`eval` of a file of ours or of evalplus', or of the one in a folder, which may be that of a model's run."""
    file = _in(path) if path.is_dir() else path
    try:
        whole = json.loads(file.read_bytes())
    except OSError as error:
        raise UsageError(f"{file}: cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise BadRow(str(file), "", "results as JSON", str(error)) from None
    rows = whole.get("eval") if isinstance(whole, dict) else None
    if not isinstance(rows, dict):
        raise BadRow(str(file), "eval", "an object of tasks, as evalplus writes it")
    for task_id, samples in rows.items():
        if not isinstance(samples, list):
            raise BadRow(str(file), f"eval[{task_id!r}]", "a list of samples")
        for at, sample in enumerate(samples):
            for subset in SUBSETS:
                status = sample.get(f"{subset}_status", "") if isinstance(sample, dict) else ""
                if status not in ("pass", "fail", "timeout", None):
                    where = f"eval[{task_id!r}][{at}].{subset}_status"
                    raise BadRow(str(file), where, "pass, fail, timeout or null", repr(status))
    return rows


def _in(folder: Path) -> Path:
    found = sorted(folder.glob(f"results/*/*_{FILE}"))
    if (folder / FILE).exists() or not found:
        return folder / FILE
    if len(found) > 1:
        raise UsageError(f"{folder}: expected the results of one model on one benchmark; name one of {found[0]}, …")
    return found[0]


def rates(rows: Rows, subset: Subset) -> dict[str, float]:
    """Task -> the share of its samples that pass."""
    return {task_id: tally.correct / tally.samples for task_id, tally in tallies(rows, subset).items()}
