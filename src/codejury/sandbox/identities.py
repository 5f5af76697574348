"""User and group numbers that no account has, for whoever may take them: two for each worker, its keeper's and its
programs'.

In a container with a user namespace only some numbers are there, mostly 65,536; then they are of the upper half of
those. Where there are too few, or who we are may not take another's identity, workers run as who started them.
"""

from __future__ import annotations

import functools
import os
from pathlib import Path

_USUAL = range(1879048192, 1879048192 + 2**24)  # past the ranges that systemd and shadow hand out
_FEWEST = 4096
_APART = 2654435769  # 2**32 by the golden ratio, odd: all processes of a host have their own, evenly spread
_NEEDED = (1 << 0) | (1 << 6) | (1 << 7)  # CAP_CHOWN, CAP_SETGID, CAP_SETUID


def of_worker(index: int) -> int | None:
    """The first of a worker's two; None where there are none."""
    if os.geteuid() != 0 or not _may_take():
        return None
    free = _free()
    if free is None:
        return None
    # Processes with neighbouring numbers are far apart, so that none grows into another's, however many it makes.
    return free.start + 2 * ((os.getpid() * _APART + index) % (len(free) // 2))


@functools.cache
def _free() -> range | None:
    return chosen(_mapped("uid_map"), _mapped("gid_map"))


def chosen(users: list[range], groups: list[range]) -> range | None:
    """Of those that are there for users and for groups."""
    both = [range(max(a.start, b.start), min(a.stop, b.stop)) for a in users for b in groups]
    if any(each.start <= _USUAL.start and each.stop >= _USUAL.stop for each in both):
        return _USUAL
    most = max(both, key=len, default=range(0))
    if len(most) < _FEWEST:
        return None
    end = 65000 if most.stop == 65536 else most.stop  # the last ones are nobody's, by name
    return range(most.start + (end - most.start) // 2, end)


def _mapped(name: str) -> list[range]:
    """Those that this process's user namespace has."""
    try:
        lines = Path("/proc/self", name).read_text().splitlines()
    except OSError:  # no /proc, no user namespaces
        return [range(2**32 - 1)]
    return [range(int(first), int(first) + int(count)) for first, _, count in map(str.split, lines)]


def _may_take() -> bool:
    """Root may have lost what makes it so."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return True
    held = next((int(line.split()[1], 16) for line in status.splitlines() if line.startswith("CapEff:")), _NEEDED)
    return held & _NEEDED == _NEEDED
