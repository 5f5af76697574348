"""Runs inside the sandbox, started by main.py beside a checker of the Klear contract. Nothing imports it.

    stdin    one line `token size size size`, then input, output and reference, of so many bytes
    stdout   one frame `token word`, a newline, a message; word: true, false (what the checker printed), or error
             (what happened)

Owns the way from a checker's answer to the frame. The texts come by stdin, since an argument list holds no more than
two megabytes. A script that defines is_valid_output with room for three arguments is loaded as a module, and its
return value counts; any other is run as `__main__` with the texts in sys.argv, and all that it prints counts.

Invariants: what the checker prints goes to a file and never to stdout, so only this script writes a frame, and only
after the checker has come to its end. Text that the checker evaluates (`eval(output)` is not rare) may compute values
and no more: what could reach the checker's own state, an attribute, an import, a store, is refused, and the run is an
error whatever the checker makes of that.

A word on words: a script that mentions a module of the larger waiting interpreter is run in that one, which costs
milliseconds. A test sees to it that this one does not.
"""

from __future__ import annotations

import os
import sys
from types import CodeType, ModuleType
from typing import Any

_CHECKER = "checker.py"
_PRINTED = ".printed"
_SHOWN = 2000  # characters of any message
# Builtins that reach further than values, or make ones that lie.
_READING = ("getattr", "globals", "help", "input", "locals", "open", "vars")
_RUNNING = ("breakpoint", "compile", "eval", "exec", "exit", "quit")
_MAKING = ("classmethod", "delattr", "memoryview", "object", "property", "setattr", "staticmethod", "super", "type")
_FORBIDDEN = frozenset((*_READING, *_RUNNING, *_MAKING))


class Refused(Exception):
    """The checker tried to run text as code."""


# ── Text that is evaluated ───────────────────────────────────────────────────────────────────────────────────────────


def _reach(code: CodeType) -> str | None:
    """What an evaluated text would touch beyond values; None for one that only computes."""
    from opcode import opname

    for number in set(code.co_code[::2]):
        name = opname[number]
        if name.startswith(("IMPORT", "DELETE_", "STORE_")) and not name.startswith(("STORE_FAST", "STORE_DEREF")):
            return f"the operation {name}"
        if any(part in name for part in ("ATTR", "METHOD", "_CLASS")):
            return f"the operation {name}"
    for name in code.co_names:
        if name in _FORBIDDEN or name.startswith("_"):
            return f"the name {name}"
    return next(filter(None, (_reach(inner) for inner in code.co_consts if isinstance(inner, CodeType))), None)


def _watch(directory: str) -> list[str]:
    """From now on evaluated text is looked at first. The list gets what was refused."""
    refused: list[str] = []

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if event == "exec" and isinstance(args[0], CodeType):
            # Only what code of the checker's evaluates: imports and libraries run code of their own.
            if sys._getframe(1).f_code.co_filename.startswith(directory) and not args[0].co_filename.startswith(
                directory
            ):
                reach = _reach(args[0])
                if reach:
                    refused.append(f"evaluates text that uses {reach}")
        elif event == "pickle.find_class":
            refused.append(f"unpickles an object of {args[0]}.{args[1]}")
        else:
            return
        if refused:
            raise Refused(refused[0])

    sys.addaudithook(hook)
    return refused


# ── The checker ──────────────────────────────────────────────────────────────────────────────────────────────────────


def _takes_three(code: CodeType) -> bool:
    """Whether the script defines is_valid_output, at its top, for three arguments. Told from the compiled script: to
    run it first and look would run what it does as `__main__` twice."""
    takes = False
    for inner in code.co_consts:
        if isinstance(inner, CodeType) and inner.co_name == "is_valid_output":
            takes = inner.co_argcount == 3 or (inner.co_argcount < 3 and bool(inner.co_flags & 4))  # 4: *args
    return takes


def _module(name: str, path: str) -> ModuleType:
    module = ModuleType(name)
    module.__file__ = path
    sys.modules[name] = module
    return module


def _join() -> None:
    """Waits for the script's threads, as the interpreter does at its end: one may be its main()."""
    import threading

    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()


def _verdict_of_value(value: object, printed: int) -> tuple[str, str]:
    kind = type(value)
    if kind.__name__ in ("bool", "bool_") and hasattr(kind, "item"):  # as array libraries return it
        value = kind.item(value)
    if value is True or value is False:
        return str(value).lower(), _text(printed).strip()
    return "error", f"is_valid_output returned {_cut(ascii(value))} ({kind.__name__}), expected True or False"


def _verdict_of_print(printed: int) -> tuple[str, str]:
    text = _text(printed)
    if os.fstat(printed).st_size < _SHOWN and text.strip() in ("True", "False"):
        return text.strip().lower(), ""
    if not text.strip():
        return "error", "printed nothing, expected True or False"
    return "error", f"printed {_cut(ascii(text))}, expected True or False and nothing else"


def _text(printed: int) -> str:
    """What the checker has printed: the beginning of it."""
    sys.stdout.flush()
    return os.pread(printed, 4 * _SHOWN, 0).decode("utf-8", "replace")


def _cut(text: str) -> str:
    return text if len(text) <= 200 else text[:200] + "..."


def _decide(texts: list[str], printed: int) -> tuple[str, str]:
    path = os.path.abspath(_CHECKER)
    with open(path, "rb") as file:
        source = file.read()
    sys.argv[:] = [_CHECKER, *texts]
    refused = _watch(os.path.dirname(path))
    try:
        code = compile(source, path, "exec", dont_inherit=True)
        direct = _takes_three(code)
        module = _module("checker" if direct else "__main__", path)
        if direct:
            exec(code, module.__dict__)
            verdict = _verdict_of_value(module.is_valid_output(*texts), printed)
        else:
            try:
                exec(code, module.__dict__)
                _join()
            except SystemExit as end:
                if end.code not in (None, 0):
                    return "error", f"ended with exit code {_cut(ascii(end.code))}"
            verdict = _verdict_of_print(printed)
    except BaseException as error:  # noqa: BLE001 - whatever a checker raises, it is told in the frame
        verdict = "error", _said(error, path)
    return ("error", refused[0]) if refused else verdict


def _said(error: BaseException, path: str) -> str:
    """Type, words and place of an exception."""
    line = error.lineno if isinstance(error, SyntaxError) and error.filename == path else None
    trace = error.__traceback__
    while trace:
        if trace.tb_frame.f_code.co_filename == path:
            line = trace.tb_lineno
        trace = trace.tb_next
    try:
        words = str(error)
    except BaseException:  # noqa: BLE001 - an exception may fail to say what it is
        words = ""
    where = f" at line {line}" if line else ""
    return f"raised {type(error).__name__}{': ' if words else ''}{_cut(ascii(words)[1:-1])}{where}"


def _main() -> None:
    us = os.getpid()
    channel = os.dup(1)
    printed = os.open(_PRINTED, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC)
    os.unlink(_PRINTED)
    os.dup2(printed, 1)
    token, *sizes = sys.stdin.buffer.readline().split()
    # As arguments would be decoded.
    texts = [sys.stdin.buffer.read(int(size)).decode("utf-8", "surrogateescape") for size in sizes]
    word, message = _decide(texts, printed)
    sys.stdout.flush()
    sys.stderr.flush()
    if os.getpid() != us:  # a child that the checker forked and left to run on
        os._exit(0)
    frame = b"%s %s\n%s" % (token, word.encode(), message[:_SHOWN].encode("utf-8", "replace"))
    os.write(channel, frame)
    os._exit(0)  # threads and exit handlers of the checker's have no say any more


_main()
