"""What a run came to, as evalscope's report file has it, and read again.

    reports/<model>/<dataset>.json
    {schema_version: 2, name, dataset_name, dataset_pretty_name, model_name,
     metrics: [{identity: {name, aggregation, dimensions}, num, score, macro_score, semantics,
                categories: [{name[], num, score, macro_score, subsets: [{name, score, num}]}]}],
     primary_metric_identity, execution_summary: {requested, succeeded, errored, incomplete, subsets}, num}

Its reader refuses keys that it does not know, so that intervals and what else we have to say go to the results file
(`results.py`). The mean is over all samples that were judged; pass@k, for k up to the repeats, is the unbiased
estimate, as a mean over tasks, and left out where a task has fewer than k judged samples.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from codejury.benchmarks.catalog import Benchmark, Subset
from codejury.errors import UsageError
from codejury.score.passk import Estimate, Tally, estimate, estimates, micro

SUBSET = "default"  # evalscope's name for a data set that has no parts

Tallies = Mapping[Subset, Mapping[str, Tally]]


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """Of the questions of a run.

    requested    all
    unanswered   the model failed, after retries;  not_judged: we did;  the rest is judged
    no_code      judged wrong, since the reply had no code
    """

    requested: int
    judged: int
    unanswered: int = 0
    not_judged: int = 0
    no_code: int = 0


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """Of one benchmark.

    score       the mean over samples; None where nothing was judged
    pass_at_k   k -> the mean over tasks, for the tests that count
    intervals   the same with 95 % intervals, for each subset of tests
    if_failed   the mean if whatever was not answered had been wrong: the other end of what --ignore-errors leaves open
    path        of the report file
    """

    dataset: str
    model: str
    score: float | None
    pass_at_k: dict[int, float]
    intervals: dict[Subset, list[Estimate]]
    micro: dict[Subset, float]
    if_failed: float | None
    counts: Counts
    scoring: str
    metrics: list[dict[str, Any]]
    path: str = ""
    results: str = ""

    def to_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = msgspec.to_builtins(self, str_keys=True)
        return found


def report_of(
    benchmark: Benchmark, model: str, tallies: Tallies, counts: Counts, *, repeats: int, scoring: str
) -> Report:
    """`tallies`: of each subset, task by task; the last subset is the one that counts."""
    top: Subset | None = "plus" if tallies.get("plus") else "base" if tallies.get("base") else None
    counted = list(tallies[top].values()) if top else []
    score = micro(counted)
    at_k = {k: found.value for k in range(1, repeats + 1) if (found := estimate(counted, k)) is not None}
    samples, correct = sum(each.samples for each in counted), sum(each.correct for each in counted)
    metrics = []
    if score is not None:
        metrics.append(_metric("accuracy", "mean", {}, score, samples))
        tasks = len(counted)
        metrics += [_metric("accuracy", "pass_at_k", {"k": k}, value, tasks) for k, value in at_k.items()]
        if top == "plus":
            base = list(tallies["base"].values())
            if base:
                whole = sum(each.samples for each in base)
                metrics.append(_metric("accuracy", "mean", {"tests": "base"}, micro(base) or 0.0, whole))
    every = samples + counts.unanswered
    return Report(
        dataset=benchmark.name,
        model=model,
        score=score,
        pass_at_k=at_k,
        intervals={
            subset: estimates(given.values(), sorted({1, 10, 100, *range(1, repeats + 1)}))
            for subset, given in tallies.items()
            if given
        },
        micro={subset: mean for subset, given in tallies.items() if (mean := micro(given.values())) is not None},
        if_failed=correct / every if every else None,
        counts=counts,
        scoring=scoring,
        metrics=metrics,
    )


def write_report(path: Path, benchmark: Benchmark, report: Report) -> None:
    """In one step: a reader finds the old file or the new one."""
    counts = report.counts
    failed = counts.unanswered + counts.not_judged
    subset = {"requested": counts.requested, "succeeded": counts.judged, "errored": failed}
    whole = {
        "schema_version": 2,
        "name": f"{report.model}@{report.dataset}",
        "dataset_name": report.dataset,
        "dataset_pretty_name": benchmark.title,
        "dataset_description": f"{benchmark.title}, scored by codejury ({report.scoring})",
        "model_name": report.model,
        "metrics": report.metrics,
        "analysis": "N/A",
        "perf_metrics": None,
        "primary_metric_identity": report.metrics[0]["identity"] if report.metrics else None,
        "primary_metric_unavailable_reason": None if report.metrics else "nothing was judged",
        "judge_summary": None,
        "execution_summary": {**subset, "incomplete": bool(failed), "subsets": {SUBSET: subset}},
        "num": counts.judged,
    }
    beside = path.with_name(f".{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(json.dumps(whole, indent=4, ensure_ascii=False) + "\n", encoding="utf-8")
        os.replace(beside, path)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from None


def _metric(name: str, aggregation: str, dimensions: dict[str, Any], score: float, num: int) -> dict[str, Any]:
    score = round(score, 4)
    same = {"num": num, "score": score, "macro_score": score}
    is_mean = aggregation == "mean"
    return {
        "identity": {"name": name, "aggregation": aggregation, "dimensions": dimensions},
        "legacy_name": None,
        **same,
        "categories": [
            {
                "name": ["default"],
                **same,
                "subsets": [
                    {"name": SUBSET, "score": score, "num": num, "metadata": None, "is_aggregate": False},
                ],
            }
        ],
        "semantics": {
            "semantic_id": "quality.accuracy.ratio" if is_mean else "quality.pass_at_k.ratio",
            "metric_name": "Accuracy" if is_mean else "Pass@k",
            "display_name": None,
            "kind": "quality",
            "direction": "higher_is_better",
            "raw_unit": None,
            "value_range": {"min": 0.0, "max": 1.0},
            "display_kind": "percent",
            "display_multiplier": 100.0,
            "display_unit": "%",
            "display_precision": 1,
        },
    }
