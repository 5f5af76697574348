"""What the tests of rewards share: one jury a session, and programs that double a number."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import codejury


@pytest.fixture(scope="session")
def jury() -> Iterator[codejury.Jury]:
    with codejury.Jury(workers=2) as made:
        yield made
