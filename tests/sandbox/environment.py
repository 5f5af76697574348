"""Settings for a while: what the tests of the sandbox put in place of the ones of whoever runs them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest


@contextlib.contextmanager
def only(**variables: str | Path) -> Iterator[None]:
    """The environment without any setting of codejury's but these: LEVEL="full" is CODEJURY_LEVEL=full."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("CODEJURY_")]:
            patch.delenv(name)
        for name, value in variables.items():
            patch.setenv(f"CODEJURY_{name}", str(value))
        yield
