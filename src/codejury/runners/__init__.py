"""Where programs run: on this machine (`codejury.sandbox.Pool`), or on the nodes of a Ray cluster (`ray.RayPool`).

    from codejury import Jury, Sandbox
    from codejury.runners.ray import RayPool

    with Sandbox(pool=RayPool(address="auto")) as sandbox, Jury(sandbox) as jury: ...

All that decides (what to run, on what, and what comes of it) stays in one process: the result is the same wherever the
programs ran.

`jury` is for who is called again and again, as a reward function is: one jury a cluster, kept for the life of the
process.
"""

from __future__ import annotations

import atexit
import functools
import os
import sys
import threading
from typing import TYPE_CHECKING

from codejury.errors import UsageError
from codejury.judging.jury import Jury, shared
from codejury.languages.execute import Sandbox, run_on
from codejury.sandbox.pool import Pool

if TYPE_CHECKING:
    from codejury.runners.ray import RayPool

RUNNERS = ("local", "ray")


def choose(runner: str, address: str | None = None) -> None:
    """Where sandboxes of this process run their programs from now on, unless they are given a pool."""
    if runner == "local":
        run_on(Pool)
    elif runner == "ray":
        from codejury.runners.ray import RayPool

        run_on(functools.partial(RayPool, address=address))
    else:
        raise UsageError(f"runner: expected one of {', '.join(RUNNERS)}, got {runner!r}")


_kept: dict[str | None, tuple[RayPool, Sandbox, Jury]] = {}
_lock = threading.Lock()
_forked_from_ray = False


def jury(runner: str = "local", address: str | None = None) -> Jury:
    """The jury of the process on that runner: made at the first call, closed at exit. A cluster that this process is no
    longer connected to is connected to anew."""
    if runner == "local":
        if address is not None:
            raise UsageError(f"ray_address: expected runner='ray' as well, got {address!r} alone")
        return shared()
    if runner != "ray":
        raise UsageError(f"runner: expected one of {', '.join(RUNNERS)}, got {runner!r}")
    if _forked_from_ray:
        raise UsageError(
            "runner: a process that was forked from one with a connection to Ray cannot use it; "
            "start it in another way (spawn), or take 'local'"
        )
    from codejury.runners.ray import RayPool

    with _lock:
        found = _kept.get(address)
        if found is not None and not found[0].is_connected:
            del _kept[address]
            _close(found, os.getpid())
            found = None
        if found is None:
            pool = RayPool(address=address)
            sandbox = Sandbox(pool=pool)
            found = _kept[address] = (pool, sandbox, Jury(sandbox))
            atexit.register(_close, found, os.getpid())
        return found[2]


def _close(kept: tuple[RayPool, Sandbox, Jury], pid: int) -> None:
    """A fork inherits what is to be done at exit, and must leave it to the other."""
    if os.getpid() == pid:
        pool, sandbox, jury = kept
        jury.close()
        sandbox.close()
        pool.close()


def _after_fork() -> None:
    global _lock, _forked_from_ray
    _lock = threading.Lock()
    _kept.clear()
    ray = sys.modules.get("ray")
    _forked_from_ray = _forked_from_ray or (ray is not None and bool(ray.is_initialized()))


os.register_at_fork(after_in_child=_after_fork)
