"""The options --runner and --ray-address, for commands that run many programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

_F = TypeVar("_F", bound=Callable[..., Any])


def _choose(context: click.Context, parameter: click.Parameter, runner: str) -> None:
    if runner != "local" and not context.resilient_parsing:
        from codejury import runners

        runners.choose(runner, context.params.pop("ray_address", None))
    context.params.pop("ray_address", None)


def runner_options(command: _F) -> _F:
    """They decide where sandboxes of this process run programs; the command itself sees nothing of them."""
    address = click.option(
        "--ray-address", metavar="HOST:PORT", is_eager=True, help="Of the cluster, or auto.  [one on this machine]"
    )
    runner = click.option(
        "--runner",
        type=click.Choice(["local", "ray"]),
        default="local",
        expose_value=False,
        callback=_choose,
        help="Where programs run: this machine, or the nodes of a Ray cluster (--workers is then for each node).",
    )
    return address(runner(command))
