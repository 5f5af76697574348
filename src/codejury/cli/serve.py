"""`codejury serve`: running and judging over HTTP."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from codejury.cli.runner import runner_options

if TYPE_CHECKING:
    from codejury.service.server import Server


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8080, show_default=True, help="0: any that is free.")
@click.option("--workers", type=click.IntRange(1, 4096), help="Programs at a time.  [as many as cores]")
@click.option("--level", type=click.Choice(["auto", "full", "rootless", "landlock"]), default="auto", help="Isolation.")
@runner_options
@click.option("--token", help="What clients have to show. Better in CODEJURY_TOKEN: options are seen by every user.")
@click.option("--insecure", is_flag=True, help="Listen on any address without a token.")
@click.option("--places", type=click.IntRange(1), default=1024, show_default=True, help="Requests that may wait.")
@click.option("--body-mb", type=click.FloatRange(0.001), default=64, show_default=True, help="Largest request.")
@click.option("--max-seconds", type=click.FloatRange(10), default=600, show_default=True, help="Longest time limit.")
@click.option(
    "--memory-mb", type=click.FloatRange(16), default=4096, show_default=True, help="Most memory of a program."
)
@click.option("--grace-s", type=click.FloatRange(0), default=60, show_default=True, help="For what runs at the end.")
def serve(
    host: str,
    port: int,
    workers: int | None,
    level: str,
    token: str | None,
    insecure: bool,
    places: int,
    body_mb: float,
    max_seconds: float,
    memory_mb: float,
    grace_s: float,
) -> None:
    """Run and judge programs for others, over HTTP.

    \b
      codejury serve --port 8080
      curl -s localhost:8080/run_code -d '{"code": "print(6 * 7)", "language": "python"}'

    Speaks the protocol of SandboxFusion (/run_code, /submit), open-r1's /execute_batch, and its own /judge and
    /judge_batch; /openapi.json describes them. Listens on loopback; any other address needs a token, or --insecure.
    SIGTERM ends it: what runs is finished, what comes is refused.
    """
    from codejury import settings
    from codejury.errors import UsageError
    from codejury.service.options import Options

    try:
        from codejury.service import server
    except ImportError as error:
        raise UsageError(f"codejury serve needs more packages ({error.name}): pip install 'codejury[serve]'") from None

    def say(running: Server, listening: int) -> None:
        shown = f"[{host}]" if ":" in host else host
        click.echo(f"codejury: listening on http://{shown}:{listening}", err=True)

    known = settings.load()
    options = Options(
        host=host,
        port=port,
        workers=workers,
        level=level,
        token=settings.parse_token(token, where="--token") if token is not None else known.token,
        insecure=insecure,
        places=places,
        body_mb=body_mb,
        timeout_s=max_seconds,
        memory_mb=memory_mb,
        grace_s=grace_s,
    )
    ended_by = server.serve(options, started=say)
    if ended_by == 2:  # Ctrl-C
        sys.exit(130)
