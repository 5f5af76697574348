"""The calls that test code makes: arguments, as they are when the function gets them; and how long calls take.

    reference + tests ─► one run in the sandbox, with a listener in the function's place ─► argument lists
    reference + argument lists ─► one run, with a watch ─► CPU seconds of each

Owns these runs. Reading arguments out of the text of an assert would miss those that are computed, looped over or made
by helpers. What comes back is data (judging/values.py). The run decides nothing: whether the reference passes its
tests is for the jury to say.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from codejury.errors import InternalError
from codejury.judging import values
from codejury.languages.execute import Sandbox
from codejury.model import Limits, Problem

_MOST_CALLS = 2000
_LISTENER = """
import inspect, types
from codejury_values import BadValue, encode
def read(name):
    with open(name, encoding="utf-8", errors="surrogatepass", newline="") as file:
        return file.read()
with open("order.bin", "rb") as file:
    from codejury_values import decode
    order = decode(file.read())
module = types.ModuleType("solution")
exec(compile(read("solution.py"), "solution.py", "exec", dont_inherit=True), module.__dict__)
real = getattr(module, order["function"])
calls, told = [], {"unsendable": 0}
def listener(*args, **keywords):
    if len(calls) < order["most"]:
        try:
            given = list(args)
            if keywords:
                bound = inspect.signature(real).bind(*args, **keywords)
                if bound.kwargs:
                    raise BadValue("arguments by name alone")
                given = list(bound.args)
            calls.append(encode(given))
        except BadValue:
            told["unsendable"] += 1
    return real(*args, **keywords)
space = {name: value for name, value in vars(module).items() if not name.startswith("__")}
space["__name__"] = "tests"
try:
    exec(compile(order["setup"], "setup", "exec", dont_inherit=True), space)
except Exception:
    pass
space[order["function"]] = listener
for text in order["tests"]:
    try:
        exec(compile(text, "test", "exec", dont_inherit=True), space)
        if order["check"] and callable(space.get("check")):
            space["check"](listener)
    except Exception:
        pass
with open("calls", "wb") as file:
    file.write(encode({"calls": calls, **told}))
"""


_WATCH = """
import time, types
from codejury_values import decode, encode
with open("order.bin", "rb") as file:
    order = decode(file.read())
with open("solution.py", encoding="utf-8", errors="surrogatepass", newline="") as file:
    text = file.read()
module = types.ModuleType("solution")
exec(compile(text, "solution.py", "exec", dont_inherit=True), module.__dict__)
function = getattr(module, order["function"])
seconds, left = [], order["seconds"]
for args in order["calls"]:
    since = time.process_time()
    try:
        function(*args)
    except Exception:
        pass
    seconds.append(time.process_time() - since)
    left -= seconds[-1]
    if left < 0:
        break
with open("seconds", "wb") as file:
    file.write(encode(seconds))
"""


class Recorded(msgspec.Struct, frozen=True, kw_only=True):
    """Calls, each set of arguments once.

    unsendable   calls with arguments that are no plain data
    trouble      why nothing could be recorded
    """

    calls: tuple[list[Any], ...] = ()
    unsendable: int = 0
    trouble: str = ""


def calls_of(sandbox: Sandbox, problem: Problem, fn_name: str, *, limits: Limits | None = None) -> Recorded:
    """Of a problem with test code, by its first gold."""
    source = problem.golds[0].source
    order = {
        "function": fn_name,
        "most": _MOST_CALLS,
        "setup": problem.setup,
        "tests": [case.input for case in problem.cases],
        "check": problem.fn_name is not None,
    }
    outcome = sandbox.run(
        _LISTENER,
        language="python",
        files={
            "solution.py": source.encode("utf-8", "surrogatepass"),
            "order.bin": values.encode(order),
            "codejury_values.py": Path(values.__file__).read_bytes(),
        },
        limits=limits or Limits(cpu_s=20),
        fetch=("calls",),
    )
    raw = outcome.fetched.get("calls")
    if raw is None:
        tail = outcome.stderr[-300:].decode("utf-8", "replace").strip()
        return Recorded(trouble=f"{outcome.status}: {tail}" if tail else outcome.status)
    try:
        told = values.decode(raw)
        found = dict.fromkeys(told["calls"])
        calls = tuple(values.decode(each) for each in found)
    except (values.BadValue, KeyError, TypeError) as error:
        raise InternalError(f"task {problem.id!r}: a record of calls that makes no sense: {error}") from error
    return Recorded(calls=calls, unsendable=int(told["unsendable"]))


def seconds_of(sandbox: Sandbox, source: str, fn_name: str, inputs: Sequence[Any], *, most_s: float) -> list[float]:
    """CPU seconds of each call, up to the one with which they are more than `most_s` together: the rest is not made."""
    outcome = sandbox.run(
        _WATCH,
        language="python",
        files={
            "solution.py": source.encode("utf-8", "surrogatepass"),
            "order.bin": values.encode({"function": fn_name, "calls": list(inputs), "seconds": most_s}),
            "codejury_values.py": Path(values.__file__).read_bytes(),
        },
        limits=Limits(cpu_s=4 * most_s + 5),
        fetch=("seconds",),
    )
    raw = outcome.fetched.get("seconds")
    return list(values.decode(raw)) if raw is not None else []
