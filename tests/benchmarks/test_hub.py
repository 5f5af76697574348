"""Data sets from a hub on loopback, into the cache, and out of it with no hub at all."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from benchmarks.hub_server import COMMIT, HubServer
from benchmarks.tasks import ROWS

from codejury import settings as environment
from codejury.benchmarks.catalog import HubName, benchmark
from codejury.benchmarks.hub import MANIFEST, dataset
from codejury.benchmarks.sources import args_of, as_asked, source_of
from codejury.errors import UsageError
from codejury.settings import Settings

FIRST = "".join(json.dumps(row) + "\n" for row in ROWS[:2]).encode()
SECOND = (json.dumps(ROWS[2]) + "\n").encode()
FILES = {"data/test-10.jsonl": SECOND, "data/test-2.jsonl": FIRST, "data/train-0.jsonl": b"{}\n"}
PATTERNS = ("data/test-*.jsonl", "*")


@pytest.fixture
def hub() -> Iterator[HubServer]:
    with HubServer(dict(FILES)) as made:
        yield made


@pytest.fixture
def settings(hub: HubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("CODEJURY_HF_URL", hub.url + "/")
    monkeypatch.setenv("CODEJURY_MS_URL", hub.url)
    monkeypatch.setenv("CODEJURY_CACHE", str(tmp_path / "cache"))
    return environment.load()


@pytest.mark.parametrize(("name", "revision"), [("huggingface", "main"), ("modelscope", "master")])
def test_a_data_set_is_fetched_once(name: HubName, revision: str, hub: HubServer, settings: Settings) -> None:
    found = dataset(name, "somebody/tasks", PATTERNS, settings=settings)
    assert [path.name for path in found.paths] == ["test-2.jsonl", "test-10.jsonl"], "2 comes before 10"
    assert [path.read_bytes() for path in found.paths] == [FIRST, SECOND]
    folder = settings.cache / "datasets" / name / "somebody--tasks" / revision
    told = json.loads((folder / MANIFEST).read_text())
    assert (told["hub"], told["id"], told["revision"], told["commit"]) == (name, "somebody/tasks", revision, COMMIT)
    assert [each["sha256"] for each in told["files"]] == [hashlib.sha256(each).hexdigest() for each in (FIRST, SECOND)]
    assert [each["bytes"] for each in told["files"]] == [len(FIRST), len(SECOND)]
    asked = len(hub.asked)
    assert dataset(name, "somebody/tasks", PATTERNS, settings=settings).paths == found.paths
    assert len(hub.asked) == asked, "nothing more was asked"
    hub.files["data/test-2.jsonl"] = SECOND
    again = dataset(name, "somebody/tasks", PATTERNS, settings=settings, again=True)
    assert again.paths[0].read_bytes() == SECOND


def test_a_full_cache_needs_no_hub(hub: HubServer, settings: Settings) -> None:
    found = dataset("huggingface", "somebody/tasks", PATTERNS, settings=settings)
    hub.close()
    assert dataset("huggingface", "somebody/tasks", PATTERNS, settings=settings).paths == found.paths
    hub.__init__(dict(FILES))  # type: ignore[misc]  # for the fixture to close


def test_neither_hub_nor_cache(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEJURY_HF_URL", "http://127.0.0.1:9")
    with pytest.raises(UsageError) as caught:
        dataset("huggingface", "somebody/tasks", PATTERNS, settings=environment.load())
    words = str(caught.value)
    assert words.startswith("somebody/tasks: not in the cache, and http://127.0.0.1:9 cannot be asked")
    assert "local_path" in words
    assert "CODEJURY_HF_URL" in words


def test_what_is_not_there(hub: HubServer, settings: Settings) -> None:
    with pytest.raises(UsageError, match="expected a public data set, the hub answers 404"):
        dataset("huggingface", "somebody/else", PATTERNS, settings=settings)
    with pytest.raises(UsageError, match=r"expected files like \*.parquet, the repository has README.md, data/"):
        dataset("huggingface", "somebody/tasks", ("*.parquet",), settings=settings)
    for name in ("tasks", "../x/y", "a/..", "a/b/c", "a b/c"):
        with pytest.raises(UsageError, match="expected OWNER/NAME"):
            dataset("huggingface", name, PATTERNS, settings=settings)
    hub.broken = 500
    with pytest.raises(UsageError, match=r"cannot be asked.*500"):
        dataset("huggingface", "somebody/tasks", PATTERNS, settings=settings)


def test_a_wrong_checksum_is_not_kept(hub: HubServer, settings: Settings) -> None:
    hub.lies["data/test-2.jsonl"] = "0" * 64
    with pytest.raises(UsageError, match=r"test-2.jsonl: expected the hub's checksum 0000"):
        dataset("huggingface", "somebody/tasks", PATTERNS, settings=settings)
    assert not [path for path in settings.cache.rglob("*") if path.is_file()]


def test_a_changed_file_is_not_used(settings: Settings) -> None:
    found = dataset("huggingface", "somebody/tasks", PATTERNS, settings=settings)
    found.paths[1].write_bytes(b"{}\n")
    with pytest.raises(UsageError, match=r"test-10.jsonl: expected the checksum .* remove .* to fetch it again"):
        dataset("huggingface", "somebody/tasks", PATTERNS, settings=settings)


@pytest.mark.parametrize("name", ["huggingface", "modelscope"])
def test_a_hub_cannot_write_elsewhere(name: HubName, hub: HubServer, settings: Settings) -> None:
    hub.files["../../../evil.jsonl"] = b"{}\n"
    with pytest.raises(UsageError, match="expected paths of files below the repository"):
        dataset(name, "somebody/tasks", ("*evil*",), settings=settings)


# ── Where a benchmark's data is ──────────────────────────────────────────────────────────────────────────────────────


def source(settings: Settings, name: str = "humaneval_plus", **args: Any) -> list[str]:
    chosen = benchmark(name)
    return [path.name for path in source_of(name, chosen, args_of(name, args), settings=settings).paths]


def test_a_path_goes_before_the_hub(hub: HubServer, settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "x.jsonl.gz").write_bytes(b"")
    assert source(settings, local_path=str(tmp_path / "x.jsonl.gz")) == ["x.jsonl.gz"]
    assert source(settings, dataset_id=str(tmp_path / "x.jsonl.gz")) == ["x.jsonl.gz"]
    folder = tmp_path / "parts"
    folder.mkdir()
    for name in ("b.parquet", "a.jsonl", "notes.txt"):
        (folder / name).write_bytes(b"")
    assert source(settings, local_path=str(folder)) == ["a.jsonl", "b.parquet"]
    (folder / "p").mkdir()
    (folder / "p" / "problem.yaml").write_text("name: p\n")
    assert source(settings, "kattis", local_path=str(folder)) == ["parts"]
    assert not hub.asked
    with pytest.raises(UsageError, match="expected a file or folder of tasks, there is none"):
        source(settings, local_path=str(tmp_path / "none"))


def test_an_id_and_patterns_of_your_own(settings: Settings) -> None:
    assert source(settings, dataset_id="somebody/tasks", files=["data/train*"]) == ["train-0.jsonl"]


def test_a_benchmark_without_a_hub_wants_a_path(settings: Settings) -> None:
    with pytest.raises(UsageError, match=r'klear: expected its data: --dataset-args .*"local_path"'):
        source(settings, "klear")


def test_arguments_that_are_not_known() -> None:
    with pytest.raises(UsageError, match=r"dataset_args: mbpp: .*few_shot_num"):
        args_of("mbpp", {"few_shot_num": 3})
    with pytest.raises(UsageError, match=r"dataset_args: mbpp: .*unknown field `shots`"):
        args_of("mbpp", {"shots": 3})
    changed = as_asked(benchmark("mbpp"), args_of("mbpp", {"review_timeout": 7}))
    assert (changed.script_s, changed.call_s) == (7, 7)
