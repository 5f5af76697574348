"""What is written beside the output: lines that could not be worked on, and the record of the runs.

    T.jsonl            the rows (dataset.Store)
    T.errors.jsonl     {line, error, row | text | base64}: made anew by each run, which sees the whole input again;
                       not there where nothing is wrong
    T.run.json         {"runs": [{state, started, seconds, settings, versions, host, sandbox, counts, timings}, …]}

A run is in the record from its beginning, as `running`; one that was killed stays so.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from codejury.errors import CodejuryError, UsageError
from codejury.languages.execute import Sandbox
from codejury.testgen.options import Options


class Errors:
    """The lines that could not be worked on. Safe from several threads."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise UsageError(f"{path}: cannot be written: {error.strerror}") from None

    def add(self, told: dict[str, Any]) -> None:
        line = json.dumps(told).encode() + b"\n"
        with self._lock:
            try:
                with self.path.open("ab", buffering=0) as file:
                    file.write(line)
            except OSError as error:
                raise UsageError(f"{self.path}: cannot be written: {error.strerror}") from None


class Record:
    """The record of one run, after those of the runs before it."""

    def __init__(self, path: Path, *, input: Path, output: Path, options: msgspec.Struct, more: dict[str, Any]) -> None:
        self.path = path
        self._before = _earlier(path)
        self._since = time.monotonic()
        self._run: dict[str, Any] = {
            "state": "running",
            "started": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "seconds": 0.0,
            "input": str(input),
            "output": str(output),
            "settings": {**settings_of(options), **more},
            "versions": _versions(),
            "host": _host(),
        }
        self._write()

    def end(
        self,
        state: str,
        *,
        sandbox: Sandbox,
        languages: set[str],
        counts: dict[str, int],
        timings: dict[str, dict[str, float]],
    ) -> None:
        self._run["state"] = state
        self._run["seconds"] = round(time.monotonic() - self._since, 3)
        self._run["counts"] = counts
        self._run["timings"] = timings
        with contextlib.suppress(CodejuryError):  # what cannot be asked any more is left out
            self._run["sandbox"] = {
                "level": sandbox.level,
                "layers": list(sandbox.layers),
                "workers": sandbox.workers,
            }
            for name in sorted(languages):
                tools = sandbox.toolchain(sandbox.catalog.get(name))
                self._run["versions"][name] = sandbox.version(tools)
        self._write()

    def _write(self) -> None:
        new = self.path.with_name(self.path.name + ".new")
        try:
            new.write_text(json.dumps({"runs": [*self._before, self._run]}, indent=1) + "\n")
            os.replace(new, self.path)
        except OSError as error:
            raise UsageError(f"{self.path}: cannot be written: {error.strerror}") from None


def last_run(path: Path) -> dict[str, Any]:
    """What the record says of it; nothing where that cannot be told. `settings` is an object in any case."""
    runs = _earlier(path)
    found = runs[-1] if runs and isinstance(runs[-1], dict) else {}
    return {**found, "settings": found["settings"] if isinstance(found.get("settings"), dict) else {}}


def last_settings(path: Path) -> dict[str, Any]:
    """With what the last run was made; nothing where that cannot be told."""
    settings: dict[str, Any] = last_run(path)["settings"]
    return settings


def settings_of(options: msgspec.Struct) -> dict[str, Any]:
    told: dict[str, Any] = msgspec.to_builtins(options)
    return {**told, "quorum": str(options.quorum)} if isinstance(options, Options) else told


def _earlier(path: Path) -> list[Any]:
    """The record is for people: one that cannot be read is no reason not to run."""
    try:
        runs = json.loads(path.read_bytes())["runs"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return []
    return runs if isinstance(runs, list) else []


def _versions() -> dict[str, str]:
    from codejury import __version__

    return {"codejury": __version__, "python": platform.python_version(), "kernel": platform.release()}


def _host() -> dict[str, Any]:
    memory_mb = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**20
    return {
        "machine": platform.machine(),
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_mb": round(memory_mb),
    }


def _processor() -> str:
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return ""
