"""The words of the domain as plain data: what to run, within which limits, and what came of it; what to judge, by
which tests, and what the judge says.

Owns no behaviour beyond what follows from the fields. An Outcome says what a process tree did; a Judgement says what
that is worth.

    Command + Limits ─► Outcome                       the sandbox
    Submission + Problem (TestCase …) ─► Judgement (CaseResult …)   the judge
"""

from __future__ import annotations

from collections.abc import Sequence
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
    label    what it is, in a word or two, for who looks on; changes nothing
    """

    argv: tuple[str, ...]
    env: dict[str, str] = {}
    files: dict[str, bytes] = {}
    stdin: bytes = b""
    fetch: tuple[str, ...] = ()
    warm: bool = False
    limits: Limits = Limits()
    label: str = ""


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


# ── What is judged ───────────────────────────────────────────────────────────────────────────────────────────────────

Kind = Literal[
    "stdin",  # a program that reads standard input and writes standard output
    "function",  # a function that is called with arguments and returns a value
    "script",  # code that is tested by other code: asserts, test functions, check(candidate)
]

Verdict = Literal[
    "success",
    "wrong_answer",
    "time_limit_exceeded",
    "memory_limit_exceeded",
    "output_limit_exceeded",
    "runtime_error",
    "compile_error",
    "format_error",  # the answer is in no form that could be compared
]

CompareBy = Literal["default", "exact", "tokens", "floats", "unordered"]


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """How an answer is held against the expected one.

    by             default: white space at the end of lines and blank lines at the end do not count; exact: every byte
                   does; tokens: what stands between white space; floats: tokens, and those that are numbers within the
                   tolerances; unordered: the lines in any order
    ignore_case    letters of either case are equal
    absolute, relative   tolerances of `floats`, and of function results; None for a function: as evalplus has it
    tuple_is_list  a tuple equals the list of the same elements (function results)
    unwrap         an expected list of one element is met by that element alone too (function results; APPS and TACO
                   wrap values so, and do not say when)
    same_type      tolerances hold between values of one type alone, and NaN equals nothing (function results; evalplus
                   has it so)
    oracle         the name of a rule for function results with several right values (judging/calls.py)
    """

    by: CompareBy = "default"
    ignore_case: bool = False
    absolute: float | None = None
    relative: float | None = None
    tuple_is_list: bool = False
    unwrap: bool = False
    same_type: bool = False
    oracle: str = ""


CheckerKind = Literal["klear", "testlib", "kattis"]


class Checker(msgspec.Struct, frozen=True, kw_only=True):
    """A program that decides whether an answer is right; it always runs in the sandbox.

    kind    klear: a Python script with is_valid_output(input, output, reference) and a main() that prints
            True or False; testlib: called with input, output, answer, tells by its exit code; kattis: an output
            validator
    files   more files that it needs, beside it
    args    flags, for validators that take them
    """

    kind: CheckerKind
    source: str
    language: str | None = None
    files: dict[str, bytes] = {}
    args: tuple[str, ...] = ()


class TestCase(msgspec.Struct, frozen=True, kw_only=True):
    """One test. `stdin`: input and output are texts, output None where nobody knows it. `function`: input is the list
    of arguments, output the value, as Python values. `script`: input is the test code.

    provenance   where it comes from: a file's name, a generator's
    group        test group or subset that it belongs to
    """

    __test__ = False  # not one of pytest's

    input: Any = ""
    output: Any = None
    provenance: str = ""
    group: str = ""


class Submission(msgspec.Struct, frozen=True, kw_only=True):
    """A program that somebody handed in. `files` are further files of it, beside the one that is started."""

    source: str
    id: str = ""
    language: str | None = None
    files: dict[str, bytes] = {}
    label: str = ""  # what it is known to be, where that is known: success, wrong_answer, ...


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """What a submission is judged by. `cases` may be read from disk one by one as they are asked for.

    outputs     of `function` cases: given; gold: what the first gold answers is expected; unknown: nobody says
    fn_name     the function to call (`function`), or whose candidate goes to check() (`script`)
    setup       code that goes before every test of a `script`: imports
    """

    id: str = ""
    kind: Kind = "stdin"
    cases: Sequence[TestCase] = ()
    outputs: Literal["given", "gold", "unknown"] = "given"
    fn_name: str | None = None
    setup: str = ""
    statement: str = ""
    starter_code: str = ""
    limits: Limits | None = None
    compare: Comparison = Comparison()
    checker: Checker | None = None
    golds: tuple[Submission, ...] = ()
    extra: dict[str, Any] = {}  # fields of the row that no reader knows, for writing it back


class CaseResult(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one case.

    message      why, for a person: the first difference, the end of a traceback, a checker's words
    output       what the program answered, as far as it is kept (cut to `Judgement`'s size)
    """

    index: int
    verdict: Verdict
    message: str = ""
    output: str | None = None
    cpu_s: float = 0.0
    wall_s: float = 0.0
    memory_mb: float = 0.0
    exit_code: int | None = None
    provenance: str = ""


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    """What the jury says of a submission: the first verdict, in case order, that is no success.

    cases           in case order; after an early stop the ones that were judged
    passed, total   of all the problem's cases
    shared_process  a test script had the candidate's source in its own process
    """

    verdict: Verdict
    cases: tuple[CaseResult, ...]
    passed: int
    total: int
    cpu_s: float = 0.0
    memory_mb: float = 0.0
    compile_message: str = ""
    shared_process: bool = False

    @property
    def accepted(self) -> bool:
        return self.verdict == "success"
