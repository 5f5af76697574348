"""What the tests of the judge share: one sandbox a module, and where the real data is."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import codejury

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture(scope="module")
def sandbox() -> Iterator[codejury.Sandbox]:
    with codejury.Sandbox(workers=2) as made:
        yield made


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real data, beside the project or where CODEJURY_SHARED says."""
    found = Path(os.environ.get("CODEJURY_SHARED") or ROOT.parent / "shared") / "data"
    if not found.is_dir():
        pytest.skip("no real data: expected ../shared/data, or CODEJURY_SHARED")
    return found
