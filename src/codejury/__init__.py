"""codejury: the jury for code models. Safe runs of untrusted programs, and on top of them verdicts, tests and rewards.

    import codejury
    outcome = codejury.run("print(int(input()) * 2)", language="python", stdin="21\\n")
    outcome.status, outcome.stdout      # 'ok', b'42\\n'
    codejury.judge("print(int(input()) * 2)", [("21", "42")]).verdict      # 'success'

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
    ModelError,
    SettingsError,
    SetupError,
    UnknownLanguage,
    UsageError,
    WorkerLost,
)

if TYPE_CHECKING:
    from codejury.benchmarks.task import TaskConfig, run_task
    from codejury.judging.jury import Jury, judge, judge_async, judge_many
    from codejury.languages.execute import Job, Sandbox, run, run_async
    from codejury.model import (
        CaseResult,
        Checker,
        Command,
        Comparison,
        Judgement,
        Limits,
        Outcome,
        Problem,
        Submission,
        TestCase,
    )

__version__ = "0.1.0"

__all__ = [
    "CaseResult",
    "Checker",
    "CheckerError",
    "CodejuryError",
    "Command",
    "Comparison",
    "HostOverloaded",
    "InternalError",
    "Job",
    "Judgement",
    "Jury",
    "LanguageUnavailable",
    "LevelUnavailable",
    "Limits",
    "ModelError",
    "Outcome",
    "Problem",
    "Sandbox",
    "SettingsError",
    "SetupError",
    "Submission",
    "TaskConfig",
    "TestCase",
    "UnknownLanguage",
    "UsageError",
    "WorkerLost",
    "__version__",
    "judge",
    "judge_async",
    "judge_many",
    "run",
    "run_async",
    "run_task",
]

_HOMES = {
    **dict.fromkeys(("TaskConfig", "run_task"), "codejury.benchmarks.task"),
    **dict.fromkeys(("Command", "Limits", "Outcome"), "codejury.model"),
    **dict.fromkeys(("CaseResult", "Checker", "Comparison", "Judgement"), "codejury.model"),
    **dict.fromkeys(("Problem", "Submission", "TestCase"), "codejury.model"),
    **dict.fromkeys(("Jury", "judge", "judge_async", "judge_many"), "codejury.judging.jury"),
    **dict.fromkeys(("Job", "Sandbox", "run", "run_async"), "codejury.languages.execute"),
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'codejury' has no attribute {name!r}")
    import importlib

    value = globals()[name] = getattr(importlib.import_module(_HOMES[name]), name)
    return value
