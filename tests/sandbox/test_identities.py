"""Which numbers workers take: those that a container's user namespace has."""

from __future__ import annotations

import pytest

from codejury.sandbox.identities import chosen

ALL = [range(2**32 - 1)]
USUAL = range(1879048192, 1879048192 + 2**24)


def test_a_host_has_all() -> None:
    assert chosen(ALL, ALL) == USUAL


def test_a_container_has_the_upper_half_of_its_own() -> None:
    found = chosen([range(65536)], [range(65536)])
    assert found == range(32500, 65000)
    assert 65534 not in found  # nobody


def test_users_and_groups_may_differ() -> None:
    podman = [range(1), range(1, 65537)]  # its own user, and those of /etc/subuid
    assert chosen(podman, ALL) == range(32769, 65537)
    assert chosen(podman, [range(1)]) is None
    assert chosen([range(100_000)], [range(50_000, 60_000)]) == range(55_000, 60_000)


@pytest.mark.parametrize("few", [[], [range(1)], [range(1000, 1001)], [range(4000)]])
def test_too_few(few: list[range]) -> None:
    assert chosen(few, ALL) is None
    assert chosen(ALL, few) is None
