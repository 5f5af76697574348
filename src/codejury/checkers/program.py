"""Checker programs: a user's own program says whether an answer is right. It runs in the sandbox, once a case.

Owns the three contracts, and the line between what a checker says of an answer and a failure of the checker's own:

    kind      is given                                                     accepts        rejects         points
    klear     is_valid_output(input, output, reference), or main() with    True           False
              the three in sys.argv
    testlib   arguments: files of input, output, answer, then `args`       0              1, 2, 4, 8      7
    kattis    arguments: files of input and answer, the directory for      42             43              score.txt
              feedback, then `args`; the output on stdin

Anything else (a crash, a limit met, another exit code, no verdict or two) is a CheckerError: neither accept nor
reject. So is a testlib checker's 3, by which it says that the jury's own answer is at fault.

klear: the script is started by klear_inside.py. Its verdict is the function's return value, a bool or numpy's;
0, 1 and None are no verdict. What it prints is a message and no more. A script without such a function is run with the
texts in sys.argv, and has to print True or False and nothing else. Text that a checker evaluates can not reach beyond
values, so that an answer cannot accept itself.
testlib: for points, `accepted` means at least 1, the full mark of checkers that give shares; who knows the scale
reads `points`. In Python and the like a crash would end with code 1 as well, and is told apart.
kattis: judgemessage.txt is the message, else what was printed. Packages with a `build` or `run` script are refused:
they want a shell and tools that a language here does not name.

One run a case: a warm start costs milliseconds, and nothing that one case leaves, in memory or in a file, is there for
the next. Comparing without a program is `compare`'s.
"""

from __future__ import annotations

import math
import re
import secrets
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import msgspec

from codejury.errors import CheckerError, InternalError, UsageError
from codejury.languages.catalog import Language
from codejury.languages.detect import detect
from codejury.model import Checker, Limits, Outcome

if TYPE_CHECKING:
    from concurrent.futures import Future

    from codejury.languages.execute import Sandbox

CHECKER_LIMITS = Limits(cpu_s=10.0, memory_mb=2048, disk_mb=1024, output_mb=16)
"""What a checker may use, whatever the submission's limits are."""

_SHOWN = 1000  # characters of a checker's words that are kept
_FOLDER = "codejury-case"  # what is laid beside the checker: a name that its own files do not have
_INPUT, _OUTPUT, _ANSWER = f"{_FOLDER}/input.txt", f"{_FOLDER}/output.txt", f"{_FOLDER}/answer.txt"
_FEEDBACK = f"{_FOLDER}/feedback/"
_TESTLIB_ENDS = frozenset({0, 1, 2, 3, 4, 7, 8})
_KATTIS_ENDS = frozenset({42, 43})

_STATUS_SAID = {
    "time_limit_exceeded": "took more than {limits.cpu_s:g} s of CPU time",
    "wall_limit_exceeded": "took more than {limits.effective_wall_s:g} s",
    "memory_limit_exceeded": "took more than {limits.memory_mb:g} MB of memory",
    "output_limit_exceeded": "printed more than {limits.output_mb:g} MB",
    "process_limit_exceeded": "started more than {limits.processes} processes",
    "file_limit_exceeded": "opened more than {limits.open_files} files",
    "disk_limit_exceeded": "needs more than {limits.disk_mb:g} MB for files, those of the case among them",
}
# How runtimes say that a program died of itself, where the exit code is one that a checker also ends with on purpose.
_CRASHES = re.compile(
    rb'^(?:Exception in thread "|Traceback \(most recent call last\):|panic: |Unhandled exception|Uncaught |'
    rb"PHP Fatal error|Node\.js v\d|\S*lua\S*: |\S+\.rb:\d+:in |fatal error: )",
    re.MULTILINE,
)
_C_FAMILY = frozenset({"c", "cpp17", "cpp20", "cpp23"})
# These die by a signal, or with a code that no contract knows; Python by testlib_inside.py.
_DIES_OTHERWISE = _C_FAMILY | {"rust", "python"}


class CheckResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a checker says of an answer.

    message   its words, for people; cut to a readable size
    points    where it gives any
    """

    accepted: bool
    message: str = ""
    points: float | None = None


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """One thing to check: what came out for an input, and the answer that is known to be right."""

    input: str
    output: str
    expected: str


def check(
    box: Sandbox, checker: Checker, *, input: str, output: str, expected: str, limits: Limits | None = None
) -> CheckResult:
    """Whether the checker accepts `output`. CheckerError where it fails to say; its message names what happened.

    limits   the checker's own; None: CHECKER_LIMITS
    """
    limits = limits or CHECKER_LIMITS
    case = Answer(input=input, output=output, expected=expected)
    if checker.kind == "klear":
        return _klear(box, checker, case, limits)
    if checker.kind == "testlib":
        return _testlib(box, checker, case, limits)
    if checker.kind == "kattis":
        return _kattis(box, checker, case, limits)
    raise UsageError(f"checker.kind: expected klear, testlib or kattis; got {checker.kind!r}")


def check_many(
    box: Sandbox, checker: Checker, answers: Iterable[Answer], *, limits: Limits | None = None
) -> Iterator[CheckResult | CheckerError]:
    """`check` for each, on all workers at a time; results in the order of the answers. A checker's failure on one is
    returned in its place and does not end the others. Answers are taken as they are needed."""
    from collections import deque
    from concurrent.futures import ThreadPoolExecutor

    def one(answer: Answer) -> CheckResult | CheckerError:
        try:
            return check(
                box, checker, input=answer.input, output=answer.output, expected=answer.expected, limits=limits
            )
        except CheckerError as error:
            return error

    under_way: deque[Future[CheckResult | CheckerError]] = deque()
    with ThreadPoolExecutor(box.workers, thread_name_prefix="codejury-check") as threads:
        try:
            for answer in answers:
                under_way.append(threads.submit(one, answer))
                if len(under_way) >= 2 * box.workers:
                    yield under_way.popleft().result()
            while under_way:
                yield under_way.popleft().result()
        finally:
            for future in under_way:
                future.cancel()


# ── The Klear contract ───────────────────────────────────────────────────────────────────────────────────────────────


def _klear(box: Sandbox, checker: Checker, case: Answer, limits: Limits) -> CheckResult:
    if checker.language is not None and box.catalog.get(checker.language).name != "python":
        raise UsageError(f"checker.language: expected python for a checker of kind klear, got {checker.language!r}")
    texts = [_encoded(text) for text in (case.input, case.output, case.expected)]
    token = secrets.token_hex(16).encode()
    head = b" ".join([token, *(str(len(text)).encode() for text in texts)]) + b"\n"
    outcome = box.run(
        _LOADER,
        language="python",
        files={**_own_files(checker), "checker.py": _encoded(checker.source), ".inside": _klear_inside(box)},
        stdin=b"".join([head, *texts]),
        limits=limits,
    )
    _refuse_limits(outcome, limits)
    frame = re.fullmatch(rb"%s (true|false|error)\n(.*)" % token, outcome.stdout, re.DOTALL)
    if frame is None or not outcome.ok or outcome.stdout.count(token) != 1:
        raise CheckerError(f"the checker ended without a verdict: {_ending(outcome)}")
    word, message = frame[1], _readable(frame[2])
    if word == b"error":
        raise CheckerError(f"the checker {message}{_words_of(outcome.stderr)}")
    return CheckResult(accepted=word == b"true", message=message or _readable(outcome.stderr))


# Compiling klear_inside.py takes longer than all the rest of a check: it is done once for each sandbox, inside, by the
# interpreter that will run it.
_LOADER = b"import marshal\nwith open('.inside', 'rb') as file:\n    code = marshal.load(file)\nexec(code)\n"
_COMPILER = b"""
import marshal, sys
with open(".inside", "wb") as file:
    marshal.dump(compile(sys.stdin.buffer.read(), "main.py", "exec"), file)
"""
_compiled: WeakKeyDictionary[Sandbox, bytes] = WeakKeyDictionary()


def _klear_inside(box: Sandbox) -> bytes:
    code = _compiled.get(box)
    if code is None:
        outcome = box.run(_COMPILER, language="python", stdin=_inside("klear_inside.py"), fetch=(".inside",))
        if not outcome.ok or ".inside" not in outcome.fetched:
            raise InternalError(f"klear_inside.py could not be compiled: {_ending(outcome)}")
        code = _compiled[box] = outcome.fetched[".inside"]
    return code


def _inside(name: str) -> bytes:
    return Path(__file__).with_name(name).read_bytes()


# ── Exit codes: testlib and Kattis ───────────────────────────────────────────────────────────────────────────────────


def _testlib(box: Sandbox, checker: Checker, case: Answer, limits: Limits) -> CheckResult:
    language = _language(box, checker)
    files = {_INPUT: _encoded(case.input), _OUTPUT: _encoded(case.output), _ANSWER: _encoded(case.expected)}
    args = (_INPUT, _OUTPUT, _ANSWER, *checker.args)
    outcome = _run(box, checker, language, files, args, b"", limits)
    message = _readable(outcome.stderr) or _readable(outcome.stdout)
    code = outcome.exit_code
    if code in (1, 2) and language.name not in _DIES_OTHERWISE and _CRASHES.search(outcome.stderr):
        code = None
    if code == 0:
        return CheckResult(accepted=True, message=message)
    if code in (1, 2, 4, 8):  # wrong, presentation, something behind the answer, an answer that ends too early
        return CheckResult(accepted=False, message=message)
    if code == 3:
        raise CheckerError(f"the checker says that the jury's own answer or input is at fault: {message}")
    if code == 7:
        points = _points(message)
        return CheckResult(accepted=points >= 1, message=message, points=points)
    raise CheckerError(f"the checker failed: {_ending(outcome)}; expected exit code 0, 1, 2, 3 or 7")


def _points(message: str) -> float:
    match = re.match(r"(?:points\s+)?([+-]?\d+(?:\.\d+)?)(?:\s|$)", message)
    if match is None:
        raise CheckerError(f"the checker gives points, and says not how many: {message!r}")
    return float(match[1])


def _kattis(box: Sandbox, checker: Checker, case: Answer, limits: Limits) -> CheckResult:
    for name in ("build", "run"):
        if name in checker.files:
            raise UsageError(
                f"checker.files: an output validator with a script {name!r} is not supported; "
                f"expected sources in one language, with `source` the one that is started"
            )
    files = {_INPUT: _encoded(case.input), _ANSWER: _encoded(case.expected), f"{_FEEDBACK}.here": b""}
    args = (_INPUT, _ANSWER, _FEEDBACK, *checker.args)
    outcome = _run(
        box, checker, _language(box, checker), files, args, _encoded(case.output), limits, fetch=(f"{_FEEDBACK}*.txt",)
    )

    def feedback(name: str) -> str:
        return _readable(outcome.fetched.get(f"{_FEEDBACK}{name}", b""))

    if outcome.exit_code not in (42, 43):
        said = feedback("judgeerror.txt") or feedback("judgemessage.txt")
        said = f"; it says: {said}" if said else ""
        raise CheckerError(f"the output validator failed: {_ending(outcome)}; expected exit code 42 or 43{said}")
    message = feedback("judgemessage.txt") or _readable(outcome.stdout) or _readable(outcome.stderr)
    return CheckResult(accepted=outcome.exit_code == 42, message=message, points=_score(feedback("score.txt")))


def _score(text: str) -> float | None:
    if not text:
        return None
    try:
        score = float(text)
    except ValueError:
        score = math.nan
    if not math.isfinite(score):
        raise CheckerError(f"the output validator's score.txt is no number: {text!r}")
    return score


def _language(box: Sandbox, checker: Checker) -> Language:
    if checker.language is not None:
        return box.catalog.get(checker.language)
    return detect(checker.source, None, box.catalog)


def _run(
    box: Sandbox,
    checker: Checker,
    language: Language,
    files: dict[str, bytes],
    args: tuple[str, ...],
    stdin: bytes,
    limits: Limits,
    *,
    fetch: tuple[str, ...] = (),
) -> Outcome:
    own, source = _own_files(checker), _encoded(checker.source)
    if language.name == "python":
        own["checker.py"], source = source, _inside("testlib_inside.py")
    outcome = box.run(
        source, language=language.name, files=own, data=files, args=args, stdin=stdin, limits=limits, fetch=fetch
    )
    if outcome.status == "compile_error":
        raise CheckerError(f"the checker does not compile{_words_of(outcome.stderr)}")
    _refuse_limits(outcome, limits, ends=_KATTIS_ENDS if checker.kind == "kattis" else _TESTLIB_ENDS)
    return outcome


def _own_files(checker: Checker) -> dict[str, bytes]:
    for name in checker.files:
        if name.split("/")[0] == _FOLDER:
            raise UsageError(f"checker.files: {name!r} lies where the case's own files are laid; choose another folder")
    return dict(checker.files)


# ── What happened, in words ──────────────────────────────────────────────────────────────────────────────────────────


def _refuse_limits(outcome: Outcome, limits: Limits, *, ends: frozenset[int] = frozenset()) -> None:
    """A limit that was met is a failure.

    ends   exit codes by which a checker speaks. Which of the lesser limits a program met is told from its words where
           it failed, and a checker's words may be those of the answer: with one of these codes it did not fail."""
    status = outcome.status
    if status not in _STATUS_SAID:
        return
    spoke = outcome.exit_code in ends and outcome.wall_s > 0  # 0: it did not start, its files do not fit
    by_its_words = ("file_limit_exceeded", "disk_limit_exceeded", "process_limit_exceeded")
    if spoke and status in by_its_words:
        return
    if spoke and status == "memory_limit_exceeded" and outcome.memory_mb < 0.9 * (limits.memory_mb or math.inf):
        return
    raise CheckerError(f"the checker {_STATUS_SAID[status].format(limits=limits)}")


def _ending(outcome: Outcome) -> str:
    end = f"signal {outcome.signal}" if outcome.signal else f"exit code {outcome.exit_code}"
    return end + _words_of(outcome.stderr)


def _words_of(stderr: bytes) -> str:
    """The end of it, where runtimes say what went wrong."""
    text = stderr.decode("utf-8", "replace").strip()
    if not text:
        return ""
    return ": " + (text if len(text) <= _SHOWN else "…" + text[-_SHOWN:])


def _readable(raw: bytes) -> str:
    """The beginning of a checker's words."""
    text = raw[: 8 * _SHOWN].decode("utf-8", "replace").strip()
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"


def _encoded(text: str) -> bytes:
    """The bytes that a text was read from, where those were no UTF-8; and never an error."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a surrogate that stands for no byte
        return text.encode("utf-8", "surrogatepass")
