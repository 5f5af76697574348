"""Real data for the readers: the folder `shared`, beside the repository or where CODEJURY_SHARED says."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data(root: Path) -> Path:
    """The folder with the real data; tests of it skip where it is absent."""
    folder = Path(os.environ.get("CODEJURY_SHARED") or root.parent / "shared") / "data"
    if not folder.is_dir():
        pytest.skip("no real data: neither `shared` beside the repository nor CODEJURY_SHARED has a folder `data`")
    return folder
