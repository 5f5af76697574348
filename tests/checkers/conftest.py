"""What the tests of the checkers share: a sandbox, and the real data where it is."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from sandbox.environment import only

import codejury

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder `shared`: beside the repository, or where CODEJURY_SHARED says."""
    folder = Path(os.environ.get("CODEJURY_SHARED") or ROOT.parent / "shared")
    if not folder.is_dir():
        pytest.skip("there is no folder `shared` beside the repository, and CODEJURY_SHARED names none")
    return folder


@pytest.fixture(scope="session")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[codejury.Sandbox]:
    with only(CACHE=tmp_path_factory.mktemp("cache")):
        made = codejury.Sandbox(2)
    with made:
        yield made
