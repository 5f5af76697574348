"""Where programs run: on this machine (`codejury.sandbox.Pool`), or on the nodes of a Ray cluster (`ray.RayPool`).

    from codejury import Jury, Sandbox
    from codejury.runners.ray import RayPool

    with Sandbox(pool=RayPool(address="auto")) as sandbox, Jury(sandbox) as jury: ...

All that decides (what to run, on what, and what comes of it) stays in one process: the result is the same wherever the
programs ran.
"""

from __future__ import annotations

import functools

from codejury.errors import UsageError
from codejury.languages.execute import run_on
from codejury.sandbox.pool import Pool

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
