"""The test's side of a test script. Runs inside the sandbox, apart from the candidate, and decides.

    codejury.cfg   an encoded dict: tests, setup, function, sync, shared
    report         what came of it: an encoded dict, written at the end and only then

The candidate's names are stand-ins here: a call goes over the pipe as values, and a value comes back. What is no data
stays with the candidate, and here is a Proxy that can do what the object says it can.

Invariants. A proxy is equal to itself and to nothing else, has no order, and its hash is its own: no comparison is ever
decided by the candidate. A proxy passes no value of the test on to an operator, to `in`, or to a method that text or a
collection would have, unless the test itself made the object by calling its class: so that an answer that should be
data, and is an object that agrees with everything, learns nothing and decides nothing. What an object says of itself
(its length, its text) must be of the exact type. Names of builtins and of modules are never the candidate's, unless
the function under test is called so. The pipe breaking is remembered: a test that swallows the exception fails too.

What the test's own functions are to the candidate lives here too: it can call them and iterate over what it was given,
nothing else.
"""

from __future__ import annotations

import ast
import builtins
import os
import sys
import types
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from codejury.judging.inside import loading, pytestlike, subject
    from codejury.judging.inside.frames import Broken, Pipe
    from codejury.judging.values import DIGEST_BYTES, BadValue, decode, digest, encode
else:
    import codejury_loading as loading
    import codejury_pytestlike as pytestlike
    import codejury_subject as subject
    from codejury_frames import Broken, Pipe
    from codejury_values import DIGEST_BYTES, BadValue, decode, digest, encode

_TEST_FILE = "<test>"
# What a test may ask of text or a collection with a value of its own, expecting the truth.
_ASKING = frozenset(
    {"startswith", "endswith", "find", "rfind", "index", "rindex", "count", "replace", "split", "rsplit", "partition"}
    | {
        "rpartition",
        "strip",
        "lstrip",
        "rstrip",
        "removeprefix",
        "removesuffix",
        "issubset",
        "issuperset",
        "isdisjoint",
    }
    | {"difference", "symmetric_difference", "intersection", "union", "remove", "equals"}
)
# Tools of tests: where the candidate has such a name and the test does not say where its own is from, it is this one.
_TOOLS = {
    "isclose": "math", "fabs": "math", "inf": "math", "nan": "math", "isnan": "math", "isinf": "math",
    "deepcopy": "copy", "Counter": "collections", "OrderedDict": "collections", "defaultdict": "collections",
    "deque": "collections", "Decimal": "decimal", "Fraction": "fractions",
}  # fmt: skip
# Modules that the candidate's imports bring to a test that forgot its own; importing some others has effects.
_MODULES = frozenset(
    {"math", "cmath", "re", "json", "collections", "itertools", "functools", "operator", "string", "random", "copy"}
    | {"statistics", "datetime", "decimal", "fractions", "heapq", "bisect", "typing", "time", "os", "sys", "pandas"}
    | {"".join(("num", "py"))}
)
_ALIASES = {"np": "".join(("num", "py")), "pd": "pandas"}
_UNARY = ("__abs__", "__neg__", "__pos__", "__invert__")
_BINARY = (
    "__add__", "__sub__", "__mul__", "__truediv__", "__floordiv__", "__mod__", "__pow__", "__matmul__", "__and__",
    "__or__", "__xor__", "__lshift__", "__rshift__",
)  # fmt: skip
_EXACT = {"__len__": int, "__int__": int, "__float__": float, "__complex__": complex, "__index__": int}
# Modules whose exceptions a test may name, beside the builtin ones.
_ERROR_HOMES = frozenset(
    {"json.decoder", "decimal", "re", "sre_constants", "struct", "queue", "_queue", "statistics", "binascii", "copy"}
    | {"dataclasses", "configparser", "_csv", "csv", "asyncio.exceptions", "concurrent.futures._base", "zlib", "enum"}
)

_side: Side


class Proxy:
    """Something of the candidate's that is no data."""

    __slots__ = ("__weakref__", "_codejury_made", "_codejury_number")

    def __init__(self, number: int, made: bool = False) -> None:
        object.__setattr__(self, "_codejury_number", number)
        object.__setattr__(self, "_codejury_made", made)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name not in ("__name__", "__qualname__", "__annotations__", "__wrapped__"):
            raise AttributeError(name)
        found = _side.ask("getattr", self._codejury_number, (name,), made=self._codejury_made)
        return Asking(name, found) if name in _ASKING and not self._codejury_made and callable(found) else found

    def __setattr__(self, name: str, value: Any) -> None:
        _side.ask("setattr", self._codejury_number, (name, value))

    def __delattr__(self, name: str) -> None:
        _side.ask("delattr", self._codejury_number, (name,))

    def __str__(self) -> str:
        return str(_exactly(str, _side.ask("str", self._codejury_number)))

    def __repr__(self) -> str:
        return str(_exactly(str, _side.ask("repr", self._codejury_number)))

    def __format__(self, how: str) -> str:
        return str(_exactly(str, _side.ask("format", self._codejury_number, (how,))))

    def __dir__(self) -> Any:
        return _exactly(list, _side.ask("dir", self._codejury_number))

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if isinstance(other, Proxy):
            _side.note("objects of the candidate are equal only to themselves here: its own __eq__ has no say")
        return False

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return object.__hash__(self)


class ClassProxy(Proxy):
    __slots__ = ()

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return _side.ask("make", self._codejury_number, args, keywords, made=True)

    def __instancecheck__(self, other: Any) -> bool:
        return isinstance(other, Proxy) and _exactly(bool, _side.ask("isinstance", self._codejury_number, (other,)))

    def __subclasscheck__(self, other: Any) -> bool:
        return isinstance(other, Proxy) and _exactly(bool, _side.ask("issubclass", self._codejury_number, (other,)))

    def __mro_entries__(self, bases: Any) -> Any:
        raise TypeError("a test cannot extend a class of the candidate: it lives in another process")


def _exactly(kind: type, value: Any) -> Any:
    if type(value) is not kind:
        raise TypeError(f"expected {kind.__name__}, the candidate gave {type(value).__name__}")
    return value


# ── What an object can do, as methods of a class made for just that ──────────────────────────────────────────────────


def _plain_ability(name: str) -> Any:
    kind = _EXACT.get(name)

    def ability(self: Proxy, *args: Any) -> Any:
        value = _side.ask(name, self._codejury_number, args)
        return value if kind is None else _exactly(kind, value)

    return ability


def _operator(name: str) -> Any:
    def ability(self: Proxy, *others: Any) -> Any:
        for other in others:
            if not isinstance(other, Proxy) and not self._codejury_made:
                _side.note("an operator between an answer that is an object and a value is not passed on")
                return NotImplemented
        return _side.ask("operator", self._codejury_number, (name, *others), made=self._codejury_made)

    return ability


def _contains(self: Any, wanted: Any) -> bool:
    if self._codejury_made and "__contains__" in self._codejury_able:
        return bool(_exactly(bool, _side.ask("__contains__", self._codejury_number, (wanted,))))
    if "__iter__" not in self._codejury_able:
        raise TypeError("`in` on an answer that is an object and cannot be iterated over")
    return any(each is wanted or each == wanted for each in self)


def _iterate(self: Proxy) -> Any:
    return _side.ask("iter", self._codejury_number)


def _next(self: Proxy) -> Any:
    found = _side.ask("next", self._codejury_number)
    if type(found) is list and len(found) == 1:
        return found[0]
    raise StopIteration(*(found if type(found) is tuple else ()))


def _itself(self: Proxy) -> Proxy:
    return self


def _truth(self: Proxy) -> bool:
    return bool(_exactly(bool, _side.ask("bool", self._codejury_number)))


def _call(self: Proxy, *args: Any, **keywords: Any) -> Any:
    return _side.ask("call", self._codejury_number, args, keywords)


def _await(self: Proxy) -> Any:
    yield from ()  # a generator, as it has to be
    return _side.ask("await", self._codejury_number)


def _abilities(able: Any) -> dict[str, Any]:
    made: dict[str, Any] = {"__slots__": (), "_codejury_able": frozenset(able)}
    for name in able:
        if name in _UNARY or name in _BINARY:
            made[name] = _operator(name)
        elif (
            name in ("__getitem__", "__setitem__", "__delitem__", "__exit__", "__reversed__", "__round__")
            or name in _EXACT
        ) or name == "__enter__":
            made[name] = _plain_ability(name)
    if "__next__" in able:
        made.update(__iter__=_itself, __next__=_next)
    elif "__iter__" in able:
        made["__iter__"] = _iterate
    if "__contains__" in able or "__iter__" in able:
        made["__contains__"] = _contains
    if "__bool__" in able or "__len__" in able:
        made["__bool__"] = _truth
    if "__call__" in able:
        made["__call__"] = _call
    if "__await__" in able:
        made["__await__"] = _await
    return made


# ── The side ─────────────────────────────────────────────────────────────────────────────────────────────────────────


class NotSent(Exception):
    """The candidate's answer is none that can be sent."""


class Unseen:
    """A value of the candidate that is too large to be sent. It equals what has the same digest. Whatever else a test
    does with it says nothing about the candidate: NotSent."""

    __slots__ = ("_digest",)

    def __init__(self, made: bytes) -> None:
        object.__setattr__(self, "_digest", made)

    def __eq__(self, other: object) -> bool:
        mine = object.__getattribute__(self, "_digest")
        if type(other) is Unseen:
            return bool(mine == object.__getattribute__(other, "_digest"))
        try:
            return bool(mine == digest(other))
        except BadValue:
            return False

    def __repr__(self) -> str:
        return "<a value too large to be sent>"

    __hash__ = None  # type: ignore[assignment]


def _unseen(self: Unseen, *args: object) -> Any:
    raise NotSent("it is too large; a test can ask whether it is equal to something, and no more")


_OPERATIONS = """
  getattribute setattr bool len length_hint iter next reversed contains getitem call str format index int float complex
  abs neg pos invert round trunc floor ceil lt le gt ge add sub mul matmul truediv floordiv mod divmod pow lshift rshift
  and or xor radd rsub rmul rmatmul rtruediv rfloordiv rmod rdivmod rpow rlshift rrshift rand ror rxor enter exit
"""
for _name in _OPERATIONS.split():
    setattr(Unseen, f"__{_name}__", _unseen)


class Side:
    def __init__(self, pipe: Pipe | None, sync: bool) -> None:
        self.pipe, self.sync = pipe, sync
        self.proxies: dict[int, Any] = {}
        self.kinds: dict[Any, type] = {}
        self.errors: dict[int, type[BaseException]] = {}
        self.given: list[Any] = []  # what the candidate was given that is no data, by number
        self.given_numbers: dict[int, int] = {}
        self.numbers: dict[
            int, int
        ] = {}  # id of what stands for an object of the candidate's but is no Proxy -> number
        self.tokens = b""
        self.questions = 0  # beside those for names
        self.notes: list[str] = []
        self.broken = ""
        self.made = False
        self.last: Any = None
        self.raised: set[int] = set()  # exceptions that the candidate raised, by id
        self.kept: list[Any] = []

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    def ask(self, operation: str, number: int, args: Any = (), keywords: Any = None, *, made: bool = False) -> Any:
        if self.broken or self.pipe is None:
            raise Broken(self.broken)
        if not self.tokens:
            self.tokens = os.urandom(4096)
        token, self.tokens = self.tokens[:8], self.tokens[8:]
        self.questions += operation != "names"
        shared: list[Any] = []
        question = [operation, number, tuple(args), keywords or {}, self.sync]
        try:
            content = encode(question, hook=self.give, share=shared)
        except BadValue as error:
            raise TypeError(f"not to be passed to the candidate: {error}") from None
        try:
            self.pipe.send(token, b"Q", content)
            while True:
                came, kind, answer = self.pipe.receive()
                if came != token:
                    raise Broken("an answer to another question")
                if kind == b"K":
                    self.called_back(token, answer)
                    continue
                break
            outer, self.made = self.made, made
            sent = shared[:]
            try:
                said = decode(answer, rich=True, hook=self.meet, share=shared if self.sync else [])
            except BadValue as error:
                raise Broken(f"an answer that is no value: {error}") from None
            finally:
                self.made = outer
            if type(said) is not list or (kind, len(said)) not in ((b"V", 3), (b"D", 3), (b"B", 3), (b"X", 8)):
                raise Broken("an answer of no known form")
            self.apply(sent, said[7] if kind == b"X" else said[1])
            self.show(said[5] if kind == b"X" else said[2])
        except Broken as error:
            self.broken = str(error)
            raise
        if kind == b"X":
            raised = self.error(said)
            if isinstance(raised, (StopIteration, StopAsyncIteration)):  # would quietly end a loop that it is raised in
                raise RuntimeError("the candidate raised StopIteration") from raised
            raise raised
        if kind == b"B":
            raise NotSent(str(said[0])[:300])
        if kind == b"D":
            if type(said[0]) is not bytes or len(said[0]) != DIGEST_BYTES:
                raise Broken("an answer of no known form")
            said[0] = Unseen(said[0])
        if operation in ("call", "method"):
            self.last = said[0]
        return said[0]

    def show(self, printed: Any) -> None:
        if type(printed) is not str:
            raise Broken("an answer of no known form")
        if printed:
            sys.stdout.write(printed)

    def apply(self, shared: list[Any], changed: Any) -> None:
        """Puts what the candidate made of its arguments into the test's own."""
        if changed is None or not self.sync:
            return
        if type(changed) is not list or len(changed) > len(shared):
            raise Broken("changed arguments of no known form")
        try:
            for mine, content in zip(shared, changed, strict=False):
                if isinstance(mine, dict):
                    keys, found = content
                    new = dict(zip(keys, found, strict=True))
                    mine.clear()
                    dict.update(mine, new)
                elif isinstance(mine, bytearray):
                    mine[:] = content
                elif hasattr(mine, "dtype"):
                    mine[...] = content
                elif isinstance(mine, list):
                    mine[:] = content
                else:  # sets, deques
                    mine.clear()
                    (mine.extend if hasattr(mine, "extend") else mine.update)(content)
        except (TypeError, ValueError, AttributeError, RecursionError) as error:
            raise Broken(f"changed arguments of no known form: {error}") from None

    # -- objects of the candidate

    def meet(self, token: bytes) -> Any:
        try:
            what, number, *rest = decode(token)
        except ValueError as error:
            raise BadValue("an object of no known form") from error
        if what == "yours" and type(number) is int and 0 <= number < len(self.given):
            return self.given[number]
        if (
            type(what) is not str
            or type(number) is not int
            or not rest
            or any(type(each) not in (str, list) for each in rest)
        ):
            raise BadValue("an object of no known form")
        if what == "module":
            return _module(rest[0])
        if what == "method":
            return Method(number, str(rest[0]), self.made)
        if what == "exception":
            return self.error_class(rest[1] if len(rest) > 1 else None)
        known = self.proxies.get(number)
        if known is None:
            known = self.proxies[number] = self.proxy(what, number, rest)
        return known

    def proxy(self, what: str, number: int, rest: list[Any]) -> Any:
        if what == "generator":
            made: Any = _generator(number)
            self.numbers[id(made)] = number
            return made
        if what == "coroutine function":
            made = _coroutine_function(number)
            self.numbers[id(made)] = number
            return made
        able = ("__call__",) if what == "function" else tuple(rest[1:])
        name = rest[0] if type(rest[0]) is str and rest[0].isidentifier() and len(rest[0]) < 100 else "Proxy"
        base = ClassProxy if what == "class" else Proxy
        kind = self.kinds.get((base, name, able))
        if kind is None:
            space = _abilities(able)
            if base is ClassProxy:
                space.pop("__call__", None)
            kind = self.kinds[(base, name, able)] = type(name, (base,), space)
        return kind(number, self.made)

    # -- exceptions of the candidate

    def error_class(self, ancestry: Any) -> Any:
        """The builtin exception, or a class made here after the candidate's; BadValue where it is neither."""
        if type(ancestry) is not list or not ancestry or len(ancestry) > 50:
            raise BadValue("an exception of no known form")
        *classes, last = ancestry
        kind: Any = getattr(builtins, last, None) if type(last) is str else None
        if not isinstance(kind, type) or not issubclass(kind, BaseException):
            raise BadValue("an exception of no known form")
        for each in reversed(classes):
            if type(each) is not list or len(each) != 3 or type(each[0]) is not int or type(each[1]) is not str:
                raise BadValue("an exception of no known form")
            number, name, home = each
            if number not in self.errors:
                found = _known_error(home, name)
                if found is None:
                    name = name if name.isidentifier() and len(name) < 100 else "Error"
                    found = type(name, (kind,), {"__str__": _said, "__getattr__": _of_error})
                self.errors[number] = found
            kind = self.errors[number]
        return kind

    def error(self, said: list[Any]) -> BaseException:
        ancestry, text, trace, number, from_test, _, args, _ = said
        if (
            type(from_test) is int
            and 0 <= from_test < len(self.given)
            and isinstance(self.given[from_test], BaseException)
        ):
            found: BaseException = self.given[from_test]
            return found
        try:
            kind = self.error_class(ancestry)
            if (
                any(type(each) is not str for each in (text, trace))
                or type(number) is not int
                or type(args) is not tuple
            ):
                raise BadValue("an exception of no known form")
        except BadValue as error:
            self.broken = str(error)
            raise Broken(self.broken) from None
        try:
            made: BaseException = kind(*args)
        except Exception:  # noqa: BLE001 - exceptions that want other arguments
            made = kind.__new__(kind)
            made.args = args
        made._codejury = (text, trace, number)  # type: ignore[attr-defined]
        self.raised.add(id(made))
        self.kept.append(made)
        return made

    # -- what the candidate is given

    def give(self, value: Any) -> bytes | None:
        if isinstance(value, Proxy):
            return encode(["ours", value._codejury_number])
        if isinstance(value, Method):
            return encode(["ours", _side.ask("getattr", value.number, (value.name,))._codejury_number])
        known = self.numbers.get(id(value))
        if known is not None:
            return encode(["ours", known])
        for number, kind in self.errors.items():
            if kind is value:
                return encode(["ours", number])
        number = self.given_number(value)
        plain = isinstance(
            value, (types.FunctionType, types.MethodType, types.BuiltinFunctionType, type, types.ModuleType)
        )
        return encode(["function" if plain else "object", number])

    def given_number(self, value: Any) -> int:
        known = self.given_numbers.get(id(value))
        if known is None:
            known = self.given_numbers[id(value)] = len(self.given)
            self.given.append(value)
        return known

    def called_back(self, token: bytes, content: bytes) -> None:
        try:
            operation, number, args, keywords = decode(content, rich=True, hook=self.meet)
            mine = self.given[number]
            if type(args) is not list or type(keywords) is not dict or type(operation) is not str:
                raise BadValue("expected arguments")
        except (ValueError, TypeError, IndexError) as error:
            raise Broken(f"a call back of no known form: {error}") from None
        try:
            if operation == "call":
                result = mine(*args, **keywords)
            elif operation == "iter":
                result = self.given_number(iter(mine))
            elif operation == "next":
                result = [each] if (each := next(mine, self)) is not self else []
            elif operation == "getattr":
                (name,) = args
                if type(name) is not str or name.startswith("_") or isinstance(mine, (types.FunctionType, type)):
                    raise AttributeError(name)
                result = getattr(mine, name)
            else:
                raise Broken("a call back of no known form")
            kind, answer = b"v", encode(result, hook=self.give)
        except Broken:
            raise
        except BaseException as error:  # noqa: BLE001 - goes on to the candidate, and from there back to the test
            name, args, number = self.told(error)
            try:
                kind, answer = b"x", encode([name, args, number], hook=self.give)
            except BadValue:
                kind, answer = b"x", encode([name, (), number])
        assert self.pipe is not None
        self.pipe.send(token, kind, answer)

    def told(self, error: BaseException) -> tuple[str, tuple[Any, ...], int]:
        """An exception of the test's for the candidate: the builtin one that it is, and its number."""
        name = next(each.__name__ for each in type(error).__mro__ if each.__module__ == "builtins")
        return name, error.args, self.given_number(error)


class Method:
    """A method of an object of the candidate's, by its name."""

    __slots__ = ("made", "name", "number")

    def __init__(self, number: int, name: str, made: bool) -> None:
        self.number, self.name, self.made = number, name, made

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return _side.ask("method", self.number, (self.name, *args), keywords)


class Asking:
    """What an answer that is an object has in the place of a method of text or a collection: no value of the test goes
    to it."""

    __slots__ = ("found", "name")

    def __init__(self, name: str, found: Any) -> None:
        self.name, self.found = name, found

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        if args or keywords:
            raise TypeError(f"the answer is an object, and no value of the test goes to its method {self.name}")
        return self.found()


def _said(self: Any) -> str:
    return str(self._codejury[0]) if "_codejury" in vars(self) else BaseException.__str__(self)


def _of_error(self: Any, name: str) -> Any:
    if name.startswith("_") or "_codejury" not in vars(self):
        raise AttributeError(name)
    return _side.ask("getattr", self._codejury[2], (name,))


def _known_error(home: Any, name: str) -> Any:
    if type(home) is not str or home not in _ERROR_HOMES:
        return None
    import importlib

    try:
        found = getattr(importlib.import_module(home), name, None)
    except ImportError:
        return None
    return found if isinstance(found, type) and issubclass(found, Exception) else None


def _module(name: str) -> Any:
    """A module that the candidate imported is here the test's own copy."""
    if name not in _MODULES:
        return None
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _generator(number: int) -> Any:
    operation = "next"
    args: tuple[Any, ...] = ()
    while True:
        found = _side.ask(operation, number, args)
        if type(found) is not list or len(found) != 1:
            return found[0] if type(found) is tuple and found else None
        operation, args = "next", ()
        try:
            sent = yield found[0]
            if sent is not None:
                operation, args = "send", (sent,)
        except GeneratorExit:
            if not _side.broken:
                _side.ask("close", number)
            raise
        except Exception as error:  # noqa: BLE001 - what the test throws is thrown there
            operation, args = "throw", (_side.told(error),)


def _coroutine_function(number: int) -> Any:
    async def function(*args: Any, **keywords: Any) -> Any:
        coroutine = _side.ask("call", number, args, keywords)
        return _side.ask("await", coroutine._codejury_number)

    return function


# ── The candidate's names in the test ────────────────────────────────────────────────────────────────────────────────


def names_of(code: types.CodeType) -> set[str]:
    found: set[str] = set()
    todo = [code]
    while todo:
        each = todo.pop()
        found.update(each.co_names)
        todo += [const for const in each.co_consts if isinstance(const, types.CodeType)]
    return found


class Names(types.ModuleType):
    """The module `solution` as the test may import it."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = _side.ask("names", 0, (name,))
        if type(found) is not dict or name not in found:
            raise AttributeError(f"the candidate has no {name}")
        self.__dict__[name] = found[name]
        return found[name]


def candidate_names(wanted: set[str], function: str | None) -> dict[str, Any]:
    """Of the names that the test uses, those that the candidate has and may have."""
    asked = [name for name in sorted(wanted) if not name.startswith("__")]
    found = _side.ask("names", 0, asked)
    if type(found) is not dict:
        raise Broken("names of no known form")
    names: dict[str, Any] = {}
    for name in asked:
        if name == function:
            if name in found:
                names[name] = found[name]
        elif hasattr(builtins, name) or name not in found:
            continue
        elif name in _TOOLS:
            names[name] = getattr(__import__(_TOOLS[name]), name)
        elif name in sys.stdlib_module_names or name in _ALIASES:
            module = _module(_ALIASES.get(name, name))
            if module is not None:
                names[name] = module
        else:
            names[name] = found[name]
    return names


# ── Running tests ────────────────────────────────────────────────────────────────────────────────────────────────────


class _Skipped(Exception):
    pass


def _line(error: BaseException, text: str) -> str:
    """Where in the test it happened: the number and the line."""
    number, trace = 0, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == _TEST_FILE:
            number = trace.tb_lineno
        trace = trace.tb_next
    lines = text.splitlines()
    if not 0 < number <= len(lines):
        return ""
    line = lines[number - 1].strip()
    return f"line {number}: {line if len(line) <= 200 else line[:197] + '...'}"


def _short(value: Any) -> str:
    """For a message. Bounded in depth and breadth: a small answer can unfold to a huge text."""
    if type(value) not in (int, float, str, bool, type(None), list, tuple, dict, set):
        return f"a {type(value).__name__}"
    import reprlib

    short = reprlib.Repr()
    short.maxlist = short.maxtuple = short.maxdict = short.maxset = 20
    short.maxstring = short.maxlong = 120
    short.maxlevel = 4
    try:
        text = short.repr(value)
    except Exception:  # noqa: BLE001 - too long to be written
        text = f"a {type(value).__name__}"
    return text if len(text) <= 200 else text[:197] + "..."


def _verdict(error: BaseException, text: str) -> list[str]:
    """[verdict, message] for what ended a test."""
    where = _line(error, text)
    if isinstance(error, Broken) or _side.broken:
        return ["runtime_error", f"the candidate's process: {_side.broken or error}"]
    if id(error) in _side.raised:
        trace = getattr(error, "_codejury", ("", "", 0))[1]
        return ["runtime_error", f"{where}\n{trace}" if where else trace]
    if isinstance(error, NotSent):
        return ["format_error", f"{where}: the answer cannot be sent: {error}"]
    notes = "".join(f"\nnote: {note}" for note in _side.notes)
    if isinstance(error, AssertionError):
        said = _short(str(error)) if str(error) else ""
        got = f"; the last call gave {_short(_side.last)}" if _side.last is not None else ""
        return ["wrong_answer", f"{where}{got}{' ' + said if said else ''}{notes}"]
    said = f"{type(error).__name__}: {str(error)[:300]}"
    if isinstance(error, NameError):
        return ["runtime_error", f"{where}: {said}"]
    return ["wrong_answer", f"{where}: {said}{notes}"]


class Examination:
    def __init__(self, order: dict[str, Any]) -> None:
        self.order = order
        self.results: list[list[str]] = []  # name, verdict, message
        self.trouble = ""  # the test itself is at fault
        module = types.ModuleType("test_solution")
        sys.modules["test_solution"] = module
        self.space = module.__dict__

    def run(self) -> None:
        texts = [self.order["setup"], *self.order["tests"]]
        try:
            self.trees = [ast.parse(text, _TEST_FILE) for text in texts]
            codes = [compile(tree, _TEST_FILE, "exec", dont_inherit=True) for tree in self.trees]
        except (SyntaxError, ValueError, RecursionError) as error:
            self.trouble = f"the test is no Python: {error}"
            return
        function = self.order["function"] = self.order["function"] or subject.tested_function(self.trees)
        own = {name for tree in self.trees for node in tree.body for name in subject.own_names(node)}
        wanted = (set().union(*map(names_of, codes)) - own) | ({function} if function else set())
        try:
            if self.order["shared"]:
                self.space.update({name: value for name, value in vars(loading.load()).items() if name[:2] != "__"})
            else:
                self.space.update(candidate_names(wanted, function))
        except BaseException as error:  # noqa: BLE001 - the candidate's file raised
            self.results.append(["", *_verdict(error, "")])
            return
        self.step("setup", codes[0], texts[0], quiet=True)
        single = len(codes) == 2
        for number, (code, text) in enumerate(zip(codes[1:], texts[1:], strict=True)):
            if self.trouble or (self.results and self.results[-1][0] == "setup"):
                return
            if self.step(f"test {number + 1}", code, text, quiet=single):
                self.defined(text, self.trees[number + 1])
                if single and not self.results and self.tested(self.trees[1]):
                    self.results.append(["test 1", "success", ""])

    def tested(self, tree: ast.Module) -> bool:
        """Whether a script that came to its end without a word has tested anything."""
        return _side.questions > 0 or any(isinstance(node, ast.Assert) for node in tree.body)

    def step(self, name: str, code: Any, text: str, *, quiet: bool = False) -> bool:
        """Runs code of the test at the top level; what went wrong is a result, what went well one unless `quiet`."""
        return self.attempt(name, lambda: exec(code, self.space), text, quiet=quiet)

    def attempt(self, name: str, run: Any, text: str, *, quiet: bool = False) -> bool:
        _side.last = None
        try:
            run()
        except ModuleNotFoundError as error:
            if id(error) not in _side.raised:
                self.trouble = f"the test needs a module that is not in the sandbox: {error.name}"
                return False
            self.results.append([name, *_verdict(error, text)])
            return False
        except BaseException as error:  # noqa: BLE001 - also SystemExit: a test that ends early has not passed
            if type(error).__name__ in ("Skipped", "SkipTest", "_Skipped") and id(error) not in _side.raised:
                return True
            self.results.append([name, *_verdict(error, text)])
            return False
        if _side.broken:
            self.results.append([name, "runtime_error", f"the candidate's process: {_side.broken}"])
            return False
        if not quiet:
            self.results.append([name, "success", ""])
        return True

    def defined(self, text: str, tree: ast.Module) -> None:
        """What the test only defines: check(candidate), test functions, classes of tests."""
        called = {
            node.value.func.id
            for node in tree.body
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Name)
        }
        own = [
            node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        ]
        check = self.space.get("check")
        if "check" in own and isinstance(check, types.FunctionType) and "check" not in called:
            function = self.order["function"]
            if function is None:
                self.trouble = "the test defines check(candidate): expected the name of the candidate's function"
                return
            if function not in self.space:
                self.results.append(["check", "runtime_error", f"the candidate defines no {function}"])
                return
            self.attempt("check", lambda: check(self.space[function]), text)
        for name in dict.fromkeys(own):
            value = self.space.get(name)
            if name in called:
                continue
            if isinstance(value, types.FunctionType) and name.startswith("test"):
                self.function(name, value, text)
            elif isinstance(value, type) and value.__module__ == "test_solution":
                self.klass(name, value, text)

    def function(self, name: str, function: Any, text: str) -> None:
        for label, arguments in _parameters(function):
            self.attempt(name + label, lambda arguments=arguments: _finish(function(**arguments)), text)

    def klass(self, name: str, kind: Any, text: str) -> None:
        unittest = sys.modules.get("unittest")
        if unittest is not None and issubclass(kind, unittest.TestCase):
            suite = unittest.defaultTestLoader.loadTestsFromTestCase(kind)
            for case in suite:
                self.attempt(f"{name}.{case._testMethodName}", lambda case=case: _run_case(case, unittest), text)
        elif name.startswith("Test"):
            for method in [each for each in dir(kind) if each.startswith("test")]:
                for label, arguments in _parameters(getattr(kind, method)):
                    self.attempt(f"{name}.{method}{label}", lambda m=method, a=arguments: _run_method(kind, m, a), text)


def _finish(result: Any) -> None:
    if isinstance(result, types.CoroutineType):
        import asyncio

        asyncio.run(result)


def _run_method(kind: Any, method: str, arguments: dict[str, Any]) -> None:
    instance = kind()
    for name in ("setup_method", "setup"):
        if hasattr(instance, name):
            _call_setup(getattr(instance, name), getattr(instance, method))
    try:
        _finish(getattr(instance, method)(**arguments))
    finally:
        if hasattr(instance, "teardown_method"):
            _call_setup(instance.teardown_method, getattr(instance, method))


def _call_setup(function: Any, method: Any) -> None:
    function(*([method] if function.__code__.co_argcount > 1 else []))


def _run_case(case: Any, unittest: Any) -> None:
    """A case of unittest; what it raised is raised here."""

    class Result(unittest.TestResult):  # type: ignore[misc]
        raised: BaseException | None = None

        def addError(self, test: Any, error: Any) -> None:  # noqa: N802 - unittest's name
            self.raised = self.raised or error[1]

        def addFailure(self, test: Any, error: Any) -> None:  # noqa: N802
            self.raised = self.raised or error[1]

        def addSubTest(self, test: Any, subtest: Any, error: Any) -> None:  # noqa: N802
            if error is not None:
                self.raised = self.raised or error[1]

        def addUnexpectedSuccess(self, test: Any) -> None:  # noqa: N802
            self.raised = AssertionError("unexpected success")

        def addSkip(self, test: Any, reason: str) -> None:  # noqa: N802
            self.raised = _Skipped(reason)

    result = Result()
    case.run(result)
    if result.raised is not None:
        raise result.raised


def _parameters(function: Any) -> list[tuple[str, dict[str, Any]]]:
    """The sets of arguments that pytest.mark.parametrize gives: label and arguments."""
    sets: list[tuple[str, dict[str, Any]]] = [("", {})]
    for mark in getattr(function, "pytestmark", []):
        if mark.name != "parametrize":
            continue
        names = mark.args[0]
        names = [each.strip() for each in names.split(",")] if isinstance(names, str) else list(names)
        rows = list(mark.args[1] if len(mark.args) > 1 else mark.kwargs["argvalues"])
        new = []
        for label, arguments in sets:
            for number, row in enumerate(rows):
                if type(row).__name__ == "ParameterSet":
                    row = row.values
                elif len(names) == 1:
                    row = (row,)
                filled = dict(zip(names, row, strict=True))
                new.append((f"{label}[{number}]", {**arguments, **filled}))
        sets = new
    return sets


def main() -> None:
    global _side
    with open("codejury.cfg", "rb") as file:
        order = decode(file.read())
    os.unlink("codejury.cfg")
    pipe = None
    if not order["shared"]:
        pipe = Pipe(loading.private(0), loading.private(1, 901))
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    _side = Side(pipe, order["sync"])
    pytestlike.offer()
    if not order["shared"]:
        sys.modules["solution"] = Names("solution")
    examination = Examination(order)
    examination.run()
    if not order["shared"] and not _side.broken:
        try:
            _side.ask("bye", 0)
        except BaseException as error:  # noqa: BLE001 - the candidate's last word
            examination.results.append(["the end", "runtime_error", f"the candidate's process: {error}"])
        else:
            if pipe is not None and not pipe.quiet():
                examination.results.append(["the end", "runtime_error", "the candidate's process: an answer too many"])
    report = {"results": examination.results, "trouble": examination.trouble, "notes": _side.notes, "done": True}
    with open("report.new", "wb") as file:
        file.write(encode(report))
    os.rename("report.new", "report")
    os._exit(0)
