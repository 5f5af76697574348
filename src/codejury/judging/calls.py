"""Judging by calling a function: arguments in, a value out, compared here.

    call_of ─► Call ─► Sandbox ─► Outcome ─► answer_of ─► Answer ─► compare_values ─► Difference | None

Owns the call of a function in the sandbox and the comparison of values. The candidate's process gets arguments and
gives data: the expected value never enters it, and nothing that it says about itself counts. An answer is one
well-formed frame and nothing else; an ending without one is no answer, whatever the exit code. One process a case: what
a candidate keeps, it keeps from nobody but itself.

The encoding lives in values.py, what runs inside in inside/function.py, running many cases in the judge.
"""

from __future__ import annotations

import math
import secrets
import struct
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import msgspec

from codejury.errors import InternalError, UsageError
from codejury.judging import drivers, values
from codejury.judging.values import Array, BadValue, Large
from codejury.languages.execute import Job, Sandbox
from codejury.model import CaseResult, Comparison, Limits, Outcome, Status, TestCase, Verdict

_READABLE = 200  # characters of a value in a message

_VERDICTS: dict[Status, Verdict] = {
    "time_limit_exceeded": "time_limit_exceeded",
    "wall_limit_exceeded": "time_limit_exceeded",
    "memory_limit_exceeded": "memory_limit_exceeded",
    "output_limit_exceeded": "output_limit_exceeded",
    "compile_error": "compile_error",
}


def verdict_of(outcome: Outcome) -> Verdict | None:
    """What an ending alone says; None where the answer is yet to be looked at."""
    return None if outcome.ok else _VERDICTS.get(outcome.status, "runtime_error")


# ── Calling ──────────────────────────────────────────────────────────────────────────────────────────────────────────


class Call(msgspec.Struct, frozen=True):
    """A run that calls the function; its answer carries the nonce."""

    job: Job
    nonce: bytes


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a call: a value (`verdict` is None then), or the verdict that it came to without one. `cpu_s`: of a
    gold, what the call took by its own account."""

    value: Any = None
    verdict: Verdict | None = None
    message: str = ""
    cpu_s: float = 0.0


def call_of(
    sandbox: Sandbox,
    source: str,
    fn_name: str,
    *argument_lists: Sequence[Any],
    limits: Limits | None = None,
    files: Mapping[str, str | bytes] | None = None,
    starter_code: str = "",
    in_place: bool | Sequence[bool] = False,
    matches: bool = False,
    timed: bool = False,
) -> Call:
    """The run in which `fn_name`, or that method of `Solution`, is called with each list of arguments in turn.

    starter_code   where its annotations say ListNode or TreeNode, lists are made into those for candidates without
                   annotations too
    in_place       a function that is annotated to return None answers with its first argument, as it left it; one for
                   all calls, or one for each
    matches        a match of a regular expression, which is no data, is the answer True
    timed          behind each answer is what the call took: for programs whose word is taken
    """
    driver = drivers.program(sandbox, "function")
    nonce = secrets.token_bytes(16)
    order = {
        "function": fn_name,
        "calls": [list(args) for args in argument_lists],
        "hints": _hints(starter_code, fn_name) if "Node" in starter_code else {},
        "in_place": [in_place] * len(argument_lists) if isinstance(in_place, bool) else list(in_place),
        "matches": matches,
        "timed": timed,
    }
    try:
        stdin = nonce + values.encode(order)
    except BadValue as error:
        raise UsageError(f"arguments of {fn_name}: expected plain data, got {error}") from error
    laid = {**(files or {}), **driver.files, "solution.py": source.encode("utf-8", "surrogatepass")}
    job = Job(source=driver.source, language="python", stdin=stdin, files=laid, limits=limits or Limits())
    return Call(job, nonce)


def _hints(starter_code: str, fn_name: str) -> dict[str, str]:
    """Annotations of the function in the starter code: parameter -> text, and `return`."""
    import ast

    text = starter_code
    if not text.rstrip().endswith(("pass", "...")):
        text = text.rstrip() + " pass"  # starter code ends where the body is to begin
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == fn_name:
            found = {
                a.arg: ast.unparse(a.annotation) if a.annotation else "" for a in node.args.args if a.arg != "self"
            }
            if node.returns is not None:
                found["return"] = ast.unparse(node.returns)
            return found
    return {}


def _frames(data: bytes, nonce: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Kind and content of each frame; BadValue where the bytes are anything else."""
    at = 0
    while at < len(data):
        head = data[at : at + 21]
        if len(head) < 21 or head[:16] != nonce:
            raise BadValue("something else than answers was written to where answers go")
        (size,) = struct.unpack("<I", head[17:])
        if at + 21 + size > len(data):
            raise BadValue("an answer that is cut off")
        yield head[16:17], data[at + 21 : at + 21 + size]
        at += 21 + size


def _answer(kind: bytes, raw: bytes) -> Answer:
    if kind == b"V":
        try:
            return Answer(value=values.decode(raw))
        except BadValue as error:
            return Answer(verdict="format_error", message=f"the answer is not an encoded value: {error}")
    if kind == b"D":
        if len(raw) == values.DIGEST_BYTES:
            return Answer(value=Large(raw))
        return Answer(verdict="format_error", message=f"a digest of {len(raw)} bytes")
    text = raw.decode("utf-8", "replace")
    if kind == b"B":
        return Answer(verdict="format_error", message=text)
    if kind in (b"X", b"L"):
        return Answer(verdict="runtime_error", message=text)
    return Answer(verdict="format_error", message="an answer of no known kind")


def answer_of(outcome: Outcome, call: Call) -> Answer:
    """The answer to a call with one list of arguments: exactly one frame, from a run that ended well."""
    verdict = verdict_of(outcome)
    if verdict is not None:
        tail = outcome.stderr[-2000:].decode("utf-8", "replace").strip()
        ending = f"{outcome.status}, exit code {outcome.exit_code}, signal {outcome.signal}"
        return Answer(verdict=verdict, message=tail if verdict == "runtime_error" and tail else ending)
    try:
        frames = list(_frames(outcome.stdout, call.nonce))
    except BadValue as error:
        return Answer(verdict="format_error", message=str(error))
    if not frames:
        return Answer(verdict="runtime_error", message="the program ended before its function returned")
    if len(frames) > 1:
        return Answer(verdict="format_error", message=f"{len(frames)} answers to one call")
    return _answer(*frames[0])


def answers_of(outcome: Outcome, call: Call, *, until_cut: bool = False) -> list[Answer]:
    """The answers to a call with several lists of arguments, from a run that ended well; none where it wrote anything
    else than answers. `until_cut`: it was stopped, and the answers before that are wanted."""
    found: list[Answer] = []
    try:
        for frame in _frames(outcome.stdout, call.nonce):
            found.append(_answer(*frame))  # one by one: what came before a fault is kept
    except BadValue:
        return found if until_cut else []
    return found


def judge_call(
    sandbox: Sandbox,
    source: str,
    fn_name: str,
    case: TestCase,
    *,
    index: int = 0,
    comparison: Comparison | None = None,
    is_known: bool = True,
    limits: Limits | None = None,
    files: Mapping[str, str | bytes] | None = None,
    starter_code: str = "",
) -> CaseResult:
    """One case: a run of its own, and what its answer is worth. `case.input` is the list of arguments; the options
    are those of `call_of` and `compare_values`. Where the output is not known, any value will do."""
    call = call_of(
        sandbox,
        source,
        fn_name,
        case.input,
        limits=limits,
        files=files,
        starter_code=starter_code,
        in_place=case.output is not None,
        matches=comparison is not None and comparison.oracle == "not_none",
    )
    outcome = sandbox.run_job(call.job)
    answer = answer_of(outcome, call)
    verdict, message = answer.verdict, answer.message
    if verdict is None:
        difference = (
            compare_values(case.output, answer.value, comparison or Comparison(), args=case.input) if is_known else None
        )
        verdict, message = ("success", "") if difference is None else ("wrong_answer", str(difference))
    return CaseResult(
        index=index,
        verdict=verdict,
        message=message,
        output=None if answer.verdict else shown(answer.value),
        cpu_s=outcome.cpu_s,
        wall_s=outcome.wall_s,
        memory_mb=outcome.memory_mb,
        exit_code=outcome.exit_code,
        provenance=case.provenance,
    )


# ── A gold's values ──────────────────────────────────────────────────────────────────────────────────────────────────


def gold_answers(
    sandbox: Sandbox, source: str, fn_name: str, inputs: Sequence[Sequence[Any]], **options: Any
) -> list[Answer]:
    """All that `each_answer` says."""
    return list(each_answer(sandbox, source, fn_name, inputs, **options))


def each_answer(
    sandbox: Sandbox,
    source: str,
    fn_name: str,
    inputs: Sequence[Sequence[Any]],
    *,
    limits: Limits | None = None,
    batch: int = 200,
    starter_code: str = "",
    in_place: bool = False,
    matches: bool = False,
    fresh: bool = False,
    large: bool = False,
) -> Iterator[Answer]:
    """What the gold answers to each list of arguments, one after the other: who has heard enough may stop.
    Many calls share a process, since nobody has a reason to doubt a gold's word on itself; each gets arguments of its
    own. Where a batch does not come to its end (limits are for one call), its next call is made alone, and as long as
    such calls meet their limits, so are those that follow.
    `fresh`: in new interpreters, each with a hash seed of its own. `large`: a value too large to be sent is a `Large`,
    else it is no answer: most who ask want to write it down."""
    one = limits or Limits()
    many = msgspec.structs.replace(one, cpu_s=None if one.cpu_s is None else 4 * one.cpu_s, wall_s=None)
    options: dict[str, Any] = {"starter_code": starter_code, "in_place": in_place, "matches": matches}

    def told(answer: Answer, cpu_s: float) -> Answer:
        if isinstance(answer.value, Large) and not large:
            return Answer(verdict="format_error", message="the function returned a value that is too large to be sent")
        return msgspec.structs.replace(answer, cpu_s=cpu_s)

    at, size = 0, batch
    while at < len(inputs):
        chunk = inputs[at : at + size]
        if size == 1:
            single = call_of(sandbox, source, fn_name, chunk[0], limits=one, **options)
            outcome = sandbox.run_job(msgspec.structs.replace(single.job, fresh=fresh))
            yield told(answer_of(outcome, single), outcome.cpu_s)
            at, size = at + 1, 2 if outcome.ok else 1
            continue
        call = call_of(sandbox, source, fn_name, *chunk, limits=many, timed=True, **options)
        outcome = sandbox.run_job(msgspec.structs.replace(call.job, fresh=fresh))
        frames: list[tuple[bytes, bytes]] = []
        try:
            frames.extend(_frames(outcome.stdout, call.nonce))
        except BadValue:
            if outcome.ok:
                raise InternalError("a gold wrote to where answers go") from None
        if frames and frames[0][0] == b"L":  # it could not even be loaded
            yield from [_answer(*frames[0])] * (len(inputs) - at)
            return
        pairs = list(zip(frames[::2], frames[1::2], strict=False))[: len(chunk)]
        for frame, used in pairs:
            yield told(_answer(*frame), _seconds(*used))
        at += len(pairs)
        size = min(batch, 2 * size) if len(pairs) == len(chunk) else 1


def _seconds(kind: bytes, raw: bytes) -> float:
    if kind != b"S" or len(raw) != 8 or not math.isfinite(used := struct.unpack("<d", raw)[0]):
        raise InternalError("a gold wrote to where answers go")
    return float(used)


# ── Comparing ────────────────────────────────────────────────────────────────────────────────────────────────────────


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """The first place where two values differ. `path` is how to get there: `[2]["a"]`, or nothing for the whole."""

    path: str
    expected: str
    got: str
    why: str = ""

    def __str__(self) -> str:
        where = f"at {self.path}: " if self.path else ""
        note = f" ({self.why})" if self.why else ""
        return f"{where}expected {self.expected}, got {self.got}{note}"


def shown(value: Any, size: int = _READABLE) -> str:
    """Like repr(), at most `size` characters, and never more work than that, whatever the value."""
    parts: list[str] = []
    left = size

    def put(text: str) -> bool:
        nonlocal left
        parts.append(text[: max(left, 0)])
        left -= len(text)
        return left > 0

    def walk(x: Any, depth: int) -> bool:
        if isinstance(x, Large):
            return put(f"a value too large to be sent (digest {x.digest.hex()[:12]})")
        if isinstance(x, Array):
            return put(f"array of {x.dtype} {x.shape} ") and walk(x.items, depth)
        if isinstance(x, int) and not isinstance(x, bool) and x.bit_length() > 4 * size:
            return put(f"an int of {x.bit_length()} bits")
        if isinstance(x, (str, bytes, bytearray)):
            return put(repr(x[: left + 1]))
        if isinstance(x, dict):
            name = "" if type(x) is dict else type(x).__name__
            return put(name + "{") and _each(x.items(), depth, pair) and put("}")
        if isinstance(x, (list, tuple, set, frozenset, deque)):
            name, ends = {
                list: ("", "[]"), tuple: ("", "()"), set: ("", "{}"), frozenset: ("frozenset", "{}"),
            }.get(type(x), (type(x).__name__, "[]"))  # fmt: skip
            return put(name + ends[0]) and _each(x, depth, walk) and put(ends[1])
        return put(repr(x))

    def pair(x: tuple[Any, Any], depth: int) -> bool:
        return walk(x[0], depth) and put(": ") and walk(x[1], depth)

    def _each(items: Any, depth: int, show: Callable[[Any, int], bool]) -> bool:
        if depth > 20:
            return put("...")
        return all((at == 0 or put(", ")) and show(item, depth + 1) for at, item in enumerate(items))

    try:
        walk(value, 0)
    except (ValueError, RecursionError):  # a Decimal or Fraction that is too long to be written
        parts.append(f"a {type(value).__name__}")
    text = "".join(parts)
    return text if left >= 0 else text[: size - 3] + "..."


def compare_values(
    expected: Any,
    got: Any,
    comparison: Comparison | None = None,
    *,
    args: Sequence[Any] = (),
) -> Difference | None:
    """The first difference between an expected value and one that `answer_of` gave; None where there is none.

    Equal is what `==` says of plain values, and NaN equals NaN. Floats have a tolerance as evalplus gives it: where
    the expected value is a float, or a list or tuple or array of floats, 1e-6 absolute and 1e-7 relative;
    `comparison.absolute` (its `atol`) sets another, for all numbers.

    An answer beyond the bounds of values.py is known by its digest: it equals what has the same one; no tolerance.

    `comparison.oracle`, one of ORACLES, decides in the place of `==` for problems with several right answers; `args`
    are the arguments, for oracles that need them.
    """
    how = comparison or Comparison()
    if how.oracle != "anything" and (isinstance(expected, Large) or isinstance(got, Large)):
        # Nobody needs to be trusted with a digest: who has that of the right answer has had the right answer.
        return None if expected == got else _differ("", expected, got, "too large to be compared but as a whole")
    if not how.oracle and not how.same_type and type(expected) is type(got) and _plainly_equal(expected, got):
        return None
    if how.oracle == "anything":
        return None
    try:
        expected = values.decode(values.encode(expected))  # plain, as answers are
    except BadValue as error:
        raise UsageError(f"expected value: expected plain data, got {error}") from error
    oracle = how.oracle
    if oracle:
        if oracle not in ORACLES:
            raise UsageError(f"oracle: expected one of {', '.join(ORACLES)}, got {oracle!r}")
        try:
            decided = ORACLES[oracle](expected, got, args, how.absolute or 0.0)
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            return _differ("", expected, got, f"{oracle}: {error}")
        if decided is not None:
            return None if decided else _differ("", expected, got, oracle)
    exact = _difference(expected, got, _Tolerance(None, 0.0, how.tuple_is_list, not how.same_type))
    if exact is None:
        return None
    if how.unwrap and isinstance(expected, list) and len(expected) == 1:
        first = compare_values(expected[0], got, msgspec.structs.replace(how, unwrap=False))
        if first is None:
            return None
    absolute = how.absolute or 0.0
    if absolute == 0.0 and _is_floats(expected):
        absolute = 1e-6
    if absolute == 0.0 and not how.relative:
        return exact
    if how.same_type and type(expected) is not type(got):
        return exact
    relative = 1e-7 if how.relative is None else how.relative
    return _difference(expected, got, _Tolerance(absolute, relative, how.tuple_is_list, not how.same_type))


def _plainly_equal(expected: Any, got: Any) -> bool:
    """What needs no walk through both: mostly they are. `got` is plain data, whose classes nobody but Python made."""
    try:
        return bool(expected == got)
    except (RecursionError, ValueError, ArithmeticError):
        return False


def _is_floats(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(isinstance(each, float) for each in value)
    return isinstance(value, float) or (isinstance(value, Array) and value.dtype[1:2] == "f")


class _Tolerance(msgspec.Struct, frozen=True):
    absolute: float | None  # None: numbers must be equal
    relative: float
    tuple_is_list: bool
    nan_is_nan: bool


def _differ(path: str, expected: Any, got: Any, why: str = "") -> Difference:
    return Difference(path=path, expected=shown(expected), got=shown(got), why=why)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, complex, Decimal, Fraction))


def _numbers_equal(expected: Any, got: Any, how: _Tolerance) -> bool:
    try:
        if expected == got:
            return True
        if isinstance(expected, float) and isinstance(got, float) and math.isnan(expected) and math.isnan(got):
            return how.nan_is_nan
        if how.absolute is None:
            return False
        if isinstance(expected, (Decimal, Fraction)) or isinstance(got, (Decimal, Fraction)):
            expected, got = float(expected), float(got)
        if not _finite(expected) or not _finite(got):
            return False
        return bool(abs(got - expected) <= how.absolute + how.relative * abs(expected))
    except (ArithmeticError, ValueError):  # numbers beyond a float
        return False


def _finite(value: complex) -> bool:
    return math.isfinite(value.real) and math.isfinite(value.imag)


def _same_kind(expected: Any, got: Any, how: _Tolerance) -> bool:
    """Whether two containers can be equal at all."""
    for kinds in ((dict,), (set, frozenset), (list,), (tuple,), (deque,), (Array,), (bytes, bytearray)):
        if isinstance(expected, kinds):
            if isinstance(got, kinds):
                return True
            return how.tuple_is_list and {list, tuple} >= {type(expected), type(got)}
    return type(expected) is type(got)


def _difference(expected: Any, got: Any, how: _Tolerance) -> Difference | None:
    """Walks both without recursion: neither is trusted to be shallow."""
    todo: list[tuple[str, Any, Any]] = [("", expected, got)]
    while todo:
        path, left, right = todo.pop()
        if _is_number(left) and _is_number(right):
            if not _numbers_equal(left, right, how):
                return _differ(path, left, right)
        elif not _same_kind(left, right, how):
            return _differ(path, left, right, f"{type(left).__name__} and {type(right).__name__}")
        elif isinstance(left, dict):
            found = _next_in_dict(path, left, right, todo)
            if found is not None:
                return found
        elif isinstance(left, (set, frozenset)):
            if left != right:
                missing, more = left - right, right - left
                why = f"missing {shown(missing)}" if missing else f"too many: {shown(more)}"
                return _differ(path, left, right, why)
        elif isinstance(left, Array):
            if left.shape != right.shape:
                return _differ(path, left, right, f"shapes {left.shape} and {right.shape}")
            todo.append((path + ".flat", left.items, right.items))
        elif isinstance(left, (list, tuple, deque)):
            if len(left) != len(right):
                at = next((n for n, (a, b) in enumerate(zip(left, right, strict=False)) if _clearly(a, b)), None)
                why = f"lengths {len(left)} and {len(right)}" + (f", first at [{at}]" if at is not None else "")
                return _differ(path, left, right, why)
            pairs = [(f"{path}[{n}]", a, b) for n, (a, b) in enumerate(zip(left, right, strict=True)) if a is not b]
            todo += reversed(pairs)
        elif left != right:
            return _differ(path, left, right)
    return None


def _clearly(left: Any, right: Any) -> bool:
    return type(left) is not type(right) or (isinstance(left, (str, int, float)) and left != right)


def _next_in_dict(path: str, left: Any, right: Any, todo: list[tuple[str, Any, Any]]) -> Difference | None:
    if isinstance(left, Counter) and isinstance(right, Counter):
        if left == right:
            return None  # a count of zero is none
        return _differ(path, left, right)
    if isinstance(left, OrderedDict) and isinstance(right, OrderedDict) and list(left) != list(right):
        return _differ(path, left, right, "the order of the keys")
    for key in left:
        if key not in right:
            return _differ(path, left, right, f"no key {shown(key)}")
    if len(left) != len(right):
        more = next(key for key in right if key not in left)
        return _differ(path, left, right, f"key {shown(more)} is too many")
    todo += reversed([(f"{path}[{shown(key)}]", value, right[key]) for key, value in left.items()])
    return None


# ── Problems with several right answers, as evalplus has them ────────────────────────────────────────────────────────
# An oracle says True or False, or None where the usual comparison decides after all.

Oracle = Callable[[Any, Any, Sequence[Any], float], bool | None]


def _any_root(expected: Any, got: Any, args: Sequence[Any], absolute: float) -> bool:
    """A root of the polynomial whose coefficients are the argument, lowest first."""
    if not isinstance(got, (int, float)):
        return False
    total = sum(c * got**power for power, c in enumerate(args[0]))
    return bool(abs(total) <= (absolute or 1e-6))


def _as_sets(expected: Any, got: Any, args: Sequence[Any], absolute: float) -> bool | None:
    if not isinstance(got, (list, tuple, set, frozenset, dict, deque, str)):
        return False
    return set(expected) == set(got)


def _any_order(expected: Any, got: Any, args: Sequence[Any], absolute: float) -> bool | None:
    """The same elements as often, in whatever order."""
    if not isinstance(expected, (list, tuple)):
        return None
    if not isinstance(got, (list, tuple, set, frozenset, deque)) or len(got) != len(expected):
        return False
    try:
        return Counter(expected) == Counter(got)
    except TypeError:  # elements that have no hash
        pairs = zip(sorted(expected, key=repr), sorted(got, key=repr), strict=True)
        return all(one == other for one, other in pairs)


def _not_none(expected: Any, got: Any, args: Sequence[Any], absolute: float) -> bool:
    """The gold's True, or whatever it found, stands for any match."""
    wanted = expected if isinstance(expected, bool) else expected is not None
    return wanted == (got if isinstance(got, bool) else got is not None)


def _anything(expected: Any, got: Any, args: Sequence[Any], absolute: float) -> bool:
    return True


def _or_zero(expected: Any, got: Any, args: Sequence[Any], absolute: float) -> bool | None:
    return True if _is_number(got) and got == 0 else None


def _pyramid_area(expected: Any, got: Any, args: Sequence[Any], absolute: float) -> bool | None:
    """The statement's formula is for a slant height; the surface by the height itself counts too."""
    side, height = args
    area = side * side + 2 * side * math.sqrt((side / 2) ** 2 + height**2)
    return True if isinstance(got, (int, float)) and abs(got - area) <= (absolute or 1e-6) else None


def _digit_by_digit(expected: Any, got: Any, args: Sequence[Any], absolute: float) -> bool | None:
    """Digits are subtracted place by place, rather than those of the difference added up."""
    one, other = str(abs(args[0])), str(abs(args[1]))
    width = max(len(one), len(other))
    pairs = zip(one.zfill(width), other.zfill(width), strict=True)
    return True if got == sum(abs(int(a) - int(b)) for a, b in pairs) else None


ORACLES: dict[str, Oracle] = {
    "any_root": _any_root,
    "as_sets": _as_sets,
    "any_order": _any_order,
    "not_none": _not_none,
    "anything": _anything,
    "or_zero": _or_zero,
    "pyramid_area": _pyramid_area,
    "digit_by_digit": _digit_by_digit,
}
