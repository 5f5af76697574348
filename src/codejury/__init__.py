"""codejury: the jury for code models. Safe runs of untrusted programs, and on top of them verdicts, tests and rewards.

    import codejury
    outcome = codejury.run("print(int(input()) * 2)", language="python", stdin="21\\n")
    outcome.status, outcome.stdout      # 'ok', b'42\\n'

Names are loaded when they are first used: importing this module costs a few milliseconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from codejury.errors import (
    CheckerError,
    CodejuryError,
    HostOverloaded,
    InternalError,
    LanguageUnavailable,
    LevelUnavailable,
    SettingsError,
    SetupError,
    UnknownLanguage,
    UsageError,
    WorkerLost,
)

if TYPE_CHECKING:
    from codejury.languages.execute import Job, Sandbox, run, run_async
    from codejury.model import Command, Limits, Outcome

__version__ = "0.1.0"

__all__ = [
    "CheckerError",
    "CodejuryError",
    "Command",
    "HostOverloaded",
    "InternalError",
    "Job",
    "LanguageUnavailable",
    "LevelUnavailable",
    "Limits",
    "Outcome",
    "Sandbox",
    "SettingsError",
    "SetupError",
    "UnknownLanguage",
    "UsageError",
    "WorkerLost",
    "__version__",
    "run",
    "run_async",
]

_HOMES = {
    **dict.fromkeys(("Command", "Limits", "Outcome"), "codejury.model"),
    **dict.fromkeys(("Job", "Sandbox", "run", "run_async"), "codejury.languages.execute"),
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'codejury' has no attribute {name!r}")
    import importlib

    value = globals()[name] = getattr(importlib.import_module(_HOMES[name]), name)
    return value
