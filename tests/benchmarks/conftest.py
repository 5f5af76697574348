"""What the tests of benchmarks share: a jury, a data file of their own, and where the real data is."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks.tasks import ROWS

from codejury import Jury

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models and hubs are on loopback here: a proxy that the environment names is not to be asked for them."""
    for name in list(os.environ):
        if name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """What golds answered in an earlier run is not to be known in this one."""
    monkeypatch.setenv("CODEJURY_CACHE", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture(scope="module")
def jury() -> Iterator[Jury]:
    with Jury(workers=2) as made:
        yield made


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "tasks.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


@pytest.fixture(scope="session")
def real() -> Path:
    """The folder of real data, beside the project or where CODEJURY_SHARED says."""
    found = Path(os.environ.get("CODEJURY_SHARED") or ROOT.parent / "shared") / "data"
    if not found.is_dir():
        pytest.skip("no real data: expected ../shared/data, or CODEJURY_SHARED")
    return found
