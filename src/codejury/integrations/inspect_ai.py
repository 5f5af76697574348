"""inspect_ai: a sandbox provider that is local, needs no root and no Docker. `inspect eval task.py --sandbox codejury`

Loaded by inspect_ai through the entry point in pyproject.toml, so inspect_ai is imported at the top.

A run in the box leaves nothing behind, but a sample's commands expect the files of the commands before. So its files,
those of its home and of /tmp, travel as an archive: laid into the box before a command, packed there after it. Out here
the archive is bytes that nobody looks into; files are read and written by commands too.

    state.tar ─► box: unpack, cd, command, pack ─► state.tar
                      └ ended by a limit: nothing is packed, the files stay as they were before the command

Not there: processes that outlive their command (and with them inspect's exec_remote and what needs it), the network,
other users.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

import anyio
import anyio.to_thread
from inspect_ai.util import (
    ExecResult,
    OutputLimitExceededError,
    SandboxEnvironment,
    SandboxEnvironmentConfigType,
    SandboxEnvironmentLimits,
    SandboxUserUnsupportedError,
    sandboxenv,
)
from pydantic import BaseModel

from codejury.errors import InternalError
from codejury.languages.execute import Sandbox
from codejury.model import Command, Limits, Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping

_USERS = (None, "program", "1000")
_STATE, _LOCKED = "work/.codejury.tar", "work/.codejury.locked"
_USUAL_S = 600  # of a command for which no time-out is given
# What its owner may not read cannot be packed: it is unlocked for that, and locked again after unpacking.
_SCRIPT = f"""
place=$HOME/..
if [ -f "$place/{_STATE}" ]; then
    tar -xpf "$place/{_STATE}" -C "$place" || exit 120
    rm -f "$place/{_STATE}"
    [ -f "$place/{_LOCKED}" ] && (cd "$place" && xargs -0 -r -a {_LOCKED} chmod u-r --; rm -f {_LOCKED})
fi
cd "$1" || exit 121
shift
"$@"
code=$?
cd "$place" || exit 122
find work tmp ! -type l ! -perm -u+r -print0 > {_LOCKED} 2>/dev/null
xargs -0 -r -a {_LOCKED} chmod u+r -- 2>/dev/null
tar -cf {_STATE} --exclude={_STATE} --exclude='*/.codejury.tar' work tmp 2>/dev/null
exit $code
"""
# 40 and on: what the script says of the file, in words that no tool has of its own.
_READ = """
[ -e "$1" ] || exit 40
[ -d "$1" ] && exit 41
[ -r "$1" ] || exit 42
[ "$(stat -L -c %s -- "$1")" -le "$2" ] || exit 43
exec cat -- "$1"
"""
_WRITE = """
[ -d "$1" ] && exit 41
mkdir -p -- "$(dirname -- "$1")" || exit 42
[ ! -e "$1" ] || [ -w "$1" ] || exit 42
exec cat > "$1"
"""


class CodejuryConfig(BaseModel):
    """What a command may use: fields of codejury's Limits."""

    model_config = {"frozen": True, "extra": "forbid"}

    cpu_s: float | None = None
    memory_mb: float | None = 2048
    disk_mb: float | None = 1024
    processes: int | None = 256


_sandboxes: dict[str, Sandbox] = {}


def _shared() -> Sandbox:
    """One for all samples of the process."""
    import atexit
    import os

    key = str(os.getpid())
    if key not in _sandboxes:
        made = _sandboxes[key] = Sandbox()
        atexit.register(made.close)
    return _sandboxes[key]


@sandboxenv(name="codejury")
class CodejurySandboxEnvironment(SandboxEnvironment):
    """A sample's files, and commands on them in the box, one at a time."""

    def __init__(self, config: CodejuryConfig | None = None) -> None:
        super().__init__()
        self._config = config or CodejuryConfig()
        self._state: bytes | None = None
        self._turn = anyio.Lock()

    @classmethod
    async def sample_init(
        cls, task_name: str, config: SandboxEnvironmentConfigType | None, metadata: dict[str, str]
    ) -> dict[str, SandboxEnvironment]:
        if config is not None and not isinstance(config, CodejuryConfig):
            raise ValueError(f"sandbox codejury: expected a CodejuryConfig, got {config!r}")
        return {"default": cls(config)}

    @classmethod
    async def sample_cleanup(
        cls,
        task_name: str,
        config: SandboxEnvironmentConfigType | None,
        environments: dict[str, SandboxEnvironment],
        interrupted: bool,
    ) -> None:
        for each in environments.values():
            each.as_type(CodejurySandboxEnvironment)._state = None

    @classmethod
    def config_deserialize(cls, config: dict[str, Any]) -> BaseModel:
        return CodejuryConfig(**config)

    @classmethod
    def default_concurrency(cls) -> int | None:
        return 2 * _shared().workers

    async def exec(
        self,
        cmd: list[str],
        input: str | bytes | None = None,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        user: str | None = None,
        timeout: int | None = None,
        timeout_retry: bool = True,
        concurrency: bool = True,
    ) -> ExecResult[str]:
        if user not in _USERS:
            raise SandboxUserUnsupportedError(f"sandbox codejury: commands run as the user program, not as {user!r}")
        most = SandboxEnvironmentLimits.MAX_EXEC_OUTPUT_SIZE
        outcome = await self._run(cmd, _bytes(input), cwd or ".", env or {}, timeout, most)
        stdout, stderr = (each.decode(errors="replace") for each in (outcome.stdout, outcome.stderr))
        if outcome.status == "output_limit_exceeded":
            raise OutputLimitExceededError(SandboxEnvironmentLimits.MAX_EXEC_OUTPUT_SIZE_STR, stdout or stderr)
        code = outcome.exit_code if outcome.exit_code is not None else 128 + (outcome.signal or 0)
        if code == 126 and "Permission denied" in stderr:
            raise PermissionError(stderr.strip())
        if outcome.status == "memory_limit_exceeded":
            stderr += "\nended for its use of memory\n"
        return ExecResult(success=code == 0, returncode=code, stdout=stdout, stderr=stderr)

    async def write_file(self, file: str, contents: str | bytes) -> None:
        outcome = await self._run(["/bin/sh", "-c", _WRITE, "sh", file], _bytes(contents), ".", {}, None, 1 << 20)
        if outcome.exit_code == 41:
            raise IsADirectoryError(f"{file}: is a directory")
        if outcome.exit_code != 0:
            raise PermissionError(f"{file}: cannot be written: {outcome.stderr.decode(errors='replace').strip()}")

    @overload
    async def read_file(self, file: str, text: Literal[True] = True) -> str: ...

    @overload
    async def read_file(self, file: str, text: Literal[False]) -> bytes: ...

    async def read_file(self, file: str, text: bool = True) -> str | bytes:
        most = SandboxEnvironmentLimits.MAX_READ_FILE_SIZE
        command = ["/bin/sh", "-c", _READ, "sh", file, str(most)]
        outcome = await self._run(command, b"", ".", {}, None, most + 1)
        match outcome.exit_code:
            case 0:
                return outcome.stdout.decode() if text else outcome.stdout
            case 40:
                raise FileNotFoundError(f"{file}: no such file")
            case 41:
                raise IsADirectoryError(f"{file}: is a directory")
            case 42:
                raise PermissionError(f"{file}: permission denied")
            case 43:
                raise OutputLimitExceededError(SandboxEnvironmentLimits.MAX_READ_FILE_SIZE_STR, None)
        raise InternalError(f"{file}: could not be read: {outcome.status}: {outcome.stderr.decode(errors='replace')}")

    async def _run(
        self, cmd: list[str], stdin: bytes, cwd: str, env: Mapping[str, str], timeout: int | None, output_bytes: int
    ) -> Outcome:
        async with self._turn:
            command = Command(
                argv=("/bin/sh", "-c", _SCRIPT, "sh", cwd, *cmd),
                env=dict(env),
                files={} if self._state is None else {_STATE.removeprefix("work/"): self._state},
                stdin=stdin,
                fetch=(_STATE.removeprefix("work/"),),
                limits=Limits(
                    cpu_s=self._config.cpu_s,
                    wall_s=timeout or _USUAL_S,
                    memory_mb=self._config.memory_mb,
                    output_mb=output_bytes / 2**20,
                    disk_mb=self._config.disk_mb,
                    processes=self._config.processes,
                ),
            )
            outcome = await anyio.to_thread.run_sync(_shared().run_command, command, abandon_on_cancel=True)
            packed = outcome.fetched.get(_STATE.removeprefix("work/"))
            if packed is not None and outcome.status in ("ok", "runtime_error"):
                self._state = packed
        if outcome.status in ("time_limit_exceeded", "wall_limit_exceeded"):
            raise TimeoutError(f"{cmd[0]}: ended after {outcome.wall_s:.1f} s")
        return outcome


def _bytes(text: str | bytes | None) -> bytes:
    return text if isinstance(text, bytes) else (text or "").encode()
