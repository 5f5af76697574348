"""`codejury run`: one file, one run. Without --json it behaves as the program itself would."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

_NOTES = {
    "time_limit_exceeded": "stopped: over the CPU time limit",
    "wall_limit_exceeded": "stopped: over the wall clock limit",
    "memory_limit_exceeded": "stopped: over the memory limit",
    "output_limit_exceeded": "stopped: over the output limit",
    "process_limit_exceeded": "failed: met the limit of processes",
    "file_limit_exceeded": "failed: met the limit of open files",
    "disk_limit_exceeded": "failed: filled its working directory",
    "compile_error": "the compiler refused the program",
}


@click.command(context_settings={"ignore_unknown_options": False})
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.argument("args", nargs=-1)
@click.option("--language", "-l", metavar="L", help="Name or alias; else told from the file's name and text.")
@click.option("--stdin", "stdin", metavar="FILE|-", help="What the program reads; '-' is our own standard input.")
@click.option(
    "--time", "cpu_s", metavar="S", type=float, default=5.0, show_default=True, help="CPU seconds of the tree."
)
@click.option("--wall", "wall_s", metavar="S", type=float, help="Wall seconds, waiting for a core left out.")
@click.option(
    "--memory", "memory_mb", metavar="MB", type=float, default=1024, show_default=True, help="Of the whole tree."
)
@click.option("--output", "output_mb", metavar="MB", type=float, default=64, show_default=True, help="Of each stream.")
@click.option("--processes", metavar="N", type=int, default=64, show_default=True, help="Processes and threads.")
@click.option("--disk", "disk_mb", metavar="MB", type=float, default=256, show_default=True, help="Of files written.")
@click.option(
    "--level",
    type=click.Choice(["auto", "full", "rootless", "landlock"]),
    default="auto",
    help="Isolation; an error where this host cannot give it.",
)
@click.option("--fresh", is_flag=True, help="A new Python interpreter rather than a fork of a waiting one.")
@click.option("--json", "as_json", is_flag=True, help="Print the whole outcome as one JSON object, exit with 0.")
def run(
    file: Path,
    args: tuple[str, ...],
    language: str | None,
    stdin: str | None,
    cpu_s: float,
    wall_s: float | None,
    memory_mb: float,
    output_mb: float,
    processes: int,
    disk_mb: float,
    level: str,
    fresh: bool,
    as_json: bool,
) -> None:
    """Run FILE in the sandbox with ARGS, and pass its output and exit code through.

    \b
    codejury run solution.cpp --stdin tests/1.in --time 2 --memory 256
    echo 1 2 | codejury run sum.py --stdin - --json

    A program that a signal ends gives 128 + its number, as in a shell; one that is stopped for a limit gives 137
    and a note on standard error; one that does not compile gives 1 and the compiler's words.
    """
    from codejury.errors import UsageError
    from codejury.languages.execute import Sandbox
    from codejury.model import Limits

    try:
        limits = Limits(
            cpu_s=cpu_s, wall_s=wall_s, memory_mb=memory_mb, output_mb=output_mb, processes=processes, disk_mb=disk_mb
        )
    except ValueError as error:
        raise UsageError(str(error)) from error
    with Sandbox(workers=1, level=level) as box:
        outcome = box.run(file, language=language, stdin=_input(stdin), args=args, limits=limits, fresh=fresh)
    if as_json:
        click.echo(json.dumps(outcome.as_json(), ensure_ascii=False))
        return
    sys.stdout.buffer.write(outcome.stdout)
    sys.stdout.flush()
    sys.stderr.buffer.write(outcome.stderr)
    if outcome.status in _NOTES:
        sys.stderr.write(f"codejury: {_NOTES[outcome.status]}\n")
    sys.stderr.flush()
    sys.exit(128 + outcome.signal if outcome.signal else outcome.exit_code or 0)


def _input(name: str | None) -> bytes:
    from codejury.errors import UsageError

    if name is None:
        return b""
    if name == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise UsageError(f"--stdin {name}: {error.strerror}") from error
