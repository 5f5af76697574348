"""What every test may lean on: the order of the tests, the project's root, and the material shared beside it.

Order: quick tests of the source first, then the attacks, then the faults, then whatever is marked slow.
A mistake shows up in the first seconds.
"""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from browsing import browser  # noqa: F401 - a fixture, of whoever asks for it
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent
# Who starts the suite in the background (`nohup make test &`) has it ignore Ctrl-C, and all that it starts: tests that
# send one would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

LAST = ("attacks", "faults")  # folders of tests/ that come after all others, in this order

# No deadline: on a loaded machine a run in the sandbox takes longer, and is no less right for it.
settings.register_profile("codejury", deadline=None, print_blob=True)
settings.load_profile("codejury")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=_turn)  # stable: within one turn the order stays as collected


def _turn(item: pytest.Item) -> tuple[bool, int]:
    folders = item.path.relative_to(ROOT / "tests").parts[:-1]
    place = LAST.index(folders[0]) + 1 if folders and folders[0] in LAST else 0
    return item.get_closest_marker("slow") is not None, place


@pytest.fixture(scope="session")
def root() -> Path:
    """The root of the repository."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder `shared` beside the repository: designs, data and seeds that are not part of it."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("there is no folder `shared` beside the repository")
    return folder
