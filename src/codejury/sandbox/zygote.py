"""The waiting interpreter. Runs inside the sandbox, as trusted code, and imports nothing of codejury.

    python3 zygote.py BOX_SO PRELOAD SOCKET

It imports the usual modules once and then waits; for each order it forks, and the child, locked down by the
same native code as any other program, waits for the word to go and then runs a script as `python3 script.py` would:
as `__main__`, on the real streams, with the same tracebacks, exit codes, threads, exit handlers and finalisers. The
parent only ever waits, and reports how the child ended.

Invariant: no secret is ever in this process. What a program finds by walking frames or memory is this file.

It waits and forks in native/zygote.c: a line of Python there would copy pages after every fork, in the parent, for
nothing. The script itself is run, and ended, by native/script.c.
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
import marshal
import os
import sys
import threading
import time
import types
import warnings

# What every program has, as sandbox/worker.py gives it; what the zygote alone needs is gone before the first fork.
_OWN = (b"OPENBLAS_NUM_THREADS", b"LD_BIND_NOW")
_ENVIRONMENT = [name + b"=" + value for name, value in os.environb.items() if name not in _OWN]

# As finalize_modules_delete_special() of pylifecycle.c: what finalisers must not lean on any more.
_GONE = (
    *("path", "argv", "ps1", "ps2", "last_type", "last_value", "last_traceback", "last_exc"),
    *("path_hooks", "path_importer_cache", "meta_path", "__interactivehook__"),
)
_BUFFERS = (io.TextIOWrapper, io.BufferedWriter, io.BufferedRandom)

_REHEARSAL = """
import sys
def add(a, b):
    return a + b
class Pair:
    def __init__(self, first, second):
        self.first, self.second = first, second
total = add(*map(int, '20 22'.split()))
rows = [[int(x) for x in line.split()] for line in '1 2\\n3 4'.split('\\n')]
seen = {x: i for i, x in enumerate(sorted({3, 1, 2}))}
pair = Pair(1, 'x' * 9)
text = f'{total} {pair.first:3d} {len(rows)}' + ' '.join(map(str, range(9)))
try:
    seen[99]
except KeyError as error:
    del error
print(end='')
"""


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


def _prepare() -> bytes:
    """A fresh __main__, as most scripts want it; its path. Before the first fork, where it copies no pages: nothing of
    any program is known here, and nobody but a child ever changes it. Not frozen: a child's collector is to find it."""
    directory = os.fsdecode(_directory.value)
    path = f"{directory}/main.py"
    sys.path[:] = [directory, *_path]
    main = type(sys)("__main__")
    main.__loader__ = importlib.machinery.SourceFileLoader("__main__", path)
    main.__dict__.update(__annotations__={}, __builtins__=__builtins__, __file__=path, __cached__=None)
    sys.modules["__main__"] = main
    sys.argv[:], sys.orig_argv[:] = ["main.py"], [sys.executable, "main.py"]
    return os.fsencode(path)


def _seeds() -> object:
    """The function that gives the usual sources of chance a new seed: what they drew at import must not be the same in
    every run."""
    sources = [sys.modules[name] for name in ("random", "numpy.random") if name in sys.modules]
    if [source.__name__ for source in sources] == ["random"]:  # as random.seed() ends up, by the shortest way
        return sys.modules["_random"].Random.seed.__get__(sources[0]._inst)
    return lambda: [source.seed() for source in sources]


def _name() -> bytes:
    """What the program is called with, which came with the word to go and no other program may find here. Its path."""
    argc, length = ctypes.c_uint(), ctypes.c_size_t()
    texts = _box.box_texts(ctypes.byref(argc), ctypes.byref(length))
    fields = ctypes.string_at(texts, length.value).split(b"\0")[:-1]
    _set_environment(fields[argc.value :])
    argv = [os.fsdecode(field) for field in fields[: argc.value]]
    path = os.path.join(os.fsdecode(_directory.value), argv[0])
    sys.argv[:], sys.orig_argv[:] = argv, [sys.executable, *argv]
    main = sys.modules["__main__"]
    main.__file__ = path
    main.__loader__ = importlib.machinery.SourceFileLoader("__main__", path)
    if "TZ" in os.environ:
        time.tzset()
    return os.fsencode(path)


def _compiled() -> bytes:
    """What the script compiles to. Not where the compiler has a word to say about it, which every run is to see."""
    path = sys.modules["__main__"].__file__ or ""
    with open(path, "rb") as file:
        text = file.read()
    text.decode()  # of bytes that are none of the encoding's compile() takes more than a file may have
    with warnings.catch_warnings():
        warnings.simplefilter("error", SyntaxWarning)
        return marshal.dumps(compile(text, path, "exec", dont_inherit=True))


def _unload() -> list[types.ModuleType | None]:
    """The script's own modules, taken out of sys.modules: the last ones in, and only those, for to touch a preloaded
    one is to copy its page."""
    names = sys.__dict__
    for name in _GONE:
        if name in names:
            names[name] = None
    for stream in ("stdin", "stdout", "stderr"):
        names[stream] = names.get(f"__{stream}__")
    late = list(itertools.islice(reversed(sys.modules), max(0, len(sys.modules) - _known)))
    return [sys.modules.pop(name, None) for name in ("__main__", *late)]


def _settle() -> None:
    """Files that are still held, by sys or a preloaded module: the interpreter would clear those too. The zygote's own
    objects are frozen and not among these."""
    for held in gc.get_objects():
        if isinstance(held, _BUFFERS):
            with contextlib.suppress(Exception):
                held.flush()


def _rehearse() -> None:
    """What every script does: the pages that it writes to, of those shared with the zygote, are copied by it, and that
    costs more than the work itself. Nothing of it is to be seen afterwards."""
    exec(_REHEARSAL, {"__builtins__": __builtins__})
    gc.collect()


def _warm_up() -> None:
    """What the interpreter makes at the first use of something, and would make in every child."""
    with open(os.devnull) as nothing:
        nothing.readline()
    for _ in range(8):  # so often it looks before it specialises a function's code
        _arrive()
        _rehearse()
        _settle()


def _arrive() -> None:
    """In the child, of what os.fork() sees to, the rest."""
    if _threads:  # which a module started, and which are not here: nobody is to wait for them
        threading._after_fork()  # type: ignore[attr-defined]
    threading._main_thread._set_native_id()  # type: ignore[attr-defined]


_box = ctypes.PyDLL(sys.argv[1])
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
_threads = False
_warm_up()
_threads = threading.active_count() > 1
gc.collect()
gc.freeze()
os.write(_socket, bytes(24))  # struct zygote_answer: up and waiting
if _box.box_wait(_socket, _directory) != 0:
    os._exit(1)
_objects = [_prepare(), _seeds(), _arrive, _rehearse, _name, _compiled, _unload, _settle, threading, atexit, gc]
_box.box_serve(_socket, _directory, *map(ctypes.py_object, _objects))
os.execv(sys.executable, [sys.executable, *sys.argv])  # in a child whose interpreter script.c does not know: a new one
