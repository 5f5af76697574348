"""Every error that codejury raises on purpose.

    CodejuryError
    ├── UsageError                 what the caller gave is wrong: the message names it and says what was expected
    │   ├── UnknownLanguage        no language of that name, or none that fits the source
    │   ├── LanguageUnavailable    the language is known, its toolchain is not on this host
    │   └── SettingsError          a settings or languages file: file, place, what was expected
    ├── LevelUnavailable           this host cannot give the level that was asked for: which layer, and why
    ├── ModelError                 a chat model's server refused, failed or made no sense; or nothing more may be asked
    └── InternalError              our own failure; never a verdict, never a reward; worth a retry
        ├── SetupError             an isolation step failed before untrusted code started: step, errno
        ├── CheckerError           a checker crashed, took too long or made no sense: it neither accepts nor rejects
        ├── WorkerLost             a worker died under a run
        └── HostOverloaded         a run got so little of a core that no verdict would be fair

Invariant: nothing here is raised for what an untrusted program did. That is an Outcome.
"""

from __future__ import annotations

from typing import Literal


class CodejuryError(Exception):
    """The root of the tree."""


class UsageError(CodejuryError):
    """The caller's input is wrong."""


class UnknownLanguage(UsageError):
    """No such language, or none could be told from the source."""


class LanguageUnavailable(UsageError):
    """The toolchain of a known language is not on this host."""


class SettingsError(UsageError):
    """A settings or languages file cannot be used."""


class LevelUnavailable(CodejuryError):
    """The host cannot give the level; `layer` failed, for `reason`."""

    def __init__(self, level: str, layer: str, reason: str) -> None:
        super().__init__(f"level {level!r} is not to be had on this host: {layer}: {reason}")
        self.level = level
        self.layer = layer
        self.reason = reason


ModelTrouble = Literal[
    "refused",  # the server says no: a wrong key, no such model, a request that it does not take
    "unavailable",  # no connection, too slow, overloaded, its own failure: also after the last retry
    "malformed",  # it answered with something that is no reply
    "missing",  # only the store may answer, and it has no such exchange
    "spent",  # the calls or the money that were allowed are used up
]


class ModelError(CodejuryError):
    """A question that a model did not answer. `status` is the server's, where it gave one."""

    def __init__(self, trouble: ModelTrouble, message: str, *, status: int | None = None) -> None:
        super().__init__(message)
        self.trouble: ModelTrouble = trouble
        self.status = status


class InternalError(CodejuryError):
    """Our own failure. It says nothing about the program that was to run."""


class SetupError(InternalError):
    """An isolation step failed; nothing untrusted was started."""

    def __init__(self, step: str, errno: int, detail: str) -> None:
        super().__init__(f"sandbox set-up step {step!r} failed: {detail}")
        self.step = step
        self.errno = errno
        self.detail = detail


class CheckerError(InternalError):
    """A checker program failed. What it was to check is neither right nor wrong by that."""


class WorkerLost(InternalError):
    """The worker that held the run is gone."""


class HostOverloaded(InternalError):
    """The run waited for a core for so long that it was given up without a verdict."""
