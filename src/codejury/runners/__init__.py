"""Where programs run: on this machine (`codejury.sandbox.Pool`), or on the nodes of a Ray cluster (`ray.RayPool`).

    from codejury import Jury, Sandbox
    from codejury.runners.ray import RayPool

    with Sandbox(pool=RayPool(address="auto")) as sandbox, Jury(sandbox) as jury: ...

All that decides (what to run, on what, and what comes of it) stays in one process: the result is the same wherever the
programs ran.
"""
