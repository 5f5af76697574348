"""The candidate's side of a test script. Runs inside the sandbox: serves the examiner's questions with the candidate.

    question := [operation, number of the object, arguments, keywords, whether changed arguments go back]

Data crosses as values; anything else (functions, classes, their objects, generators) stays here, in a table, and the
examiner gets its number with a description. What the test passes that is no data (a lambda) is here a stand-in that
calls back. Mutable arguments that the candidate changed are sent back with the answer.

Nothing of the tests is here but arguments. Nothing here is a defence: the candidate owns this process, and the examiner
trusts no frame of it.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import threading
import types
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from codejury.judging.inside import loading
    from codejury.judging.inside.frames import Broken, Pipe
    from codejury.judging.values import BadValue, TooLarge, decode, digest, encode
else:
    import codejury_loading as loading
    from codejury_frames import Broken, Pipe
    from codejury_values import BadValue, TooLarge, decode, digest, encode

_exit = os._exit
# What an object can do, beyond attributes: told to the examiner, which offers just that.
ABILITIES = (
    "__call__", "__iter__", "__next__", "__len__", "__getitem__", "__setitem__", "__delitem__", "__contains__",
    "__enter__", "__exit__", "__bool__", "__int__", "__float__", "__complex__", "__index__", "__round__",
    "__reversed__", "__abs__", "__neg__", "__pos__", "__invert__", "__add__", "__sub__", "__mul__", "__truediv__",
    "__floordiv__", "__mod__", "__pow__", "__matmul__", "__and__", "__or__", "__xor__", "__lshift__", "__rshift__",
    "__await__", "__eq__",
)  # fmt: skip
_DATA = (int, str, float, complex, bytes, bytearray, list, tuple, set, frozenset, dict)
_PLAIN = (types.FunctionType, types.BuiltinFunctionType, types.MethodType)


class CalledBack(Exception):
    """What a function of the test raised when the candidate called it, where it is no builtin exception."""


class StandIn:
    """Something of the test's that is no data: it can be called, and iterated over."""

    def __init__(self, side: Side, number: int) -> None:
        self.__side, self.__number = side, number

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return self.__side.call_back("call", self.__number, args, keywords)

    def __iter__(self) -> Any:
        number = self.__side.call_back("iter", self.__number, (), {})
        while True:
            found = self.__side.call_back("next", number, (), {})
            if not found:
                return
            yield found[0]


class StandInObject(StandIn):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self._StandIn__side.call_back("getattr", self._StandIn__number, (name,), {})


class Side:
    def __init__(self, pipe: Pipe) -> None:
        self.pipe = pipe
        self.objects: list[Any] = []  # by number; kept for good, so that no number ever means two
        self.numbers: dict[int, int] = {}  # id -> number
        self.stand_ins: dict[int, Any] = {}
        self.raised: dict[int, int] = {}  # id of an exception that came from the test -> its number there
        self.token = b""
        self.lock = threading.RLock()
        self.module: Any = None
        self.printed = io.StringIO()

    # -- what crosses

    def number(self, value: Any) -> int:
        known = self.numbers.get(id(value))
        if known is None:
            known = self.numbers[id(value)] = len(self.objects)
            self.objects.append(value)
        return known

    def describe(self, value: Any) -> bytes:
        """An object as the examiner gets to know it: [what, number, name, abilities...]."""
        if type(value) is _Kept:
            value = value.value
        kind = type(value)
        if kind in (StandIn, StandInObject):
            return encode(["yours", value._StandIn__number])
        if kind is types.ModuleType:
            return encode(["module", 0, str(value.__name__)])
        if kind is types.MethodType and type(value.__func__) is types.FunctionType:
            return encode(["method", self.number(value.__self__), str(value.__func__.__name__)])
        number = self.number(value)
        if kind is types.GeneratorType:
            return encode(["generator", number, "generator"])
        if kind in _PLAIN:
            flags = getattr(getattr(value, "__code__", None), "co_flags", 0)
            home = getattr(value, "__module__", None)
            return encode(["coroutine function" if flags & 0x80 else "function", number, _name(value), str(home)])
        if issubclass(kind, type) and issubclass(value, BaseException):
            return encode(["exception", number, _name(value), self.ancestry(value)])
        what = "class" if issubclass(kind, type) else "object"
        able = [name for name in ABILITIES if getattr(kind, name, None) is not None]
        if getattr(kind, "__eq__", None) is object.__eq__:
            able.remove("__eq__")
        return encode([what, number, _name(value if what == "class" else kind), *able])

    def ancestry(self, kind: type) -> list[Any]:
        """From the class up to the first builtin exception: [number, name] of each, then that one's name."""
        found: list[Any] = []
        for each in kind.__mro__:
            if each.__module__ == "builtins" and issubclass(each, BaseException):
                return [*found, each.__name__]
            if issubclass(each, BaseException):
                found.append([self.number(each), _name(each), str(each.__module__)])
        return [*found, "Exception"]

    def resolve(self, token: bytes) -> Any:
        """What the examiner means by an object: one of ours, or one of its own."""
        what, number = decode(token)
        if what == "ours":
            return self.objects[number]
        if number not in self.stand_ins:
            self.stand_ins[number] = (StandInObject if what == "object" else StandIn)(self, number)
        return self.stand_ins[number]

    def refuse(self, value: Any) -> bool:
        """Members of an enumeration keep their names, unless they are numbers or texts."""
        return any(base.__module__ == "enum" for base in type(value).__mro__) and not isinstance(value, (int, str))

    # -- questions

    def serve(self) -> None:
        while True:
            token, kind, content = self.pipe.receive()
            if kind != b"Q":
                raise Broken("expected a question")
            if self.question(token, content):
                return

    def question(self, token: bytes, content: bytes) -> bool:
        """Answers one; True where it was the last."""
        outer, self.token = self.token, token
        shared: list[Any] = []
        operation, number, args, keywords, sync = decode(content, rich=True, hook=self.resolve, share=shared)
        if operation == "bye":
            self.pipe.send(token, b"V", encode([None, None, ""]))
            return True
        question = (operation, number, args, keywords)
        kind = b"V"
        try:
            result = self.perform(*question)
            changed = self.changed(content, shared, *question) if sync else None
            said = [result, changed, self.take_printed()]
            met = shared[:]
            try:
                answer = encode(said, hook=self.describe, share=shared if sync else [], refuse=self.refuse)
            except TooLarge:
                kind, said[0] = b"D", digest(result)
                answer = encode(said, hook=self.describe, share=met if sync else [], refuse=self.refuse)
        except Broken:
            raise
        except BadValue as error:
            kind, answer = b"B", encode([str(error), None, self.take_printed()])
        except BaseException as error:  # noqa: BLE001 - whatever the candidate raises
            kind, answer = b"X", self.packed_error(error, shared, content, question, sync)
        self.pipe.send(token, kind, answer)
        self.token = outer
        return False

    def take_printed(self) -> str:
        text = self.printed.getvalue()
        if text:
            self.printed.seek(0)
            self.printed.truncate()
        return text

    def changed(self, content: bytes, shared: list[Any], *question: Any) -> Any:
        """The contents of the mutable arguments as they are now, by number; None where nothing changed."""
        if not shared:
            return None
        again = encode([*question, True], hook=self.back, share=[])
        if again == content:
            return None
        return [_contents(each) for each in shared[:-1]]  # the last is the question itself

    def back(self, value: Any) -> bytes:
        """As the examiner sent it: objects in arguments."""
        if type(value) in (StandIn, StandInObject):
            what = "object" if type(value) is StandInObject else "function"
            return encode([what, value._StandIn__number])
        known = self.numbers.get(id(value))
        if known is not None and self.objects[known] is value:
            return encode(["ours", known])
        return b""

    def packed_error(
        self, error: BaseException, shared: list[Any], content: bytes, question: tuple[Any, ...], sync: bool
    ) -> bytes:
        kind = type(error)
        from_test = self.raised.get(id(error), -1)
        try:
            text = str(error)
        except BaseException:  # noqa: BLE001 - its __str__ is the candidate's
            text = ""
        args: Any = getattr(error, "args", ())
        said = [self.ancestry(kind), text, loading.tell(error), self.number(error), from_test, self.take_printed()]
        try:
            changed = self.changed(content, shared, *question) if sync else None
            whole = [*said, tuple(args), changed]
            return encode(whole, hook=self.describe, share=shared if sync else [], refuse=self.refuse)
        except BadValue:
            return encode([*said, (text,), None])

    # -- what can be asked

    def perform(self, operation: str, number: int, args: Any, keywords: Any) -> Any:
        if operation == "call":
            return self.objects[number](*args, **keywords)
        if operation == "method":
            return getattr(self.objects[number], args[0])(*args[1:], **keywords)
        if operation == "names":
            self.module = self.module or loading.load()
            space = self.module.__dict__
            return {name: space[name] for name in args if name in space}
        if operation == "make":
            return _keep(self.objects[number](*args, **keywords))
        subject = self.objects[number]
        if operation == "getattr":
            return getattr(subject, *args)
        if operation == "setattr":
            return setattr(subject, *args)
        if operation == "delattr":
            return delattr(subject, *args)
        if operation == "next":
            try:
                return [next(subject)]
            except StopIteration as end:
                return (end.value,)
        if operation in ("send", "throw", "close"):
            if operation == "throw":
                args = (self.from_test(*args[0]),)
            try:
                return [getattr(subject, operation)(*args)]
            except StopIteration as end:
                return (end.value,)
        if operation == "iter":
            return iter(subject)
        if operation == "str":
            return str(subject)
        if operation == "repr":
            return repr(subject)
        if operation == "format":
            return format(subject, *args)
        if operation == "dir":
            return [name for name in dir(subject) if type(name) is str]
        if operation == "isinstance":
            return isinstance(args[0], subject)
        if operation == "issubclass":
            return issubclass(args[0], subject)
        if operation == "await":
            import asyncio

            async def wait() -> Any:
                return await subject

            return asyncio.run(wait())
        if operation == "bool":
            return bool(subject)
        if operation == "operator":
            import operator

            return _keep(getattr(operator, args[0])(subject, *args[1:]))
        return getattr(type(subject), operation)(subject, *args)

    # -- calling back

    def call_back(self, operation: str, number: int, args: Any, keywords: Any) -> Any:
        with self.lock:
            token = self.token
            content = encode([operation, number, list(args), keywords], hook=self.describe, refuse=self.refuse)
            self.pipe.send(token, b"K", content)
            while True:
                came, kind, answer = self.pipe.receive()
                if kind == b"Q":  # the test's function calls the candidate again
                    self.question(came, answer)
                    continue
                if kind == b"v":
                    return decode(answer, rich=True, hook=self.resolve)
                if kind == b"x":
                    raise self.from_test(*decode(answer, rich=True, hook=self.resolve))
                raise Broken("expected an answer to what was called back")

    def from_test(self, name: str, args: Any, number: int) -> BaseException:
        import builtins

        kind = getattr(builtins, name, CalledBack)
        try:
            error: BaseException = kind(*args)
        except Exception:  # noqa: BLE001 - exceptions that want other arguments
            error = CalledBack(*args)
        self.raised[id(error)] = number
        self.objects.append(error)  # keeps the id its own
        return error


class _Kept:
    """An answer that stays here even where its class extends a builtin one: what a class made, or an operator."""

    def __init__(self, value: Any) -> None:
        self.value = value


def _keep(value: Any) -> Any:
    extends = isinstance(value, _DATA) and type(value) not in _DATA
    return _Kept(value) if extends and type(value).__module__ == "solution" else value


def _name(value: Any) -> str:
    name = getattr(value, "__name__", "")
    return name if type(name) is str else ""


def _contents(value: Any) -> Any:
    """A mutable container's content in a new one of a plain kind, so that it is sent and not its number."""
    if isinstance(value, dict):
        return [list(dict.keys(value)), list(dict.values(value))]
    if isinstance(value, (bytearray,)):
        return bytes(value)
    if hasattr(value, "dtype"):
        return value.copy()
    return list(value)


class _Printed(io.TextIOBase):
    """sys.stdout of the candidate: what Python code prints goes to the test with the answer, so that a test that
    captures standard output sees it."""

    encoding, errors = "utf-8", "strict"

    def __init__(self, side: Side) -> None:
        self._side = side
        self.buffer = os.fdopen(1, "wb", closefd=False)

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return 1

    def write(self, text: str) -> int:
        if self._side.printed.tell() < 1 << 20:
            self._side.printed.write(text)
        return len(text)


def main() -> None:
    pipe = Pipe(loading.private(0), loading.private(1, 901))
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    side = Side(pipe)
    sys.stdout = _Printed(side)
    try:
        side.serve()
    except Broken:
        _exit(3)
    with contextlib.suppress(BaseException):  # the candidate's stream by now, perhaps
        sys.stderr.flush()
    _exit(0)
