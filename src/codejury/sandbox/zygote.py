"""The waiting interpreter. Runs inside the sandbox, as trusted code, and imports nothing of codejury.

    python3 zygote.py BOX_SO PRELOAD SOCKET

It imports the usual modules once and then waits; for each order it forks, and the child, locked down by the
same native code as any other program, goes on to run a script as `python3 script.py` would: as `__main__`, on
the real streams, with the same tracebacks, exit codes, threads, exit handlers and finalisers. The parent
only ever waits, and reports how the child ended.

Invariant: no secret is ever in this process. What a program finds by walking frames or memory is this file.

Fidelity, where it costs something: one frame of ours lies below the program's, so the recursion limit is given
back that one level where the interpreter's layout allows it; the objects of the program's own modules are
cleared at the end, as the interpreter does, but not the preloaded ones, which nobody would see.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import gc
import importlib.machinery
import itertools
import os
import sys
import threading
import traceback
import types

_ROOM = 1 << 20


def _preload(names: list[str]) -> None:
    for name in names:
        try:
            __import__(name)
        except Exception:  # noqa: BLE001 - whatever a package does at import, it is simply not preloaded
            continue


def _recursion_counter() -> ctypes.c_int | None:
    """Where in the thread's state the levels of recursion are counted down, or None. Found by moving the limit and
    looking what moved along: the layout differs between versions of Python."""
    if sys.implementation.name != "cpython":
        return None
    api = ctypes.pythonapi
    api.PyThreadState_Get.restype = ctypes.c_void_p
    state = api.PyThreadState_Get()
    words = (ctypes.c_int * 64).from_address(state)
    limit = sys.getrecursionlimit()
    before = list(words)
    sys.setrecursionlimit(limit + 7919)
    after = list(words)
    sys.setrecursionlimit(limit)
    moved = [i for i in range(64) if after[i] - before[i] == 7919]
    remaining = [i for i in moved if 0 < before[i] < limit]
    if len(moved) != 2 or len(remaining) != 1:
        return None
    return ctypes.c_int.from_address(state + 4 * remaining[0])


def _report(value: BaseException, trace: types.TracebackType | None) -> int:
    """As the interpreter prints an exception that nobody caught; our own frame left out."""
    sys.last_type, sys.last_value, sys.last_traceback = type(value), value, trace
    if sys.version_info >= (3, 12):
        sys.last_exc = value
    try:
        hook = sys.excepthook
    except AttributeError:
        sys.stderr.write("sys.excepthook is missing\n")
        hook = sys.__excepthook__
    try:
        hook(type(value), value, trace)
    except SystemExit as error:
        return _exit_code(error)
    except BaseException as error:  # noqa: BLE001 - the program's own hook
        sys.stderr.write("Error in sys.excepthook:\n")
        sys.__excepthook__(type(error), error, error.__traceback__)
        sys.stderr.write("\nOriginal exception was:\n")
        sys.__excepthook__(type(value), value, trace)
    return 1


def _below(error: BaseException) -> types.TracebackType | None:
    """Its traceback without the frame of ours."""
    trace = error.__traceback__
    return trace.tb_next if trace else None


def _exit_code(error: SystemExit) -> int:
    code = error.code
    if code is None:
        return 0
    if isinstance(code, int):
        return int(code) & 0xFF
    with contextlib.suppress(BaseException):  # as the interpreter does
        print(code, file=sys.stderr)
    return 1


def _flush(code: int) -> int:
    """120 when standard output cannot be flushed, as Py_FinalizeEx has it."""
    for stream, fatal in ((sys.stdout, True), (sys.stderr, False)):
        if stream is None or getattr(stream, "closed", False):
            continue
        try:
            stream.flush()
        except BaseException as error:  # noqa: BLE001 - the program's own stream
            if fatal:
                with contextlib.suppress(BaseException):
                    sys.stderr.write(f"Exception ignored in: {stream!r}\n")
                    traceback.print_exception(type(error), error, None)
                code = 120
    return code


def _clear(main: types.ModuleType) -> None:
    """The program's own modules lose their names, so that finalisers run and open files are flushed."""
    sys.last_type = sys.last_value = sys.last_traceback = None
    if sys.version_info >= (3, 12):
        sys.last_exc = None  # type: ignore[assignment]
    # The last ones in, and only those: to touch a preloaded module is to copy its page.
    late = list(itertools.islice(reversed(sys.modules), max(0, len(sys.modules) - _known)))
    theirs = [main, *(sys.modules[name] for name in late)]
    for module in theirs:
        names = getattr(module, "__dict__", None)
        if type(names) is not dict:
            continue
        for private in (True, False):
            for name in list(names):
                if name != "__builtins__" and isinstance(name, str) and name.startswith("_") is private:
                    names[name] = None
    gc.collect()


def _finish(code: int, main: types.ModuleType) -> None:
    try:
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
    except SystemExit as error:
        code = _exit_code(error)
    except BaseException as error:  # noqa: BLE001 - the program's own handlers; already printed one by one
        traceback.print_exception(type(error), error, error.__traceback__)
    code = _flush(code)
    with contextlib.suppress(BaseException):  # a finaliser may do anything; the result stands
        _clear(main)
    os._exit(_flush(code))


_environment: list[bytes] = []


def _set_environment(fields: list[bytes]) -> None:
    """Mostly the same as for the run before: then nothing is touched."""
    if fields == _environment:
        return
    names = os.environ._data  # type: ignore[attr-defined]
    for name in list(names):
        os.unsetenv(name)
    names.clear()
    for field in fields:
        name, _, value = field.partition(b"=")
        names[name] = value
        os.putenv(name, value)
    _environment[:] = fields


def _prepare(text: bytes, argc: int, directory: str) -> tuple[types.ModuleType, str]:
    """A fresh __main__ for the script of this order, and its path. Done before the fork, where it copies no pages."""
    fields = text.split(b"\0")[:-1]
    _set_environment(fields[argc:])
    argv = [os.fsdecode(field) for field in fields[:argc]]
    path = os.path.join(directory, argv[0])
    sys.argv[:] = argv
    sys.orig_argv[:] = [sys.executable, *argv]
    sys.path[:] = [os.path.dirname(path), *_path]
    main = type(sys)("__main__")
    main.__dict__.update(
        __annotations__={}, __builtins__=__builtins__, __file__=path, __cached__=None, __package__=None, __spec__=None
    )
    main.__loader__ = importlib.machinery.SourceFileLoader("__main__", path)
    sys.modules["__main__"] = main
    return main, path


def _awake() -> None:
    """What os.fork() would have seen to in the child."""
    threading._main_thread._set_native_id()  # type: ignore[attr-defined]
    random = sys.modules.get("random")
    if random is not None:
        random.seed()
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random is not None:
        numpy_random.seed()


# The rest is at module level, so that only one frame of ours is below the program's.
_box = ctypes.PyDLL(sys.argv[1])
_box.box_wait.restype = ctypes.c_long
_box.box_wait.argtypes = (ctypes.c_int, *(ctypes.c_char_p, ctypes.c_long), *(ctypes.c_void_p,) * 2, ctypes.c_char_p)
_socket = int(sys.argv[3])
del sys.path[0]
_preload(sys.argv[2].split(","))
_path = tuple(sys.path)
_levels = _recursion_counter()
_text, _directory = ctypes.create_string_buffer(_ROOM), ctypes.create_string_buffer(512)
_argc, _envc = ctypes.c_uint(), ctypes.c_uint()
_set_environment([b"PATH=/usr/bin:/bin"])
_known = len(sys.modules)
gc.collect()
gc.freeze()
os.write(_socket, bytes(24))  # struct zygote_answer: up and waiting
while True:
    _length = _box.box_wait(_socket, _text, _ROOM, ctypes.addressof(_argc), ctypes.addressof(_envc), _directory)
    if _length < 0:
        os._exit(1)
    _main, _script = _prepare(ctypes.string_at(_text, _length), _argc.value, os.fsdecode(_directory.value))
    _pid = _box.box_fork()
    if _pid == 0:
        break
    if _pid < 0 or _box.box_reap(_socket, _pid) < 0:
        os._exit(1)

if _box.box_enter() != 0:
    os._exit(125)
_awake()
if _levels is not None:
    _levels.value += 1
try:
    with open(_script, "rb") as _file:
        _source = _file.read()
    _code = compile(_source, _script, "exec", dont_inherit=True)
except BaseException as _error:  # noqa: BLE001 - a syntax error is the program's
    _status = _report(_error, None)
else:
    try:
        exec(_code, _main.__dict__)
        _status = 0
    except SystemExit as _error:
        _status = _exit_code(_error)
    except KeyboardInterrupt as _error:
        import signal

        _report(_error, _below(_error))
        _flush(0)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
        _status = 130
    except BaseException as _error:  # noqa: BLE001 - whatever the program raised
        _status = _report(_error, _below(_error))
_finish(_status, _main)
