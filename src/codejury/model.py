"""The words of the domain as plain data: what to run, within which limits, and what came of it.

Owns no behaviour beyond what follows from the fields. Verdicts on submissions are the judge's; an
Outcome says only what a process tree did.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

Level = Literal["full", "rootless", "landlock"]
LEVELS: tuple[Level, ...] = ("full", "rootless", "landlock")  # strongest first

Status = Literal[
    "ok",  # exit code 0
    "runtime_error",  # another exit code, or death by a signal
    "time_limit_exceeded",  # CPU time of the tree
    "wall_limit_exceeded",  # slept too long: wall time less the time spent waiting for a core
    "memory_limit_exceeded",  # memory of the tree
    "output_limit_exceeded",  # stdout or stderr, which are cut exactly there
    "process_limit_exceeded",  # failed, and had met the limit of processes and threads
    "file_limit_exceeded",  # failed, and had met the limit of open files
    "disk_limit_exceeded",  # failed, and had filled the working directory
    "compile_error",  # the compiler refused; its words are in stderr
]


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What one run may use. `None` lifts a limit, except `wall_s`.

    cpu_s        CPU seconds, user and system, of the whole process tree
    wall_s       seconds on the clock, less those in which the tree waited for a core;
                 None means twice `cpu_s` and two seconds more, or no limit where `cpu_s` is None
    memory_mb    megabytes (2**20) of the whole tree, files in the working directory among them
    output_mb    megabytes of stdout, and the same again of stderr
    processes    processes and threads at a time
    disk_mb      megabytes of files in the working directory
    open_files   open descriptors of one process
    """

    cpu_s: float | None = 5.0
    wall_s: float | None = None
    memory_mb: float | None = 1024
    output_mb: float | None = 64
    processes: int | None = 64
    disk_mb: float | None = 256
    open_files: int | None = 1024

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 2**40:
                raise ValueError(f"Limits.{name}: expected a positive number or None, got {value!r}")
            if name in ("processes", "open_files") and not isinstance(value, int):
                raise ValueError(f"Limits.{name}: expected a whole number or None, got {value!r}")

    @property
    def effective_wall_s(self) -> float | None:
        if self.wall_s is not None or self.cpu_s is None:
            return self.wall_s
        return 2 * self.cpu_s + 2


class Command(msgspec.Struct, frozen=True, kw_only=True):
    """One program to run in a fresh working directory.

    argv     the program and its arguments, as seen inside; a relative path is looked up in the working directory
    files    relative path -> content, laid into the working directory first; mode 0755
    fetch    glob patterns, matched against relative paths: regular files that are handed back afterwards
    warm     argv is a Python script (argv[0]) with its arguments, to be run in a fork of the waiting interpreter
    """

    argv: tuple[str, ...]
    env: dict[str, str] = {}
    files: dict[str, bytes] = {}
    stdin: bytes = b""
    fetch: tuple[str, ...] = ()
    warm: bool = False
    limits: Limits = Limits()


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What a run did. `exit_code` is None when a signal ended it, and the other way round.

    stdout, stderr          bytes as written, cut exactly at the limit; then the `_truncated` flag is set
    cpu_s, wall_s           CPU seconds of the tree; seconds on the clock
    memory_mb               peak of the tree
    level, layers           how the run was isolated
    fetched                 the files asked for by `Command.fetch`
    """

    status: Status
    exit_code: int | None
    signal: int | None
    stdout: bytes
    stderr: bytes
    cpu_s: float
    wall_s: float
    memory_mb: float
    level: Level
    layers: tuple[str, ...]
    stdout_truncated: bool = False
    stderr_truncated: bool = False
    fetched: dict[str, bytes] = {}

    @property
    def ok(self) -> bool:
        return self.status == "ok"

    def as_json(self) -> dict[str, Any]:
        """Plain data for machines. Bytes that are no UTF-8 are replaced, and given whole in `*_base64`."""
        import base64

        row: dict[str, Any] = {name: getattr(self, name) for name in self.__struct_fields__ if name != "fetched"}
        for name in ("stdout", "stderr"):
            raw: bytes = row[name]
            try:
                row[name] = raw.decode()
            except UnicodeDecodeError:
                row[name] = raw.decode(errors="replace")
                row[f"{name}_base64"] = base64.b64encode(raw).decode()
        row["layers"] = list(self.layers)
        return row
