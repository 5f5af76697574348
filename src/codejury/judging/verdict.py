"""What an outcome is worth, before anybody looks at the answer.

Owns the table from what a process did to the verdict on it, and the words that go with it.
"""

from __future__ import annotations

from codejury.judging import clock
from codejury.model import Limits, Outcome, Status, Verdict

_WORDS = 2000  # characters of a program's own words that go into a message

_VERDICTS: dict[Status, Verdict] = {
    "runtime_error": "runtime_error",
    "memory_limit_exceeded": "memory_limit_exceeded",
    "output_limit_exceeded": "output_limit_exceeded",
    "process_limit_exceeded": "runtime_error",
    "file_limit_exceeded": "runtime_error",
    "disk_limit_exceeded": "runtime_error",
    "compile_error": "compile_error",
}


def failure(outcome: Outcome, limits: Limits) -> Verdict | None:
    """None: it ran as a program should, and its answer decides."""
    if outcome.status == "compile_error":
        return "compile_error"
    if outcome.status in ("memory_limit_exceeded", "output_limit_exceeded"):
        return _VERDICTS[outcome.status]
    if clock.too_slow(outcome, limits):
        return "time_limit_exceeded"
    return _VERDICTS.get(outcome.status)


def words(outcome: Outcome, limits: Limits) -> str:
    """Why it failed, for a person."""
    said = ending(outcome.stderr)
    match outcome.status:
        case "compile_error":
            return said
        case "wall_limit_exceeded":
            return f"still running after {outcome.wall_s:.2f} s on the clock, with {outcome.cpu_s:.2f} s of CPU time"
        case _ if clock.too_slow(outcome, limits):
            return f"used {outcome.cpu_s:.2f} s of CPU time; the limit is {limits.cpu_s:g} s"
        case "memory_limit_exceeded":
            return f"used more memory than {limits.memory_mb:g} MB"
        case "output_limit_exceeded":
            return f"wrote more than {limits.output_mb:g} MB"
        case "process_limit_exceeded":
            reason = f"met the limit of {limits.processes} processes and threads"
        case "file_limit_exceeded":
            reason = f"met the limit of {limits.open_files} open files"
        case "disk_limit_exceeded":
            reason = f"filled its working directory of {limits.disk_mb:g} MB"
        case _ if outcome.signal is not None:
            reason = f"ended by signal {outcome.signal}"
        case _:
            reason = f"ended with exit code {outcome.exit_code}"
    return f"{reason}\n{said}" if said else reason


def ending(text: bytes) -> str:
    """The end of a program's words: that is where a traceback says what happened."""
    shown = text[-4 * _WORDS :].decode(errors="replace").strip()
    return shown if len(shown) <= _WORDS else f"…{shown[-_WORDS:]}"
