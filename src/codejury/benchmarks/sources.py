"""Where a benchmark's tasks are: a path that somebody names, or a hub's data set by way of the cache.

Owns what `--dataset-args` may say of a data set.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import msgspec

from codejury.benchmarks import hub as hubs
from codejury.benchmarks.catalog import HUBS, Benchmark, HubName, own_path
from codejury.errors import UsageError
from codejury.settings import Settings


class DatasetArgs(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Of one data set, in evalscope's words where it has them.

    local_path        a file (JSON lines, gzipped too, or Parquet), or a folder of these, or of problem packages
    dataset_id        OWNER/NAME on the hub, or a path
    revision          a branch, a tag or a commit there;  files: patterns of its paths
    force_redownload  what the cache has is fetched again
    prompt_template   what is asked, instead of the benchmark's own;  system_prompt: a message before it
    review_timeout    seconds for a call, or for the tests of a script
    language          of the programs that are asked for
    few_shot_num      0: nothing else is there;  metric_list: acc;  aggregation: both are the same here
    """

    local_path: str | None = None
    dataset_id: str | None = None
    revision: str = ""
    files: tuple[str, ...] = ()
    force_redownload: bool = False
    prompt_template: str | None = None
    system_prompt: str | None = None
    review_timeout: float | None = None
    language: str | None = None
    few_shot_num: Literal[0] = 0
    metric_list: tuple[Literal["acc"], ...] = ("acc",)
    aggregation: Literal["mean", "mean_and_pass_at_k"] = "mean_and_pass_at_k"


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """`told`: where the data comes from, for the record."""

    paths: tuple[Path, ...]
    told: dict[str, Any]


def args_of(name: str, given: Any) -> DatasetArgs:
    try:
        return msgspec.convert(given if given is not None else {}, DatasetArgs)
    except msgspec.ValidationError as error:
        raise UsageError(f"dataset_args: {name}: {error}") from None


def as_asked(benchmark: Benchmark, args: DatasetArgs) -> Benchmark:
    """The benchmark with what the arguments change of it."""
    changes: dict[str, Any] = {}
    if args.review_timeout is not None:
        if not 0 < args.review_timeout < 1e6:
            raise UsageError(f"dataset_args: {benchmark.name}: review_timeout: expected seconds")
        changes.update(call_s=args.review_timeout, script_s=args.review_timeout)
    if args.language is not None:
        changes["language"] = args.language
    return msgspec.structs.replace(benchmark, **changes) if changes else benchmark


def source_of(
    asked: str,
    benchmark: Benchmark,
    args: DatasetArgs,
    *,
    settings: Settings,
    hub: HubName = "modelscope",
    folder: Path | None = None,
) -> Source:
    """`asked`: the name that the user gave, which may be a path."""
    path = args.local_path or own_path(asked)
    if path is None and args.dataset_id and Path(args.dataset_id).exists():
        path = args.dataset_id
    if path is not None:
        return Source(paths=_below(Path(path)), told={"local_path": str(path)})
    place = benchmark.hub
    name = args.dataset_id or (place and (getattr(place, hub) or place.huggingface or place.modelscope))
    if not name:
        raise UsageError(f'{benchmark.name}: expected its data: --dataset-args \'{{"{asked}": {{"local_path": …}}}}\'')
    if not args.dataset_id and place is not None and not getattr(place, hub):
        hub = next(each for each in HUBS if getattr(place, each))
    patterns = args.files or (place.files if place else ("*.jsonl*", "*.parquet"))
    found = hubs.dataset(
        hub,
        name,
        patterns,
        settings=settings,
        revision=args.revision,
        folder=folder,
        again=args.force_redownload,
    )
    known = found.manifest
    return Source(
        paths=tuple(found.paths),
        told={"hub": hub, "url": known.url, "id": known.id, "revision": known.revision, "commit": known.commit}
        | {"files": {file.path: file.sha256 for file in known.files}},
    )


def _below(path: Path) -> tuple[Path, ...]:
    """A folder of data files counts as its files; one of problem packages as itself."""
    if not path.exists():
        raise UsageError(f"{path}: expected a file or folder of tasks, there is none")
    if not path.is_dir() or (path / "problem.yaml").exists() or any(path.glob("*/problem.yaml")):
        return (path,)
    found = sorted(each for ending in ("*.jsonl", "*.jsonl.gz", "*.parquet", "*.json") for each in path.glob(ending))
    if not found:
        raise UsageError(f"{path}: expected JSON lines, Parquet files or problem packages in the folder, found none")
    return tuple(found)
