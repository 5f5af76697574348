"""What the tests of the sandbox share: one sandbox for each level, for the length of a module.

A level that this host does not give is skipped with the host's own reason. The sandboxes read no setting of
the one who runs the tests, and keep what they compile in a directory of their own.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sandbox.environment import only

import codejury
from codejury import model

Make = Callable[..., codejury.Sandbox]


@pytest.fixture(params=model.LEVELS)
def level(request: pytest.FixtureRequest) -> str:
    """Each level in turn."""
    return str(request.param)


@pytest.fixture(scope="module")
def make_box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Make]:
    """Makes sandboxes that are closed at the end of the module. One whose level is not to be had skips the test."""
    cache = tmp_path_factory.mktemp("cache")
    with contextlib.ExitStack() as made:

        def make(
            level: str = "auto", *, workers: int = 2, settings: dict[str, Any] | None = None, **options: Any
        ) -> Any:
            with only(**{"CACHE": cache, **(settings or {})}):
                box = made.enter_context(codejury.Sandbox(workers, level, **options))
            try:
                box.prepare()
            except codejury.LevelUnavailable as error:
                pytest.skip(str(error))
            return box

        yield make


@pytest.fixture(scope="module")
def box_of(make_box: Make) -> Callable[[str], codejury.Sandbox]:
    """The module's sandbox of a level, made when first asked for."""
    boxes: dict[str, codejury.Sandbox] = {}

    def get(level: str) -> codejury.Sandbox:
        if level not in boxes:
            boxes[level] = make_box(level)
        return boxes[level]

    return get


@pytest.fixture
def box(level: str, box_of: Callable[[str], codejury.Sandbox]) -> codejury.Sandbox:
    """The module's sandbox of each level in turn."""
    return box_of(level)
