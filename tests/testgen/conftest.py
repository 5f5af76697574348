"""One crew for all tests of a module, and the real data where it is there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from codejury import Sandbox
from codejury.testgen.crew import Crew


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(workers=2) as box:
        yield box


@pytest.fixture
def crew(sandbox: Sandbox) -> Iterator[Crew]:
    with Crew(sandbox) as each:
        yield each


@pytest.fixture(scope="session")
def klear(root: Path) -> Path:
    """The folder with Klear's published rows."""
    folder = Path(os.environ.get("CODEJURY_SHARED") or root.parent / "shared") / "data" / "klear"
    if not folder.is_dir():
        pytest.skip("no real data: neither `shared` beside the repository nor CODEJURY_SHARED has data/klear")
    return folder
