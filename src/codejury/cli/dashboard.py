"""The option --dashboard of long commands: what they do, in a browser, while they do it."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import click

from codejury.cli import progress

if TYPE_CHECKING:
    from codejury.service.options import Options

_F = TypeVar("_F", bound=Callable[..., Any])
_HERE = "127.0.0.1:0"


def dashboard_option(command: _F) -> _F:
    """The command itself sees nothing of it; where it is not given, nothing is imported and nobody looks on."""

    @functools.wraps(command)
    def run(*args: Any, dashboard: str | None, **given: Any) -> Any:
        if dashboard is None:
            return command(*args, **given)
        with _open(dashboard, f"codejury {click.get_current_context().info_name}"):
            return command(*args, **given)

    option = click.option(
        "--dashboard",
        metavar="[HOST:PORT]",
        is_flag=False,
        flag_value=_HERE,
        help="Show the run in a browser, at this address; on loopback at any free port where none is named.",
    )
    return option(run)  # type: ignore[return-value]


@contextlib.contextmanager
def _open(address: str, title: str) -> Iterator[None]:
    from codejury.errors import UsageError

    try:
        from codejury.service import aside
        from codejury.service.live import PartNow
    except ImportError as error:
        raise UsageError(f"--dashboard needs more packages ({error.name}): pip install 'codejury[serve]'") from None
    from codejury.languages.execute import watching
    from codejury.sandbox.watch import Watch

    options = _options(address)
    watch = Watch()

    def parts() -> list[PartNow]:
        return [
            PartNow(name=name, done=told.done, total=told.total, share=told.share, counts=dict(told.counts))
            for name, told in progress.looked_at()
        ]

    with progress.onlooker(), aside.shown(options, title, watch, parts) as port, watching(watch):
        shown = f"[{options.host}]" if ":" in options.host else options.host
        progress.note(f"dashboard at http://{shown}:{port}/")
        yield


def _options(address: str) -> Options:
    from codejury import settings
    from codejury.errors import UsageError
    from codejury.service.options import Options
    from codejury.service.server import is_loopback

    host, colon, port = address.rpartition(":")
    if not colon:
        host, port = ("127.0.0.1", address) if address.isdigit() else (address, "0")
    host = host.removeprefix("[").removesuffix("]") or "127.0.0.1"
    if not (port.isascii() and port.isdigit() and int(port) < 65536):
        raise UsageError(f"--dashboard: expected HOST:PORT, as 127.0.0.1:8081, got {address!r}")
    token = settings.load().token
    if token is None and not is_loopback(host):
        raise UsageError(f"--dashboard {host}: expected CODEJURY_TOKEN as well, since others can reach this address")
    return Options(host=host, port=int(port), token=token, grace_s=2, connections=256)
