"""Problems to write generators for, and the servers of these tests are on loopback: no proxy is asked for them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from codejury import Sandbox


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(workers=2) as box:
        yield box


@pytest.fixture
def file_of(tmp_path: Path) -> Callable[..., Path]:
    def make(*rows: dict[str, Any]) -> Path:
        return written(tmp_path / "P.jsonl", *rows)

    return make


def written(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path
