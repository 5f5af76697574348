"""A whole evaluation as one call: `run_task(TaskConfig(model=…, api_url=…, datasets=["mbpp_plus"]))`.

Owns the words of the configuration, which are evalscope's, and the folder that a run leaves:

    outputs/<timestamp>/
      configs/task_config.yaml                       what was asked for; no key
      logs/eval_log.log
      predictions/<model>/<dataset>_default.jsonl    what the model said (records.py)
      reviews/<model>/<dataset>_default.jsonl        what that is worth
      reports/<model>/<dataset>.json                 the report (report.py)
      results/<model>/<dataset>_eval_results.json    the same in evalplus' layout, with what the report has no word for

Programs always run in the sandbox, whether `use_sandbox` says so or not.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import IO, Any

import msgspec

from codejury import settings as environment
from codejury.benchmarks import records, sources
from codejury.benchmarks.catalog import HUBS, Benchmark, HubName, Strict, Subset, benchmark
from codejury.benchmarks.evaluation import Evaluation, Outcome, Progress
from codejury.benchmarks.report import SUBSET, Report, report_of, write_report
from codejury.benchmarks.results import hash_of, row_of, write_results
from codejury.benchmarks.samples import SubsetVerdict, Tasks, format_of_data
from codejury.dataset.rows import BadRow
from codejury.dataset.shelf import Shelf
from codejury.errors import UsageError
from codejury.judging.jury import Jury
from codejury.llm.client import Client
from codejury.settings import Secret

_EVAL_TYPES = (None, "openai_api", "service", "server")
_TEMPERATURE = 0.0
_CLIENT = {  # words of generation_config that are the client's, not the model's
    "timeout": "total_s",
    "retries": "retries",
    "retry_interval": "backoff_s",
    "requests_per_minute": "requests_per_minute",
    "tokens_per_minute": "tokens_per_minute",
}
_PASSED_OVER = ("stream", "batch_size", "do_sample")

OnProgress = Callable[[str, Progress], None]


class TaskConfig(msgspec.Struct, kw_only=True):
    """What to evaluate; the names and defaults are evalscope's.

    model              the name that the server knows it by;  model_id: its name in files and reports
    api_url, api_key   of an OpenAI-compatible server: …/v1
    datasets           names of benchmarks, paths of files or folders of problems, or of a benchmark's own TOML file
    dataset_args       data set -> what `sources.DatasetArgs` has
    dataset_hub        modelscope or huggingface;  dataset_dir: the cache, where it is not the usual one
    generation_config  temperature, max_tokens, top_p, seed, …: fields of the request; and timeout, retries,
                       retry_interval, requests_per_minute, tokens_per_minute
    eval_batch_size    questions at a time
    limit              the first so many tasks of each data set; below 1, that share of them
    repeats            questions a task
    use_cache          the folder of an earlier run, which is gone on with
    rerun_review       what is there is judged anew, and not asked again
    work_dir           where the folder of the run is made;  no_timestamp: it is this folder itself
    ignore_errors      go on whatever the model fails to answer, and end well: it is left out, and counted
    use_sandbox, sandbox   taken, and without effect: programs run in codejury's sandbox
    seed               recorded; what is asked does not depend on chance here. For the model's: generation_config
    strict_compat      score as the peer does whose data it is
    workers, level     programs judged at a time; isolation
    """

    model: str
    model_id: str | None = None
    api_url: str | None = None
    api_key: Any = "EMPTY"
    eval_type: str | None = None
    datasets: Sequence[str] = ()
    dataset_args: dict[str, Any] = {}
    dataset_dir: str | None = None
    dataset_hub: str = "modelscope"
    generation_config: dict[str, Any] = {}
    eval_batch_size: int = 1
    limit: float | None = None
    repeats: int = 1
    use_cache: str | None = None
    rerun_review: bool = False
    work_dir: str = "./outputs"
    no_timestamp: bool = False
    seed: int | None = 42
    ignore_errors: bool = False
    use_sandbox: bool = False
    sandbox: dict[str, Any] | None = None
    debug: bool = False
    strict_compat: bool = False
    workers: int | None = None
    level: str = "auto"

    def __post_init__(self) -> None:
        if isinstance(self.datasets, str):
            self.datasets = [self.datasets]
        if isinstance(self.api_key, str):
            self.api_key = environment.parse_key(self.api_key, where="api_key") if self.api_key else None
        elif self.api_key is not None and not isinstance(self.api_key, Secret):
            raise UsageError("api_key: expected a text")
        _check(self)

    def __repr__(self) -> str:
        return f"TaskConfig(model={self.model!r}, datasets={list(self.datasets)!r})"

    def to_dict(self) -> dict[str, Any]:
        """Without the key."""
        found = {name: getattr(self, name) for name in self.__struct_fields__ if name != "api_key"}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in found.items()}


def _check(config: TaskConfig) -> None:
    def expect(name: str, holds: bool, expected: str) -> None:
        if not holds:
            raise UsageError(f"{name}: expected {expected}, got {getattr(config, name)!r}")

    expect("model", bool(config.model), "the name of a model")
    expect("eval_type", config.eval_type in _EVAL_TYPES, "openai_api: codejury asks a server")
    expect("datasets", bool(config.datasets) and all(isinstance(d, str) for d in config.datasets), "names")
    expect("dataset_hub", config.dataset_hub in HUBS, " or ".join(HUBS))
    expect("dataset_args", isinstance(config.dataset_args, dict), "an object: data set -> arguments")
    expect("generation_config", isinstance(config.generation_config, dict), "an object")
    expect("eval_batch_size", _whole(config.eval_batch_size, 1024), "a whole number from 1")
    expect("repeats", _whole(config.repeats, 10_000), "a whole number from 1")
    limit = config.limit
    share = isinstance(limit, float) and 0 < limit < 1
    whole = limit is not None and not isinstance(limit, bool) and float(limit).is_integer() and limit >= 1
    expect("limit", limit is None or share or whole, "a whole number from 1, or a share below 1")
    unknown = [name for name in config.dataset_args if name not in config.datasets]
    expect("dataset_args", not unknown, f"data sets that are asked for ({', '.join(config.datasets)})")


def _whole(value: object, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= most


def config_of(given: TaskConfig | Mapping[str, Any] | str | os.PathLike[str]) -> TaskConfig:
    """From fields, or from a YAML or JSON file of them."""
    if isinstance(given, TaskConfig):
        return given
    if not isinstance(given, Mapping):
        import yaml

        try:
            given = yaml.safe_load(Path(given).read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
            raise UsageError(f"task_cfg: {given}: cannot be read: {error}") from None
    if not isinstance(given, Mapping):
        raise UsageError("task_cfg: expected fields of a TaskConfig")
    unknown = [str(name) for name in given if name not in TaskConfig.__struct_fields__]
    if unknown:
        known = ", ".join(TaskConfig.__struct_fields__)
        raise UsageError(f"task_cfg: {unknown[0]!r} is not known; expected {known}")
    return TaskConfig(**{str(name): value for name, value in given.items()})


def run_task(
    task_cfg: TaskConfig | Mapping[str, Any] | str | os.PathLike[str],
    *,
    jury: Jury | None = None,
    on_progress: OnProgress | None = None,
    on_trouble: Callable[[str], None] | None = None,
) -> dict[str, Report]:
    """The report of each data set. UsageError for what is given, ModelError where the server does not answer at all.

    jury          one that is there already; else `workers` and `level` of the configuration make one
    on_progress   is called with the data set's name after every result
    on_trouble    is told of single questions that were not answered or not judged, and of rows that cannot be read
    """
    config = config_of(task_cfg)
    settings = environment.load()
    chosen = [(name, benchmark(name)) for name in config.datasets]
    folder = _folder(config)
    model_id = config.model_id or re.sub(r"[^\w.+-]+", "_", Path(config.model).name) or "model"
    if not re.fullmatch(r"[\w.+@-][\w.+@ -]*", model_id):
        raise UsageError(f"model_id: expected a name for files, got {model_id!r}")
    reports = {}
    with contextlib.ExitStack() as stack:
        log = stack.enter_context(_log(folder))
        _write_config(folder, config, model_id)

        def trouble(words: str) -> None:
            log(words)
            if on_trouble is not None:
                on_trouble(words)

        judging = jury or stack.enter_context(Jury(workers=config.workers, level=config.level, kept=0))
        for name, each in chosen:
            reports[each.name] = _one(
                config,
                settings,
                name,
                each,
                judging,
                folder,
                model_id,
                log,
                on_progress=on_progress,
                on_trouble=trouble,
            )
    return reports


def _one(
    config: TaskConfig,
    settings: environment.Settings,
    name: str,
    chosen: Benchmark,
    jury: Jury,
    folder: Path,
    model_id: str,
    log: Callable[[str], None],
    *,
    on_progress: OnProgress | None,
    on_trouble: Callable[[str], None],
) -> Report:
    args = sources.args_of(name, config.dataset_args.get(name))
    chosen = sources.as_asked(chosen, args)
    hub: HubName = "huggingface" if config.dataset_hub == "huggingface" else "modelscope"
    cache = Path(config.dataset_dir) if config.dataset_dir else None
    source = sources.source_of(name, chosen, args, settings=settings, hub=hub, folder=cache)
    log(f"{chosen.name}: {json.dumps(source.told)}")

    def complain(error: BadRow) -> None:
        on_trouble(f"{chosen.name}: {error}")

    with contextlib.ExitStack() as stack:
        form = format_of_data(chosen, source.paths[0])
        shelf = stack.enter_context(Shelf(source.paths[0], *source.paths[1:], format=form, on_error=complain))
        tasks = Tasks(shelf, chosen, limit=_first(config.limit, len(shelf)))
        data_hash = hash_of(source.paths[0]) if len(source.paths) == 1 and not source.paths[0].is_dir() else ""
        peer = chosen.peer(tasks[next(iter(tasks))].kind, data_hash) if config.strict_compat else None
        options, body = _generation(config)
        client = stack.enter_context(_client(config, settings, options, body))
        run = Evaluation(
            chosen,
            tasks,
            client,
            jury,
            model_id=model_id,
            folder=folder,
            name=f"{chosen.name}_{SUBSET}",
            repeats=config.repeats,
            batch=config.eval_batch_size,
            peer=peer,
            prompt_template=args.prompt_template,
            system_prompt=args.system_prompt,
            settings=body,
            ignore_errors=config.ignore_errors,
            rerun_review=config.rerun_review,
            on_progress=None if on_progress is None else lambda now: on_progress(chosen.name, now),
            on_trouble=on_trouble,
        )
        outcome = run.run()
        scoring = "codejury" if peer is None else f"strict-compat: as {peer.peer}"
        report = report_of(chosen, model_id, outcome.tallies, outcome.counts, repeats=config.repeats, scoring=scoring)
        path = folder / "reports" / model_id / f"{chosen.name}.json"
        results = folder / "results" / model_id / f"{chosen.name}_eval_results.json"
        report = msgspec.structs.replace(report, path=str(path), results=str(results))
        rows = _result_rows(run.reviews, tasks, config.repeats)
        write_results(results, rows, _said(report, outcome, source, peer), data_hash=data_hash)
        write_report(path, chosen, report)
    log(f"{chosen.name}: {msgspec.json.encode(report.counts).decode()} score {report.score} pass@k {report.pass_at_k}")
    return report


# ── What is asked of whom ────────────────────────────────────────────────────────────────────────────────────────────


def _generation(config: TaskConfig) -> tuple[dict[str, Any], dict[str, Any]]:
    """Options of the client, and fields of the request's body."""
    body: dict[str, Any] = {"temperature": _TEMPERATURE}
    options: dict[str, Any] = {}
    for name, value in config.generation_config.items():
        if name in _CLIENT:
            if value is not None:
                options[_CLIENT[name]] = value
        elif name == "n":
            if value not in (None, 1):
                raise UsageError("generation_config: n: expected 1; several answers a task are --repeats")
        elif name == "extra_body" and isinstance(value, dict):
            body.update(value)
        elif name not in _PASSED_OVER:
            body[name] = value
    if "total_s" in options:
        options["read_s"] = options["total_s"]
    return options, {name: value for name, value in body.items() if value is not None}


def _client(
    config: TaskConfig, settings: environment.Settings, options: dict[str, Any], body: dict[str, Any]
) -> Client:
    url = config.api_url or settings.llm_url
    if not url:
        raise UsageError("api_url: expected the address of an OpenAI-compatible server, such as http://host:8000/v1")
    return Client(url, config.model, key=config.api_key, concurrency=config.eval_batch_size, extra=body, **options)


def _first(limit: float | None, total: int) -> int | None:
    if limit is None:
        return None
    return max(1, math.floor(limit * total)) if limit < 1 else int(limit)


# ── The folder ───────────────────────────────────────────────────────────────────────────────────────────────────────


def _folder(config: TaskConfig) -> Path:
    if config.use_cache:
        folder = Path(config.use_cache)
        if not folder.is_dir():
            raise UsageError(f"use_cache: {folder}: expected the folder of an earlier run")
        return folder
    root = Path(config.work_dir)
    folder = root if config.no_timestamp else root / datetime.now().strftime("%Y%m%d_%H%M%S")
    for number in range(1, 1000):  # two runs that begin in one second are two runs
        try:
            folder.mkdir(parents=True, exist_ok=config.no_timestamp)
            return folder
        except FileExistsError:
            if config.no_timestamp:
                break
            folder = folder.with_name(f"{folder.name.split('-')[0]}-{number}")
        except OSError as error:
            raise UsageError(f"work_dir: {folder}: cannot be made: {error.strerror}") from None
    raise UsageError(f"work_dir: {folder}: expected a folder")


@contextlib.contextmanager
def _log(folder: Path) -> Iterator[Callable[[str], None]]:
    path = folder / "logs" / "eval_log.log"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file: IO[str] = path.open("a", encoding="utf-8", errors="replace")
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from None
    with file:

        def log(words: str) -> None:
            file.write(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {words}\n")
            file.flush()

        yield log


def _write_config(folder: Path, config: TaskConfig, model_id: str) -> None:
    import yaml

    path = folder / "configs" / "task_config.yaml"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(yaml.safe_dump({**config.to_dict(), "model_id": model_id}, sort_keys=False), encoding="utf-8")
    except (OSError, yaml.YAMLError) as error:
        raise UsageError(f"{path}: cannot be written: {error}") from None


def _result_rows(reviews: Path, tasks: Tasks, repeats: int) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    with records.Rows(reviews) as rows:
        for group, task_id in enumerate(tasks):
            found = []
            for index in range(group * repeats, (group + 1) * repeats):
                if index in rows:
                    score = rows[index]["sample_score"]["score"]
                    subsets = msgspec.convert(score["metadata"]["subsets"], dict[Subset, SubsetVerdict])
                    found.append(row_of(task_id, score["extracted_prediction"] or "", subsets))
            if found:
                yield task_id, found


def _said(report: Report, outcome: Outcome, source: sources.Source, peer: Strict | None) -> dict[str, Any]:
    told = report.to_dict()
    for name in ("metrics", "path", "results"):
        del told[name]
    told |= {"differs": "" if peer is None else peer.differs, "data": source.told}
    told |= {"asked": outcome.asked, "judged_now": outcome.judged_now}
    return {
        "pass_at_k": {
            subset: {f"pass@{each.k}": each.value for each in found} for subset, found in report.intervals.items()
        },
        "codejury": told,
    }
