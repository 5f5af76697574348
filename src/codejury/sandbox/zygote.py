"""The waiting interpreter. Runs inside the sandbox, as trusted code, and imports nothing of codejury.

    python3 zygote.py BOX_SO PRELOAD SOCKET

It imports the usual modules once and then waits; for each order it forks, and the child, locked down by the
same native code as any other program, waits for the word to go and then runs a script as `python3 script.py` would:
as `__main__`, on the real streams, with the same tracebacks, exit codes, threads, exit handlers and finalisers. The
parent only ever waits, and reports how the child ended.

Invariant: no secret is ever in this process. What a program finds by walking frames or memory is this file.

The script itself is run, and ended, by native/script.c.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` is not among what every script finds imported
import atexit
import contextlib
import ctypes
import gc
import importlib.machinery
import io
import itertools
import os
import sys
import threading
import time
import types

# What every program has, as sandbox/worker.py gives it; what the zygote alone needed is gone before the first fork.
_ENVIRONMENT = [name + b"=" + value for name, value in os.environb.items() if not name.startswith(b"OPENBLAS")]


def _preload(names: list[str]) -> None:
    signals = {number: _signal.getsignal(number) for number in _signal.valid_signals()}
    mask = os.umask(0)
    os.umask(mask)
    for name in names:
        try:
            __import__(name)
        except BaseException:  # noqa: BLE001 - whatever a package does at import, it is simply not preloaded
            continue
    os.umask(mask)
    for number, handler in signals.items():
        if handler is not None and _signal.getsignal(number) != handler:
            _signal.signal(number, handler)


def _set_environment(fields: list[bytes]) -> None:
    """Only what differs is touched: mostly nothing."""
    names = os.environ._data  # type: ignore[attr-defined]
    wanted = dict(field.partition(b"=")[::2] for field in fields)
    for name in [name for name in names if name not in wanted]:
        del names[name]
        os.unsetenv(name)
    for name, value in wanted.items():
        if names.get(name) != value:
            names[name] = value
            os.putenv(name, value)


def _prepare(directory: str) -> str:
    """A fresh __main__, as most scripts want it; its path. Done before the fork, where it copies no pages, and before
    the order: nothing of the program is known here yet."""
    path = f"{directory}/main.py"
    sys.path[:] = [directory, *_path]
    main = type(sys)("__main__")
    main.__loader__ = importlib.machinery.SourceFileLoader("__main__", path)
    main.__dict__.update(__annotations__={}, __builtins__=__builtins__, __file__=path, __cached__=None)
    sys.modules["__main__"] = main
    sys.argv[:], sys.orig_argv[:] = ["main.py"], [sys.executable, "main.py"]
    for draws in ("random", "numpy.random"):  # what they drew at import must not be the same in every run
        if draws in sys.modules:
            sys.modules[draws].seed()
    return path


def _name() -> bytes:
    """What the program is called with, which came with the word to go and no other program may find here. Its path."""
    argc, length = ctypes.c_uint(), ctypes.c_size_t()
    texts = _box.box_texts(ctypes.byref(argc), ctypes.byref(length))
    fields = ctypes.string_at(texts, length.value).split(b"\0")[:-1]
    _set_environment(fields[argc.value :])
    argv = [os.fsdecode(field) for field in fields[: argc.value]]
    path = os.path.join(os.fsdecode(_place), argv[0])
    sys.argv[:], sys.orig_argv[:] = argv, [sys.executable, *argv]
    main = sys.modules["__main__"]
    main.__file__ = path
    main.__loader__ = importlib.machinery.SourceFileLoader("__main__", path)
    if "TZ" in os.environ:
        time.tzset()
    return os.fsencode(path)


def _unload() -> list[types.ModuleType | None]:
    """The script's own modules, taken out of sys.modules: the last ones in, and only those, for to touch a preloaded
    one is to copy its page."""
    late = list(itertools.islice(reversed(sys.modules), max(0, len(sys.modules) - _known)))
    return [sys.modules.pop(name, None) for name in ("__main__", *late)]


def _settle() -> None:
    """Files that are still held, by sys or a preloaded module: the interpreter would clear those too. The zygote's own
    objects are frozen and not among these."""
    for held in gc.get_objects():
        if isinstance(held, (io.TextIOWrapper, io.BufferedWriter, io.BufferedRandom)):
            with contextlib.suppress(Exception):
                held.flush()


_box = ctypes.PyDLL(sys.argv[1])
_box.box_run.argtypes = (ctypes.c_char_p, *(ctypes.py_object,) * 6)
_box.box_texts.restype = ctypes.c_void_p
_socket = int(sys.argv[3])
sys.path_importer_cache.pop(sys.path[0], None)
del sys.path[0]
_preload(sys.argv[2].split(","))
_path = tuple(sys.path)
_directory = ctypes.create_string_buffer(512)
_set_environment([field for field in _ENVIRONMENT if b"=" in field])
for _stream in (sys.stdout, sys.stderr):  # what a module said at import is not what a program says
    _stream.flush()
_known = len(sys.modules)
compile("", "", "exec")  # its first call makes a hundred types, and would in every child
gc.collect()
gc.freeze()
_threads = threading.active_count() > 1
os.write(_socket, bytes(24))  # struct zygote_answer: up and waiting
_place = b""
while _box.box_wait(_socket, _directory) == 0:
    if _directory.value != _place:  # at the level landlock only the first time either
        _place = _directory.value
        _script = _prepare(os.fsdecode(_place))
    _pid = _box.box_fork()
    if _pid == 0:
        break
    if _pid < 0 or _box.box_reap(_socket, _pid) < 0:
        os._exit(1)
    _script = _prepare(os.fsdecode(_place))  # for the next one, while the keeper and its parent deal with this one
else:
    os._exit(1)

if _box.box_enter() != 0:
    os._exit(125)
if _threads:  # which a module started, and which are not here: nobody is to wait for them
    threading._after_fork()  # type: ignore[attr-defined]
threading._main_thread._set_native_id()  # type: ignore[attr-defined]  # of what os.fork() sees to, the rest
_box.box_run(os.fsencode(_script), threading, atexit, gc, _unload, _settle, _name)
os.execv(sys.executable, [sys.executable, *sys.argv])  # not an interpreter that box_run knows: a new one, then
