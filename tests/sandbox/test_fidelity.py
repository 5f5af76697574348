"""Warm against fresh: a fork of the waiting interpreter must behave as `python3 main.py` does.

Each program of CASES runs both ways on one worker; how it ended, what it wrote on both streams and the files it
left must be the same to the byte. What no two runs of an interpreter have in common, addresses of objects, is
masked, and nothing else. A property does the same with programs put together from a small grammar.

`expect` says how a new interpreter must end, so that a program that fails for a reason of its own is seen.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import codejury
from codejury import Limits, Outcome

try:
    import numpy
except ImportError:
    numpy = None

LIMITS = Limits(cpu_s=20, wall_s=120)


@dataclass(frozen=True)
class Case:
    name: str
    source: bytes
    expect: int | None = 0  # exit code of a new interpreter; -n: death by signal n; None: whatever it is
    stdin: bytes = b""
    options: dict[str, Any] = field(default_factory=dict)


CASES: list[Case] = []


def case(name: str, source: str | bytes, expect: int | None = 0, *, stdin: str | bytes = b"", **options: Any) -> None:
    raw = source if isinstance(source, bytes) else textwrap.dedent(source).strip("\n").encode() + b"\n"
    CASES.append(Case(name, raw, expect, stdin.encode() if isinstance(stdin, str) else stdin, options))


# -- standard input ---------------------------------------------------------------------------------------------------

TEXT = "first\nsecond line\n\nlast without newline"

case("stdin_input", "a = input(); b = input('prompt> '); print([a, b])", stdin=TEXT)
case("stdin_input_eof", "input(); input()", 1, stdin="only\n")
case(
    "stdin_input_eof_caught",
    """
    lines = []
    try:
        while True:
            lines.append(input())
    except EOFError as error:
        print(lines, error)
    """,
    stdin=TEXT,
)
case("stdin_input_empty", "print(repr(input()))", 1)
case("stdin_readline", "import sys; print([sys.stdin.readline() for _ in range(6)])", stdin=TEXT)
case("stdin_readlines", "import sys; print(sys.stdin.readlines(7), sys.stdin.readlines())", stdin=TEXT)
case("stdin_iteration", "import sys\nfor i, line in enumerate(sys.stdin): print(i, repr(line))", stdin=TEXT)
case("stdin_mixed", "import sys; print(input(), next(sys.stdin), sys.stdin.read(3), sys.stdin.readline())", stdin=TEXT)
case("stdin_read", "import sys; print(repr(sys.stdin.read())); print(repr(sys.stdin.read()))", stdin=TEXT)
case(
    "stdin_buffer", "import sys; b = sys.stdin.buffer; print(b.readline(), b.read(2), b.read())", stdin=b"a\n\xff\x00\xfe\r\nz"
)
case("stdin_buffer_iteration", "import sys; print(list(map(int, sys.stdin.buffer)))", stdin="1\n2\n3")
case("stdin_raw", "import sys; print(sys.stdin.buffer.raw.read(4), sys.stdin.buffer.raw.readall())", stdin=TEXT)
case("stdin_open_0", "print(open(0).read().split())", stdin=TEXT)
case("stdin_open_0_binary", "print(open(0, 'rb').readlines())", stdin=TEXT)
case("stdin_open_0_iteration", "for line in open(0): print(line, end='|')", stdin=TEXT)
case("stdin_os_read", "import os; print(os.read(0, 5), os.read(0, 1000), os.read(0, 1000))", stdin=TEXT)
case("stdin_dev_stdin", "with open('/dev/stdin') as f: print(f.read())", stdin=TEXT)
case("stdin_dev_fd_0", "with open('/dev/fd/0', 'rb') as f: print(f.read())", stdin=TEXT)
case("stdin_mmap", "import mmap; m = mmap.mmap(0, 0, prot=mmap.PROT_READ); print(m[:], len(m))", stdin=TEXT)
case("stdin_seek", "import sys; a = sys.stdin.read(); sys.stdin.seek(0); print(a == sys.stdin.read(), len(a))", stdin=TEXT)
case("stdin_fileinput", "import fileinput\nfor line in fileinput.input(): print(fileinput.lineno(), line, end='')", stdin=TEXT)
case("stdin_unread", "print('never reads')", stdin=TEXT * 1000)
case("stdin_invalid_utf8", "import sys; print(ascii(sys.stdin.read()))", None, stdin=b"\xff\xfe ok")
case("stdin_crlf", "import sys; print(sys.stdin.readlines())", stdin=b"a\r\nb\rc\n")
case("stdin_closed", "import sys; sys.stdin.close(); input()", 1, stdin=TEXT)
case("stdin_replaced", "import io, sys; sys.stdin = io.StringIO('mine\\n'); print(input())", stdin=TEXT)
case("stdin_detached", "import sys; print(sys.stdin.detach().read())", stdin=TEXT)
case("stdin_select", "import select, sys; print(len(select.select([0], [], [], 0)[0]), sys.stdin.readline())", stdin=TEXT)

# -- standard output and error ----------------------------------------------------------------------------------------

case("stdout_closed_then_print", "import sys; sys.stdout.close(); print('gone')", 1)
case("stdout_fd_closed", "import os; os.close(1); print('gone')", 120)
case("stdout_fd_closed_flush", "import os; os.close(1); print('gone', flush=True)", None)
case("stdout_closed_quietly", "import sys; print('before'); sys.stdout.close()")
case("stdout_none", "import sys; sys.stdout = None; print('nowhere')")
case("stdout_replaced", "import io, sys; sys.stdout = io.StringIO(); print('kept in memory'); sys.stderr.write('end')")
case(
    "stdout_replaced_broken_flush",
    """
    import sys
    class Broken:
        def write(self, text): pass
        def flush(self): raise ValueError('cannot flush')
    sys.stdout = Broken()
    """,
    120,
)
case("stdout_detached", "import sys; b = sys.stdout.detach(); b.write(b'raw'); b.flush()")
case("stdout_binary", "import sys; sys.stdout.buffer.write(bytes(range(256)) * 40)")
case("stdout_os_write", "import os, sys; print('second'); os.write(1, b'first\\n')")
case("stdout_mixed_with_buffer", "import sys; print('a'); sys.stdout.flush(); sys.stdout.buffer.write(b'b'); print('c')")
case("stdout_large", "print('0123456789' * 700_000)")
case("stdout_large_lines", "for i in range(60_000): print(i, 'x' * 20)")
case("stdout_surrogate", "print('\\ud800')", 1)
case("stdout_surrogate_stderr", "import sys; print('\\ud800', file=sys.stderr)")
case("stdout_unicode", "print('żółw 🐢 \\N{GREEK SMALL LETTER ALPHA}\\r\\n', end='\\0')")
case("stdout_unflushed_at_os_exit", "import os; print('lost'); os._exit(0)")
case("stdout_open_1", "f = open(1, 'w'); f.write('through open(1)\\n'); f.flush()")
case("stdout_dup2", "import os, sys; os.dup2(2, 1); print('to stderr')")
case("stdout_dev_stdout", "with open('/dev/stdout', 'w') as f: f.write('by name\\n')\nprint('end')")
case("stdout_print_to_stderr", "import sys; print('e', file=sys.stderr); print('o')")
case("stdout_sigpipe", "import os; r, w = os.pipe(); os.close(r); os.write(w, b'x')", 1)
case("stderr_closed", "import sys; sys.stderr.close(); raise ValueError('unseen')", 1)
case("stderr_none", "import sys; sys.stderr = None; raise ValueError('unseen')", 1)
case("stderr_replaced", "import io, sys; sys.stderr = io.StringIO(); raise ValueError('unseen')", 1)
case("stderr_fd_closed", "import os; os.close(2); raise ValueError('unseen')", 1)
case("stderr_unflushed_writes", "import sys; sys.stderr.write('no newline'); sys.stdout.write('none here')")
case(
    "stream_attributes",
    """
    import io, os, sys
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        print(stream.name, stream.mode, stream.encoding, stream.errors, stream.line_buffering, stream.write_through,
              stream.newlines, stream.isatty(), stream.readable(), stream.writable(), stream.seekable(), stream.fileno(),
              stream.closed, type(stream).__name__, type(stream.buffer).__name__, type(stream.buffer.raw).__name__,
              stream.buffer.raw.mode, stream.buffer.raw.closefd, stream.buffer.name, repr(stream))
        print(stream is getattr(sys, '__' + stream.name[1:-1] + '__'), os.get_inheritable(stream.fileno()))
    """,
)
case(
    "stream_kinds",
    """
    import fcntl, os, stat
    for fd in (0, 1, 2):
        print(stat.S_IFMT(os.fstat(fd).st_mode), os.isatty(fd), fcntl.fcntl(fd, fcntl.F_GETFD), fcntl.fcntl(fd, fcntl.F_GETFL))
    print(sorted(int(fd) for fd in os.listdir('/proc/self/fd'))[:3])
    """,
)
case("open_descriptors", "import os; fd = os.open('x', os.O_CREAT); print(fd)\nfor n in range(fd, 64): assert n == fd or not _")
CASES.pop()  # replaced just below: the descriptors that are open at the start
case(
    "open_descriptors",
    """
    import os
    opened = []
    for fd in range(256):
        try:
            os.fstat(fd)
        except OSError:
            continue
        opened.append(fd)
    print(opened)
    """,
)
case("reconfigure", "import sys; sys.stdout.reconfigure(encoding='latin-1', newline='\\r\\n'); print('é')")
case("write_to_stdin", "import os; os.write(0, b'x')", 1, stdin="abc")

# -- ways to end ------------------------------------------------------------------------------------------------------

for text, code in {
    "": 0,
    "None": 0,
    "0": 0,
    "1": 1,
    "3": 3,
    "-1": 255,
    "255": 255,
    "256": 0,
    "257": 1,
    "2**31": None,
    "2**64": None,
    "-2**70": None,
    "'words'": 1,
    "''": 1,
    "'words with\\nnewline é'": 1,
    "b'bytes'": 1,
    "True": 1,
    "False": 0,
    "2.5": 1,
    "[1, 2]": 1,
    "(1, 2)": 1,
    "object": 1,
}.items():
    case(f"exit_{text or 'bare'}", f"import sys; print('before'); sys.exit({text})", code)
case("exit_two_arguments", "raise SystemExit(1, 2)", 1)
case("exit_builtin", "exit(4)", 4)
case("exit_quit", "quit()", 0)
case("exit_raised_class", "raise SystemExit")
case("exit_raised_code", "raise SystemExit(7)", 7)
case("exit_subclass", "class Mine(SystemExit):\n    code = 9\nraise Mine", 9)
case("exit_int_subclass", "class Six(int): pass\nimport sys; sys.exit(Six(6))", 6)
case("exit_str_raises", "class Bad:\n    def __str__(self): raise ValueError('no text')\nimport sys; sys.exit(Bad())", 1)
case("exit_from_finally", "import sys\ntry:\n    1 / 0\nfinally:\n    sys.exit(5)", 5)
case("exit_caught", "import sys\ntry:\n    sys.exit(5)\nexcept SystemExit as e:\n    print('caught', e.code)")
case("exit_in_function_deep", "import sys\ndef f(n): sys.exit(n) if n == 40 else f(n + 1)\nf(0)", 40)
case("exit_os__exit", "import os; print('flushed', flush=True); os._exit(17)", 17)
case("exit_os__exit_300", "import os; os._exit(300)", 44)
case("exit_os_abort", "import os; print('x', flush=True); os.abort()", -6)
case("exit_kill_self", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)", -9)
case("exit_sigterm_self", "import os, signal; os.kill(os.getpid(), signal.SIGTERM)", -15)
case("exit_raise_signal", "import signal; signal.raise_signal(signal.SIGUSR1)", -10)
case("exit_segv", "import ctypes; ctypes.string_at(0)", -11)
case("exit_keyboard_interrupt", "raise KeyboardInterrupt", -2)
case("exit_keyboard_interrupt_words", "def f(): raise KeyboardInterrupt('by hand')\nf()", -2)
case("exit_sigint_self", "import os, signal; os.kill(os.getpid(), signal.SIGINT)\nfor _ in range(10**7): pass", -2)
case("exit_sigint_caught", "import signal\ntry:\n    signal.raise_signal(2)\nexcept KeyboardInterrupt: print('caught')")
case("exit_generator_exit", "raise GeneratorExit('out of place')", 1)
case("exit_base_exception", "class Own(BaseException): pass\nraise Own('own')", 1)

# -- exceptions that nobody caught ------------------------------------------------------------------------------------

case("error_simple", "print('before')\nprint(1 / 0)", 1)
case("error_nested", "def f(n):\n    return f(n - 1) if n else [][1]\n\nprint(f(4))", 1)
case(
    "error_chained",
    """
    try:
        try:
            {}['key']
        except KeyError as error:
            raise ValueError('second') from error
    except ValueError:
        raise RuntimeError('third')
    """,
    1,
)
case("error_from_none", "try:\n    1 / 0\nexcept ZeroDivisionError:\n    raise OSError(2, 'text', 'file') from None", 1)
case(
    "error_group",
    """
    def f(): raise TypeError('inner')
    try:
        f()
    except TypeError as error:
        raise ExceptionGroup('several', [error, ValueError(1), ExceptionGroup('deep', [KeyError('k')])])
    """,
    1,
)
case("error_notes", "e = ValueError('noted')\ne.add_note('first note')\ne.add_note('second\\nnote')\nraise e", 1)
case("error_name_suggestion", "value = 1\nprint(valu)", 1)
case("error_attribute_suggestion", "import math\nmath.sqr(2)", 1)
case("error_import", "import no_such_module_at_all", 1)
case("error_import_from", "from math import no_such_name", 1)
case("error_assert", "assert 1 == 2, ('message', 3)", 1)
case("error_unicode", "raise ValueError('żółw 🐢')", 1)
case("error_unprintable", "class E(Exception):\n    def __str__(self): raise ValueError\nraise E", 1)
case("error_repeated_frames", "def f(): return g()\ndef g(): return f()\nf()", 1)
case("error_in_lambda_and_comprehension", "print([(lambda x: 1 // x)(x) for x in (2, 1, 0)])", 1)
case("error_in_library", "import json\njson.loads('{bad')", 1)
case("error_in_exec", "exec(compile('def f():\\n  boom\\nf()', '<made up>', 'exec'))", 1)
case("error_in_generator", "def g():\n    yield 1\n    raise LookupError('in generator')\nlist(g())", 1)
case("error_multiline_statement", "x = 0\nprint(1 +\n      2 / x,\n      3)", 1)
case("error_attributes_last", "import sys\nprint(hasattr(sys, 'last_value'), hasattr(sys, 'last_traceback'))")
case("error_memory", "raise MemoryError('by hand')", 1)
case("error_stop_iteration", "next(iter(()))", 1)
case("error_class_body", "class A:\n    x = 1\n    y = undefined", 1)
case("error_with_tabs_and_form_feed", "if True:\n\tx = 1\n\traise ValueError(x)", 1)
case("error_long_line", "x = " + "1 + " * 400 + "None", 1)
case("error_traceback_module", "import traceback\ntry:\n    1 / 0\nexcept ZeroDivisionError:\n    traceback.print_exc()")
case("error_format_exception", "import traceback\ntry:\n    f = lambda: {}['x']; f()\nexcept KeyError as e:\n    print(traceback.format_exception(e))")
case("error_tracebacklimit", "import sys\nsys.tracebacklimit = 1\ndef f(n): f(n - 1) if n else 1 / 0\nf(3)", 1)
case("error_tracebacklimit_0", "import sys\nsys.tracebacklimit = 0\ndef f(n): f(n - 1) if n else 1 / 0\nf(3)", 1)
case("hook_good", "import sys\nsys.excepthook = lambda *a: print('hook', a[0].__name__, a[1], a[2].tb_lineno)\n1 / 0", 1)
case("hook_raises", "import sys\ndef hook(*a): raise ValueError('in hook')\nsys.excepthook = hook\n1 / 0", 1)
case("hook_exits", "import sys\nsys.excepthook = lambda *a: sys.exit(6)\n1 / 0", None)
case("hook_missing", "import sys\ndel sys.excepthook\n1 / 0", 1)
case("hook_none", "import sys\nsys.excepthook = None\n1 / 0", 1)
case("hook_walks_traceback", "import sys, traceback\nsys.excepthook = lambda t, v, tb: traceback.print_tb(tb)\ndef f(): 1 / 0\nf()", 1)
case("hook_last_value", "import sys\nsys.excepthook = lambda *a: print(type(sys.last_value), sys.last_traceback is a[2])\n1 / 0", 1)
case("hook_not_for_exit", "import sys\nsys.excepthook = lambda *a: print('hook')\nsys.exit(3)", 3)
case("hook_unraisable", "import sys\nsys.unraisablehook = lambda u: print('unraisable', u.exc_value)\nclass A:\n    def __del__(self): 1 / 0\nA()\nprint('on')")
case("hook_displayhook_unused", "import sys\nsys.displayhook = print\n1 + 1")
case("audit_hook", "import sys\nsys.addaudithook(lambda e, a: print(e) if e == 'mine' else None)\nsys.audit('mine', 1)")

# -- source that does not compile, or only just -----------------------------------------------------------------------

case("syntax_error", "print('never')\nx = = 1\n", 1)
case("syntax_unclosed", "print((1, 2)\nx = 3\n", 1)
case("syntax_eof", "def f(:\n", 1)
case("syntax_indentation", "if True:\nprint(1)\n", 1)
case("syntax_indentation_unindent", "if True:\n        x = 1\n    y = 2\n", 1)
case("syntax_tabs", b"if True:\n        x = 1\n\ty = 2\n", 1)
case("syntax_null_byte", b"print('a')\nprint('b\x00c')\n", 1)
case("syntax_null_byte_first", b"\x00print('a')\n", 1)
case("syntax_python2", "print 'hello'\n", 1)
case("syntax_return_outside", "return 5\n", 1)
case("syntax_await_outside", "await f()\n", 1)
case("syntax_nonlocal", "nonlocal x\n", 1)
case("syntax_future_late", "x = 1\nfrom __future__ import annotations\n", 1)
case("syntax_future_unknown", "from __future__ import teleportation\n", 1)
case("syntax_duplicate_argument", "def f(a, a): pass\n", 1)
case("syntax_f_string", "x = 1\nprint(f'{x')\n", 1)
case("syntax_unterminated_string", "x = 'abc\n", 1)
case("syntax_unicode_escape", "x = '\\N{no such name}'\n", 1)
case("syntax_deep_nesting", "x = " + "(" * 150 + "1" + ")" * 150 + "\nprint(x)\n", None)
case("syntax_deep_nesting_too_much", "x = " + "(" * 300 + "1" + ")" * 300 + "\n", 1)
case("syntax_many_operators", "x = " + "1 + " * 900 + "1\nprint(x)\n")
case("syntax_warning", "x = 1\nif x is 1: print('is')\n")
case("syntax_warning_escape", "print('\\d')\n")
case("syntax_invalid_utf8", b"# \xff\nprint(1)\n", 1)
case("syntax_hook", "import sys\nsys.excepthook = print\ncompile('x = = 1', 'named', 'exec')", 1)
case("source_cookie", "# -*- coding: latin-1 -*-\nprint(ascii('\u00e9'))\n".encode("latin-1"))
case("source_cookie_unknown", "# -*- coding: klingon -*-\nprint(1)\n", 1)
case("source_cookie_wrong", b"# coding: ascii\nprint('\xc3\xa9')\n", 1)
case("source_cookie_error_line", "# coding: latin-1\nx = '\u00e9'; 1 / 0\n".encode("latin-1"), 1)
case("source_bom", b"\xef\xbb\xbfprint('bom', __doc__)\n")
case("source_bom_and_cookie", b"\xef\xbb\xbf# coding: latin-1\nprint(1)\n", 1)
case("source_crlf", b"if True:\r\n    print('crlf')\r\nprint('''a\r\nb''')\r\n")
case("source_cr", b"print(1)\rprint(2)\r")
case("source_empty", b"")
case("source_no_final_newline", b"print('end')")
case("source_comment_only", b"# nothing")
case("source_docstring", "'''The docstring.'''\nprint(__doc__)\n")
case("source_shebang", "#!/usr/bin/env python3\nprint('shebang')\n")
case("source_form_feed", b"\x0cprint('ff')\n")
case("source_line_continuation_at_end", b"x = 1 + \\", 1)
case("source_future_annotations", "from __future__ import annotations\nx: undefined = 1\nprint(__annotations__)")
case("source_walrus_match", "match (y := 3):\n    case 3: print('three', y)")

# -- recursion --------------------------------------------------------------------------------------------------------

DEPTH = """
import sys
deepest = 0
def down(n):
    global deepest
    deepest = n
    down(n + 1)
{before}
try:
    {start}
except RecursionError as error:
    print(deepest, error)
"""
case("recursion_limit", "import sys; print(sys.getrecursionlimit())")
case("recursion_depth", DEPTH.format(before="", start="down(1)"))
case("recursion_depth_in_function", DEPTH.format(before="def start(): down(1)", start="start()"))
case("recursion_depth_lower_limit", DEPTH.format(before="sys.setrecursionlimit(200)", start="down(1)"))
case("recursion_depth_higher_limit", DEPTH.format(before="sys.setrecursionlimit(54321)", start="down(1)"))
case("recursion_depth_twice", DEPTH.format(before="", start="down(1)") + "try:\n    down(1)\nexcept RecursionError: print(deepest)")
case("recursion_limit_too_low", "import sys\ndef f(n):\n    if n: return f(n - 1)\n    sys.setrecursionlimit(20)\nf(50)", 1)
case("recursion_limit_3", "import sys\nsys.setrecursionlimit(3)\ndef f(): return 1\nprint(f())", None)
for n in (5, 6, 7, 8):
    case(f"recursion_limit_{n}", f"import sys\nsys.setrecursionlimit({n})\ndef f(n): return f(n - 1) if n else 0\nf(3)", None)
case("recursion_uncaught", "def f(n): return f(n + 1)\nf(0)", 1)
case("recursion_in_thread", DEPTH.format(before="import threading", start="t = threading.Thread(target=lambda: guarded()); guarded = lambda: None; t.start(); t.join(); down(1)"))
case(
    "recursion_depth_in_thread",
    """
    import threading
    deepest = 0
    def down(n):
        global deepest
        deepest = n
        down(n + 1)
    def guarded():
        try:
            down(1)
        except RecursionError:
            print(deepest)
    t = threading.Thread(target=guarded)
    t.start()
    t.join()
    """,
)
case(
    "recursion_through_c",
    """
    import sys
    deepest = 0
    def down(n):
        global deepest
        deepest = n
        return max(map(down, [n + 1]))
    try:
        down(1)
    except RecursionError:
        print(deepest)
    """,
)
case("recursion_repr", "x = []\nfor _ in range(10**5): x = [x]\ntry:\n    repr(x)\nexcept RecursionError as e: print(e)")
case("recursion_eq", "x = []; y = []\nfor _ in range(5000): x = [x]; y = [y]\ntry:\n    x == y\nexcept RecursionError as e: print(e)")
case("recursion_json", "import json\ntry:\n    json.loads('[' * 100000)\nexcept RecursionError as e: print(e)")
case("recursion_getattr", "class A:\n    def __getattr__(self, n): return getattr(self, n)\ntry:\n    A().x\nexcept RecursionError as e: print(str(e)[:40])")
case(
    "recursion_million_deep",
    """
    import sys
    sys.setrecursionlimit(10**6)
    def count(n): return 0 if n == 0 else 1 + count(n - 1)
    print(count(400_000))
    """,
)
case(
    "recursion_deep_c_stack",  # about 50 MB of C stack: far past the usual 8
    """
    import sys
    sys.setrecursionlimit(10**6)
    def count(n): return 0 if n == 0 else 1 + max(map(count, [n - 1]))
    try:
        print(count(100_000))
    except RecursionError as error:  # Python 3.12 and later bound the C stack on their own
        print('bounded', error)
    """,
)
case(
    "recursion_thread_stack_size",
    """
    import sys, threading
    sys.setrecursionlimit(10**6)
    print(threading.stack_size(256 << 20), threading.stack_size())
    def count(n): return 0 if n == 0 else 1 + count(n - 1)
    t = threading.Thread(target=lambda: print(count(200_000)))
    t.start()
    t.join()
    """,
)

# -- threads ----------------------------------------------------------------------------------------------------------

case(
    "thread_identity",
    """
    import os, threading
    main = threading.main_thread()
    print(main.name, main is threading.current_thread(), main.ident == threading.get_ident(), main.daemon, main.is_alive())
    print(threading.active_count(), threading.enumerate() == [main], main.native_id == threading.get_native_id() == os.getpid())
    print(threading.stack_size(), threading.TIMEOUT_MAX, threading.gettrace(), threading.getprofile())
    """,
)
case(
    "thread_outlives_main",
    """
    import threading
    ready = threading.Event()
    def late():
        ready.wait()
        print('thread after main')
    threading.Thread(target=late).start()
    print('main done')
    threading.main_thread().join
    import atexit
    atexit.register(print, 'atexit last')
    ready.set()
    """,
)
case(
    "thread_waits_for_main_to_end",
    """
    import threading
    def late():
        threading.main_thread().join()
        print('main is over:', not threading.main_thread().is_alive())
    threading.Thread(target=late).start()
    print('end of main')
    """,
)
case("thread_daemon", "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\nprint('end')")
case("thread_exception", "import threading\ndef f(): 1 / 0\nt = threading.Thread(target=f)\nt.start(); t.join()\nprint('main goes on')")
case("thread_exit", "import sys, threading\nt = threading.Thread(target=sys.exit, args=(5,))\nt.start(); t.join()\nprint('on')")
case("thread_excepthook", "import threading\nthreading.excepthook = lambda a: print('hook', a.exc_type.__name__, a.thread.name)\nt = threading.Thread(target=int, args=('x',))\nt.start(); t.join()")
case("thread_names", "import threading\nts = [threading.Thread(target=lambda: print(threading.current_thread().name)) for _ in range(3)]\nfor t in ts: t.start(); t.join()")
case("thread_main_raises", "import threading\ngo = threading.Event()\ndef late(): go.wait(); print('late')\nthreading.Thread(target=late).start()\nimport sys\nclass Hook:\n    def __call__(self, *a): sys.__excepthook__(*a); go.set()\nsys.excepthook = Hook()\n1 / 0", 1)
case("thread_pool", "from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(4) as p: print(list(p.map(pow, range(9), range(9))))")
case("thread_pool_unjoined", "from concurrent.futures import ThreadPoolExecutor\np = ThreadPoolExecutor(2)\nprint(p.submit(sum, [1, 2]).result())")
case("thread_local_and_lock", "import threading\nl = threading.local(); l.x = 1\nwith threading.RLock(): print(l.x)")
case("thread_timer", "import threading\nt = threading.Timer(0, print, ['timer'])\nt.start(); t.join()")
case("thread_started_in_atexit", "import atexit, threading\ndef f():\n    t = threading.Thread(target=print, args=('late',))\n    t.start(); t.join()\natexit.register(f)", None)
case("thread_low_level", "import _thread, threading\nl = _thread.allocate_lock(); l.acquire()\n_thread.start_new_thread(l.release, ())\nl.acquire(); print('released')")
case("thread_low_level_exception", "import _thread\nl = _thread.allocate_lock(); l.acquire()\ndef f():\n    try: 1 / 0\n    finally: l.release()\nimport sys\nsys.unraisablehook = lambda u: (print(u.exc_value), done.release())\ndone = _thread.allocate_lock(); done.acquire()\n_thread.start_new_thread(f, ())\nl.acquire(); done.acquire()")

# -- the end: exit handlers, finalisers, open files -------------------------------------------------------------------

case("atexit_order", "import atexit\nfor i in range(3): atexit.register(print, i)\nprint('main')")
case("atexit_after_error", "import atexit\natexit.register(print, 'handler')\n1 / 0", 1)
case("atexit_after_exit", "import atexit, sys\natexit.register(print, 'handler')\nsys.exit(3)", 3)
case("atexit_not_after_os__exit", "import atexit, os\natexit.register(print, 'handler')\nos._exit(3)", 3)
case("atexit_raises", "import atexit\natexit.register(print, 'first in')\natexit.register(lambda: 1 / 0)\natexit.register(print, 'last in')")
case("atexit_raises_all", "import atexit\natexit.register(int, 'a')\natexit.register(int, 'b')")
case("atexit_exits", "import atexit, sys\natexit.register(print, 'still')\natexit.register(sys.exit, 7)", None)
case("atexit_exits_words", "import atexit, sys\natexit.register(sys.exit, 'words')", None)
case("atexit_os__exit", "import atexit, os\natexit.register(print, 'never')\natexit.register(os._exit, 8)", 8)
case("atexit_registers_more", "import atexit\ndef f(): print('f'); atexit.register(print, 'more')\natexit.register(f)", None)
case("atexit_unregister", "import atexit\natexit.register(print, 'kept')\nf = atexit.register(lambda: print('gone'))\natexit.unregister(f)\nprint(atexit._ncallbacks())")
case("atexit_sees_globals", "import atexit\nx = 5\natexit.register(lambda: print(x, __name__, __file__[-7:]))")
case("atexit_sees_last_value", "import atexit, sys\natexit.register(lambda: print(repr(getattr(sys, 'last_value', None))))\n1 / 0", 1)
case("atexit_keyboard_interrupt", "import atexit\natexit.register(print, 'handler')\nraise KeyboardInterrupt", -2)
case("atexit_threads_first", "import atexit, threading\natexit.register(print, 'atexit')\ne = threading.Event()\nthreading.Thread(target=lambda: (threading.main_thread().join(), print('thread'))).start()")
case("atexit_count_at_start", "import atexit; print(atexit._ncallbacks())")
case("weakref_finalize", "import weakref\nclass A: pass\na = A()\nweakref.finalize(a, print, 'finalized')\nprint('end')")
case("weakref_finalize_order", "import weakref\nclass A: pass\nx = [A(), A()]\nfor i, a in enumerate(x): weakref.finalize(a, print, i)\nweakref.finalize(x[0], print, 'not at exit').atexit = False")
DEL = "class D:\n    def __init__(self, n): self.n = n\n    def __del__(self): print('del', self.n)\n"
case("del_global", DEL + "d = D('global')\nprint('end')")
case("del_globals_in_order", DEL + "b = D('b'); a = D('a'); _p = D('_p'); __q = D('__q'); c = D('c')")
case("del_cycle", DEL + "x = D('x'); y = D('y'); x.o = y; y.o = x\nprint('end')")
case("del_self_cycle_local", DEL + "def f():\n    d = D('local'); d.me = d\nf()\nprint('end')")
case("del_in_container", DEL + "keep = {'k': [D(1), D(2)], 't': (D(3),)}")
case("del_after_error", DEL + "d = D('global')\ndef f():\n    e = D('frame')\n    1 / 0\nf()", 1)
case("del_after_exit", DEL + "import sys\nd = D('global')\ndef f():\n    e = D('frame')\n    sys.exit(4)\nf()", 4)
case("del_not_after_os__exit", DEL + "import os\nd = D('global')\nos._exit(0)")
case("del_raises", "class D:\n    def __del__(self): raise ValueError('in del')\nd = D()\nprint('end')")
case("del_raises_early", "class D:\n    def __del__(self): raise ValueError('in del')\nD()\nprint('end')")
case("del_sees_globals", "import sys\nname = 'still here'\nclass D:\n    def __del__(self): print(name, sys is None, __name__)\nd = D()")
case("del_sees_own_module_names", "class D:\n    def __del__(self): print(helper)\ndef helper(): pass\nhelper = 'text'\nd = D()\nzz = 1")
case("del_uses_import", "class D:\n    def __del__(self):\n        import math\n        print(math.pi)\nd = D()")
case("del_writes_stderr", "import sys\nclass D:\n    def __del__(self, w=sys.stderr.write): w('bye\\n')\nd = D()")
case("del_in_own_module", "import helper\nprint('end')", files={"helper.py": DEL + "d = D('helper')\n"})
case("del_in_class_attribute", DEL + "class Holder:\n    d = D('attribute')")
case("del_in_default_argument", DEL + "def f(d=D('default')): pass")
case("del_in_closure", DEL + "def outer():\n    d = D('closure')\n    return lambda: d\nf = outer()")
case("del_of_generator", "def g():\n    try:\n        yield 1\n    finally:\n        print('generator closed')\nx = g(); next(x)")
case("del_in_builtins", DEL + "import builtins\nbuiltins.keep = D('builtins')")
case("del_in_sys", DEL + "import sys\nsys.keep = D('sys')")
case("del_in_preloaded_module", DEL + "import collections\ncollections.keep = D('collections')")
case("del_held_by_thread_local", DEL + "import threading\nl = threading.local(); l.d = D('local')")
case("del_in_lru_cache", DEL + "import functools\n@functools.lru_cache\ndef f(n): return D(n)\nf(1)")
case("del_resurrects", "class D:\n    def __del__(self):\n        global back\n        back = self\n        print('del')\nd = D()\ndel d\nprint('back', back is not None)")
case("del_atexit_before", DEL + "import atexit\natexit.register(print, 'atexit')\nd = D('global')")
case("file_unflushed", "f = open('out.txt', 'w')\nf.write('buffered')\n", fetch=("out.txt",))
case("file_unflushed_after_error", "f = open('out.txt', 'w')\nf.write('buffered')\n1 / 0", 1, fetch=("out.txt",))
case("file_unflushed_after_exit", "import sys\ndef main():\n    f = open('out.txt', 'w')\n    f.write('buffered')\n    sys.exit(2)\nmain()", 2, fetch=("out.txt",))
case("file_unflushed_os__exit", "import os\nf = open('out.txt', 'w')\nf.write('lost')\nos._exit(0)", fetch=("out.txt",))
case("file_unflushed_in_cycle", "class A: pass\na = A(); a.me = a; a.f = open('out.txt', 'w')\na.f.write('in a cycle')\ndel a", fetch=("out.txt",))
case("file_unflushed_binary", "f = open('out.bin', 'wb')\nf.write(bytes(1000))", fetch=("*",))
case("file_unflushed_gzip", "import gzip\nf = gzip.open('out.gz', 'wb', compresslevel=0)\nf.write(b'x' * 100)\nf.close()\nprint(gzip.open('out.gz').read())")
case("file_resource_warning", "import warnings\nwarnings.simplefilter('always')\nopen('x', 'w')\nprint('end')")
case("file_resource_warning_at_exit", "import warnings\nwarnings.simplefilter('always')\nf = open('x', 'w')\nprint('end')")
case("file_tempfile", "import tempfile\nf = tempfile.NamedTemporaryFile('w')\nf.write('x')\nd = tempfile.TemporaryDirectory()\nprint(tempfile.gettempdir(), len(f.name) > 10)", None)

# -- processes --------------------------------------------------------------------------------------------------------

case(
    "fork_both_print",
    """
    import os
    pid = os.fork()
    if pid == 0:
        print('child')
    else:
        print('parent waited', os.waitpid(pid, 0)[1])
    """,
)
case("fork_buffered_twice", "import os\nprint('buffered')\npid = os.fork()\nif pid: os.wait()")
case("fork_child_exits", "import os, sys\nif os.fork() == 0:\n    sys.exit(3)\nprint(os.waitstatus_to_exitcode(os.wait()[1]))")
case("fork_child_raises", "import os\nif os.fork() == 0:\n    1 / 0\nprint(os.waitstatus_to_exitcode(os.wait()[1]))")
case("fork_child_atexit", "import atexit, os\natexit.register(lambda: print('atexit', os.getpid() == me))\nme = os.getpid()\nif os.fork(): os.wait()")
case("fork_getppid", "import os\nme = os.getpid()\nif os.fork() == 0:\n    print(os.getppid() == me)\nelse:\n    os.wait()")
case("fork_register_at_fork", "import os\nos.register_at_fork(before=lambda: print('before', flush=True), after_in_child=lambda: print('child', flush=True))\nif os.fork() == 0: os._exit(0)\nos.wait()")
case("fork_grandchild", "import os\nif os.fork() == 0:\n    if os.fork() == 0: print('grandchild', flush=True); os._exit(0)\n    os.wait(); os._exit(0)\nos.wait()")
case("exec_self", "import os, sys\nprint('before', flush=True)\nos.execv(sys.executable, [sys.executable, '-c', 'print(\"after\")'])")
case(
    "subprocess_python",
    "import subprocess, sys\nr = subprocess.run([sys.executable, '-c', 'import sys; print(sys.argv, input()); sys.exit(4)', 'a'], input='in', text=True, capture_output=True)\nprint(r.returncode, r.stdout, r.stderr)",
)
case("subprocess_inherits_stdin", "import subprocess, sys\nprint(subprocess.run([sys.executable, '-c', 'print(input())'], capture_output=True, text=True).stdout)", stdin="handed on\n")
case("subprocess_shell", "import subprocess\nprint(subprocess.check_output('echo $HOME; echo $0; pwd', shell=True, text=True))")
case("subprocess_environment", "import subprocess, sys\nprint(subprocess.check_output([sys.executable, '-c', 'import os; print(sorted(os.environ.items()))'], text=True))")
case("subprocess_descriptors", "import subprocess\nprint(subprocess.check_output(['/bin/sh', '-c', 'for n in 0 1 2 3 4 5 6 7 8 9; do test -e /proc/self/fd/$n && echo $n; done'], text=True).split()[:3])")
case("subprocess_signals", "import subprocess, sys\nprint(subprocess.check_output([sys.executable, '-c', 'import signal; print([(int(s), str(signal.getsignal(s))) for s in signal.valid_signals()])'], text=True))")
case("os_system", "import os\nprint('first', flush=True)\nprint(os.system('echo hi; exit 3') >> 8)")
case("os_popen", "import os\nprint(os.popen('echo $((6*7))').read())")
case("os_spawn", "import os\nprint(os.spawnv(os.P_WAIT, '/bin/sh', ['sh', '-c', 'exit 9']))")
case("os_posix_spawn", "import os, sys\npid = os.posix_spawn('/bin/sh', ['sh', '-c', 'echo spawned'], os.environ)\nprint(os.waitpid(pid, 0)[1])")
MULTI = """
import multiprocessing as mp, sys
def work(n): return n * n, mp.current_process().name
def say(q): q.put((mp.current_process().name, __name__ == '__main__' or __name__))
if __name__ == '__main__':
    context = mp.get_context('{method}')
    with context.Pool(2) as pool:
        print([n for n, _ in pool.map(work, range(6))])
    q = context.SimpleQueue()
    p = context.Process(target=say, args=(q,), name='named')
    p.start(); p.join()
    print(q.get(), p.exitcode)
"""
case("multiprocessing_fork", MULTI.format(method="fork"))
case("multiprocessing_spawn", MULTI.format(method="spawn"))
case("multiprocessing_default", "import multiprocessing as mp\nprint(mp.get_start_method(), mp.current_process().name, mp.parent_process(), mp.cpu_count() > 0)")
case("multiprocessing_exception", "import multiprocessing as mp\ndef f(): raise ValueError('in child')\nif __name__ == '__main__':\n    p = mp.get_context('fork').Process(target=f, name='P')\n    p.start(); p.join(); print(p.exitcode)")
case("multiprocessing_shared_memory", "import multiprocessing as mp\nv = mp.get_context('fork').Value('i', 0)\ndef f(): v.value = 7\np = mp.get_context('fork').Process(target=f); p.start(); p.join(); print(v.value)")
case("process_pool", "from concurrent.futures import ProcessPoolExecutor\nimport multiprocessing as mp\ndef sq(n): return n * n\nif __name__ == '__main__':\n    with ProcessPoolExecutor(2, mp_context=mp.get_context('fork')) as p: print(list(p.map(sq, range(5))))")
case("daemon_left_behind", "import os\nif os.fork() == 0:\n    os.setsid()\n    while True: os.read(os.pipe()[0], 1)\nprint('left')")

# -- signals ----------------------------------------------------------------------------------------------------------

case("signal_dispositions", "import signal\nfor s in sorted(signal.valid_signals()): print(int(s), signal.getsignal(s))")
case("signal_mask", "import signal; print(signal.pthread_sigmask(signal.SIG_BLOCK, []), signal.sigpending())")
case("signal_kernel_view", "print([l.split() for l in open('/proc/self/status') if l.startswith(('SigBlk', 'SigIgn', 'SigCgt', 'SigPnd', 'ShdPnd', 'Threads'))])")
case("signal_handler", "import os, signal\nsignal.signal(signal.SIGUSR1, lambda n, f: print('got', n, f.f_code.co_name))\nos.kill(os.getpid(), signal.SIGUSR1)\nprint('on')")
case("signal_handler_raises", "import os, signal\ndef h(n, f): raise TimeoutError('from handler')\nsignal.signal(signal.SIGALRM, h)\nsignal.setitimer(signal.ITIMER_REAL, 0.001)\nwhile True: pass", 1)
case("signal_alarm_kills", "import signal\nsignal.setitimer(signal.ITIMER_REAL, 0.001)\nsignal.pause()", -14)
case("signal_alarm_pending", "import signal; print(signal.alarm(0), signal.getitimer(signal.ITIMER_REAL), signal.getitimer(signal.ITIMER_VIRTUAL), signal.getitimer(signal.ITIMER_PROF))")
case("signal_sigwait", "import os, signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2])\nos.kill(os.getpid(), signal.SIGUSR2)\nprint(signal.sigwait([signal.SIGUSR2]))")
case("signal_sigchld", "import os, signal\nsignal.signal(signal.SIGCHLD, lambda *a: print('child ended'))\npid = os.fork()\nif pid == 0: os._exit(0)\nos.waitpid(pid, 0)")
case("signal_sigpipe_default", "import os, signal\nsignal.signal(signal.SIGPIPE, signal.SIG_DFL)\nr, w = os.pipe(); os.close(r); os.write(w, b'x')", -13)
case("signal_wakeup_fd", "import signal; print(signal.set_wakeup_fd(-1))")
case("signal_xfsz_ignored", "import signal; print(signal.getsignal(signal.SIGXFSZ), signal.getsignal(signal.SIGXCPU))")
case("faulthandler", "import faulthandler, sys\nprint(faulthandler.is_enabled())\nfaulthandler.dump_traceback(sys.stderr)")

# -- what a program can ask about itself ------------------------------------------------------------------------------

case("sys_argv", "import sys; print(sys.argv)", args=("one", "", "two words", "ż🐢", "-c", "--help"))
case("sys_orig_argv", "import sys; print(sys.orig_argv)", args=("one", "-v"))
case("sys_path", "import sys; print(sys.path)")
case("sys_flags", "import sys; print(sys.flags, sys.warnoptions, sys._xoptions, sys.dont_write_bytecode, sys.pycache_prefix)")
case("sys_executable", "import sys; print(sys.executable, sys.prefix, sys.base_prefix, sys.exec_prefix, sys.version)")
case("sys_encodings", "import sys, locale; print(sys.getdefaultencoding(), sys.getfilesystemencoding(), sys.getfilesystemencodeerrors(), locale.getpreferredencoding(), locale.getlocale(), locale.setlocale(locale.LC_ALL))")
case("sys_locale_all", "import locale\nfor c in ('LC_CTYPE', 'LC_COLLATE', 'LC_TIME', 'LC_MONETARY', 'LC_MESSAGES', 'LC_NUMERIC'): print(c, locale.setlocale(getattr(locale, c)))")
case("sys_int_limit", "import sys; print(sys.get_int_max_str_digits(), sys.getswitchinterval(), sys.gettrace(), sys.getprofile(), sys.get_coroutine_origin_tracking_depth(), sys.get_asyncgen_hooks())")
case("sys_int_too_long", "print(len(str(10**5000)))", 1)
case("sys_hooks", "import sys; print(sys.excepthook is sys.__excepthook__, sys.displayhook is sys.__displayhook__, sys.breakpointhook is sys.__breakpointhook__, sys.unraisablehook is sys.__unraisablehook__)")
case("sys_meta_path", "import sys; print([getattr(f, '__name__', f) for f in sys.meta_path], len(sys.path_hooks))")
case("sys_names", "import sys; print([n for n in dir(sys) if not n.startswith('last_')])")
case("sys_exc_info", "import sys; print(sys.exc_info(), sys.exception() if hasattr(sys, 'exception') else None)")
case("main_globals", "print([(name, type(value).__name__) for name, value in list(globals().items())])")
case("main_values", "print(__name__, __file__, __spec__, __package__, __doc__, __cached__, type(__loader__).__name__, __builtins__, __annotations__)")
case("main_annotations", "x: int = 1\ny: 'str'\nprint(__annotations__)")
case("main_import", "import __main__, sys\nx = 3\nprint(__main__.x, __main__ is sys.modules['__main__'], __main__, vars(__main__) is globals())")
case("main_loader", "print(__loader__.name, __loader__.path, __loader__.get_source('__main__') == open(__file__).read())")
case("main_builtins", "import builtins\nprint(__builtins__ is builtins, sorted(dir(builtins)))")
case("main_builtins_changed", "import builtins\nbuiltins.print = lambda *a: None\nprint('unseen')\nprint.__name__")
case("main_locals_is_globals", "print(locals() is globals())")
case("main_code", "import sys; c = sys._getframe().f_code; print(c.co_name, c.co_filename, c.co_firstlineno, c.co_flags, c.co_qualname)")
case("main_frame_is_outermost", "import sys; print(sys._getframe().f_back)")
case("main_stack", "import traceback\ndef f(): traceback.print_stack()\nf()")
case("main_stack_inspect", "import inspect\ndef f(): print([(i.filename, i.lineno, i.function) for i in inspect.stack()])\nf()")
case("main_stack_in_thread", "import threading, traceback\nt = threading.Thread(target=lambda: print(len(traceback.extract_stack())))\nt.start(); t.join()")
case("main_traceback_depth", "import sys\ntry:\n    1 / 0\nexcept ZeroDivisionError as e:\n    print(e.__traceback__.tb_frame.f_back, e.__traceback__.tb_next)")
case("main_current_frames", "import sys; print([f.f_code.co_filename for f in sys._current_frames().values()])")
case("inspect_source", "import inspect\ndef f(a, *, b=2):\n    # comment\n    return a + b\nprint(inspect.getsource(f), inspect.signature(f), inspect.getfile(f), inspect.getmodule(f))")
case("inspect_source_class", "import inspect\nclass A:\n    def m(self): pass\nprint(inspect.getsource(A), inspect.getsourcefile(A))")
case("inspect_source_main", "import inspect, sys\nprint(inspect.getsource(sys.modules['__main__']))")
case("linecache", "import linecache; print(repr(linecache.getline(__file__, 1)), len(linecache.cache))")
case("import_beside", "import beside, package.inner\nprint(beside.x, beside.__file__, package.inner.y, beside.__spec__.origin)", files={"beside.py": "x = 'beside'\n", "package/__init__.py": "", "package/inner.py": "y = 'inner'\n"})
case("import_beside_cached", "import beside, os\nprint(beside.__cached__, sorted(os.listdir('.')), sorted(os.listdir('__pycache__')))", files={"beside.py": "x = 1\n"})
case("import_beside_shadows", "import random, queue\nprint(random.__file__, getattr(random, 'mine', None), getattr(queue, 'mine', None))", None, files={"random.py": "mine = 1\n"})
case("import_beside_error", "import broken", 1, files={"broken.py": "def f(): return 1 / 0\nf()\n"})
case("import_beside_syntax_error", "import broken", 1, files={"broken.py": "x = = 1\n"})
case("import_main_again", "import main\nprint(main.__name__)\n" if False else "if __name__ == '__main__':\n    import main\n    print(main.x, main.__file__ == __file__)\nx = __name__")
case("import_reload", "import importlib, beside\nprint(importlib.reload(beside).x)", files={"beside.py": "print('loading')\nx = 1\n"})
case("import_json_reload", "import importlib, json; print(importlib.reload(json).dumps({'a': 1}))")
case("import_runpy", "import runpy; print(sorted(runpy.run_path('other.py'))[:2], runpy.run_path('other.py', run_name='__main__')['n'])", files={"other.py": "n = __name__\n"})
case("import_zip", "import sys, zipfile\nwith zipfile.ZipFile('z.zip', 'w') as z: z.writestr('inzip.py', 'v = 1')\nsys.path.insert(0, 'z.zip')\nimport inzip\nprint(inzip.__file__)")
case("import_data_file", "print(open('data/numbers.txt').read())", files={"data/numbers.txt": "1 2 3"})
case("pickle_main_class", "import pickle\nclass A:\n    def __init__(self): self.x = 1\nclass B(A): pass\nb = pickle.loads(pickle.dumps(B()))\nprint(b.x, type(b) is B, pickle.dumps(A)[:40])")
case("pickle_namedtuple_enum", "import pickle, enum, collections\nP = collections.namedtuple('P', 'x y')\nclass C(enum.Enum): R = 1\nprint(pickle.loads(pickle.dumps([P(1, 2), C.R])), P.__module__, C.__module__)")
case("pickle_to_subprocess", "import pickle, subprocess, sys\nclass A: pass\nr = subprocess.run([sys.executable, '-c', 'import pickle, sys; pickle.load(sys.stdin.buffer)'], input=pickle.dumps(A()), capture_output=True)\nprint(r.returncode, r.stderr.splitlines()[-1])")
case("dataclass", "from dataclasses import dataclass, field, asdict\n@dataclass(order=True, slots=True)\nclass P:\n    x: int\n    y: list = field(default_factory=list)\nprint(P(1), asdict(P(2, [3])), P(1) < P(2), P.__module__, repr(P))")
case("typing_hints", "import typing\nclass A:\n    b: 'A'\nprint(typing.get_type_hints(A), typing.get_type_hints(A)['b'] is A)")
case("enum_repr", "import enum\nclass C(enum.Flag):\n    A = enum.auto(); B = enum.auto()\nprint(C.A | C.B, repr(C.A), C)")
case("doctest", "def f():\n    '''\n    >>> f()\n    1\n    '''\n    return 2\nimport doctest\nprint(doctest.testmod())")
case("unittest_main", "import unittest\nclass T(unittest.TestCase):\n    def test_a(self): self.assertEqual(1, 1)\nunittest.main(verbosity=0, exit=False)\nprint('end')", None)
case("unittest_main_fails", "import unittest\nclass T(unittest.TestCase):\n    def test_a(self): self.assertEqual(1, 2)\nr = unittest.main(verbosity=0, exit=False)\nprint(len(r.result.failures))")
case("argparse_help", "import argparse\np = argparse.ArgumentParser()\np.add_argument('n', type=int)\np.parse_args()", 0, args=("--help",))
case("argparse_error", "import argparse\np = argparse.ArgumentParser()\np.add_argument('n', type=int)\np.parse_args()", 2, args=("x",))
case("optparse_prog", "import optparse; print(optparse.OptionParser().get_usage())")
case("logging_basic", "import logging\nlogging.warning('to stderr')\nlogging.basicConfig(format='%(module)s:%(lineno)d:%(funcName)s:%(processName)s:%(threadName)s %(message)s', level=0, force=True)\nlogging.info('formatted')\ndef f(): logging.error('in f')\nf()")
case("logging_stack", "import logging\nlogging.warning('with stack', stack_info=True)")
case("logging_exception", "import logging\ntry:\n    1 / 0\nexcept ZeroDivisionError:\n    logging.exception('caught')")
case("cprofile", "import cProfile\ndef f(): return sum(range(10))\np = cProfile.Profile()\np.runcall(f)\nprint(len(p.getstats()) > 0)")
case("trace_settrace", "import sys\nlines = []\ndef t(frame, event, arg):\n    lines.append((event, frame.f_lineno)); return t\nsys.settrace(t)\ndef f():\n    x = 1\n    return x\nf()\nsys.settrace(None)\nprint(lines)")
case("timeit", "import timeit; print(timeit.timeit('pass', number=1) >= 0)")
case("code_interact", "import code; code.InteractiveConsole({}).push('print(40 + 2)')")
case("pdb_eof", "x = 1\nbreakpoint()\nprint('on')", None, stdin="p x\nc\n")

# -- warnings ---------------------------------------------------------------------------------------------------------

case("warnings_user", "import warnings\nwarnings.warn('careful')\nprint('on')")
case("warnings_in_function", "import warnings\ndef f(): warnings.warn('inside', stacklevel=2)\nf()\nf()")
case("warnings_stacklevel_2_at_top", "import warnings\nwarnings.warn('above the top', stacklevel=2)")
case("warnings_stacklevel_3", "import warnings\ndef f(): warnings.warn('far up', stacklevel=3)\nf()")
case("warnings_deprecation_in_main", "import warnings\nwarnings.warn('old', DeprecationWarning)")
case("warnings_deprecation_in_module", "import beside", files={"beside.py": "import warnings\nwarnings.warn('old', DeprecationWarning)\n"})
case("warnings_as_error", "import warnings\nwarnings.simplefilter('error')\nwarnings.warn('fatal')", 1)
case("warnings_filters", "import warnings; print(warnings.filters)")
case("warnings_once", "import warnings\nfor _ in range(3): warnings.warn('again')")
case("warnings_resource", "import warnings\nwarnings.warn('r', ResourceWarning); warnings.warn('p', PendingDeprecationWarning); warnings.warn('i', ImportWarning)")
case("warnings_unawaited", "async def f(): pass\nf()\nprint('on')")
case("warnings_catch", "import warnings\nwith warnings.catch_warnings(record=True) as w:\n    warnings.simplefilter('always')\n    warnings.warn('kept')\nprint(w[0].lineno, w[0].filename)")

# -- asyncio ----------------------------------------------------------------------------------------------------------

case("asyncio_run", "import asyncio\nasync def f(n):\n    await asyncio.sleep(0)\n    return n\nasync def main(): print(await asyncio.gather(*map(f, range(4))))\nasyncio.run(main())")
case("asyncio_exception", "import asyncio\nasync def main(): raise ValueError('in coroutine')\nasyncio.run(main())", 1)
case("asyncio_exit", "import asyncio, sys\nasync def main(): sys.exit(6)\nasyncio.run(main())", 6)
case("asyncio_task_never_retrieved", "import asyncio\nasync def bad(): 1 / 0\nasync def main():\n    t = asyncio.create_task(bad(), name='bad')\n    await asyncio.sleep(0); await asyncio.sleep(0)\nasyncio.run(main())\nprint('end')")
case("asyncio_subprocess", "import asyncio\nasync def main():\n    p = await asyncio.create_subprocess_exec('/bin/echo', 'hi', stdout=-1)\n    print(await p.communicate(), p.returncode)\nasyncio.run(main())")
case("asyncio_to_thread", "import asyncio\nprint(asyncio.run(asyncio.to_thread(sum, [1, 2])))")
case("asyncio_task_group", "import asyncio\nasync def bad(n): raise ValueError(n)\nasync def main():\n    async with asyncio.TaskGroup() as g:\n        g.create_task(bad(1)); g.create_task(bad(2))\nasyncio.run(main())", 1)
case("asyncio_stdin", "import asyncio, sys\nasync def main(): print(await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline))\nasyncio.run(main())", stdin="line\n")

# -- memory, time, host -----------------------------------------------------------------------------------------------

case("gc_settings", "import gc; print(gc.get_threshold(), gc.isenabled(), gc.get_debug(), gc.callbacks, gc.garbage)")
case("gc_freeze_count", "import gc; print(gc.get_freeze_count() == 0)")
case("gc_collects_cycles", "import gc, weakref\nclass A: pass\na = A(); a.me = a; r = weakref.ref(a); del a\ngc.collect(); print(r())")
case("os_environ", "import os; print(sorted(os.environ.items()), sorted(os.environb.items()))")
case("os_environ_order", "import os; print(list(os.environ))")
case("os_environ_given", "import os; print(os.environ['MINE'], os.environ.get('EMPTY'), os.getenv('ŻÓŁW'), os.environ['PATH'])", env={"MINE": "a=b c", "EMPTY": "", "ŻÓŁW": "🐢", "PATH": "/bin"})
case("os_environ_changed", "import os, subprocess\nos.environ['NEW'] = 'x'; del os.environ['LANG']\nprint(subprocess.check_output('echo $NEW-$LANG', shell=True), sorted(os.environ))")
case("os_cwd", "import os; print(os.getcwd(), os.path.abspath('x'), os.listdir('.'), os.path.expanduser('~'))")
case("os_identity", "import os; print(os.getuid(), os.geteuid(), os.getgid(), os.getgroups(), os.getresuid(), os.getresgid())")
case("os_session", "import os; print(os.getpid() == os.getpgrp() == os.getsid(0), os.tcgetpgrp if False else '')")
case("os_umask", "import os\nold = os.umask(0); print(oct(old))")
case("os_modes", "import os\nopen('f', 'w'); os.mkdir('d'); print(oct(os.stat('f').st_mode), oct(os.stat('d').st_mode), oct(os.stat('main.py').st_mode), oct(os.stat('.').st_mode))")
case("os_uname", "import os, platform; print(os.uname(), platform.node(), platform.python_version(), os.cpu_count(), len(os.sched_getaffinity(0)))")
case("os_priority", "import os; print(os.getpriority(os.PRIO_PROCESS, 0), os.nice(0), os.sched_getscheduler(0))")
case("os_user", "import pwd, os, getpass\ntry:\n    print(pwd.getpwuid(os.getuid()))\nexcept KeyError: print('no entry')")
case("os_walk", "import os; print([(r, d, f) for r, d, f in os.walk('.')])", files={"a/b.txt": "x", "c": "y"})
case("resource_limits", "import resource\nfor n in sorted(x for x in dir(resource) if x.startswith('RLIMIT')): print(n, resource.getrlimit(getattr(resource, n)))")
case("proc_locked_down", "print([l.split() for l in open('/proc/self/status') if l.startswith(('Cap', 'NoNewPrivs', 'Seccomp:', 'Uid', 'Gid', 'Groups', 'Umask'))])")
case("time_process_small", "import time; print(time.process_time() < 1, time.thread_time() < 1)")
case("time_zone", "import time; print(time.tzname, time.timezone, time.strftime('%Z'), time.localtime(0)[:6])")
case("time_zone_given", "import time; print(time.tzname, time.localtime(0)[:5])", env={"TZ": "Asia/Tokyo"})
case("time_children", "import resource; print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime == 0)")
case("ctypes_libc", "import ctypes; print(ctypes.CDLL(None).getpid() > 0, ctypes.CDLL('libc.so.6').abs(-3), ctypes.get_errno())")
case("random_seeded", "import random; random.seed(5); print(random.random(), random.sample(range(99), 3), random.Random(7).random())")
case("hash_of_ints", "print(hash(1), hash(1.5), hash((1, 2)), hash(None) if False else '', hash(2**61))")
case("set_order_of_ints", "print({5, 3, 1, 100, 64}, {i: 1 for i in (3, 1, 2)})")
case("decimal_context", "import decimal, fractions; print(decimal.getcontext(), decimal.Decimal(1) / 3, fractions.Fraction(1, 3))")
case("itertools_count_ids", "import itertools, threading, queue; print(next(itertools.count()), threading.Thread().name, threading.Thread().name)")
case("tempfile_names_writable", "import os, tempfile\nwith tempfile.TemporaryDirectory() as d: open(d + '/f', 'w').write('x'); print(os.listdir(d))\nprint(os.path.exists(d))")
case("socket_pair", "import socket; a, b = socket.socketpair(); a.send(b'x'); print(b.recv(1))")
case("sqlite", "import sqlite3; c = sqlite3.connect('db'); c.execute('create table t(x)'); c.execute('insert into t values (1)'); c.commit(); print(c.execute('select * from t').fetchall())", None)
case("shelve_and_files", "import os, shelve\nwith shelve.open('s') as s: s['k'] = [1]\nwith shelve.open('s') as s: print(s['k'])")
case("contextvars", "import contextvars; v = contextvars.ContextVar('v', default=1); print(v.get(), list(contextvars.copy_context()))")
case("decimal_big", "print(3**2000 % 10**30, sum(range(10**5)), 2**-1074, float('nan'), 1e308 * 10, -0.0)")
case("float_formatting", "print(0.1 + 0.2, f'{1/3:.20f}', round(2.5), '%g' % 1e-10, float.hex(0.1))")
case("string_interning_is", "a = 'x' * 3\nb = 'xxx'\nprint(a == b, (1, 2) == (1, 2), id(a) != 0)")
case("help_text", "def f(a: int) -> str:\n    'Doc of f.'\nhelp(f)")
case("help_main", "'''Doc of main.'''\nimport pydoc, sys\nprint(pydoc.render_doc(sys.modules['__main__'], renderer=pydoc.plaintext))")
case("namespace_not_shared", "print([n for n in globals() if not n.startswith('__')], [n for n in ('ctypes', 'traceback', '_box') if n in globals()])")
case("gc_objects_of_ours", "import gc, types; print([o.__name__ for o in gc.get_objects() if isinstance(o, types.FunctionType) and o.__module__ == '__main__'])")
case("module_main_names", "import sys; print(sorted(m for m in sys.modules if m in ('__main__', '__mp_main__', 'main', 'zygote')))")
if numpy is not None:
    case("numpy_arrays", "import numpy as np\na = np.arange(12).reshape(3, 4)\nprint(a @ a.T, a.dtype, np.linalg.det(np.eye(3) * 2), repr(a.mean(0)))")
    case("numpy_seeded", "import numpy as np\nnp.random.seed(3); print(np.random.rand(3), np.random.default_rng(3).random(3), np.random.randint(9, size=4))")
    case("numpy_errors", "import numpy as np\nprint(np.geterr(), np.array([1.0]) / 0)")
    case("numpy_exception", "import numpy as np\nnp.zeros((2, 3)) @ np.zeros((2, 3))", 1)
    case("numpy_settings", "import numpy as np, warnings, sys\nprint(np.get_printoptions(), np.__file__, sys.getrecursionlimit())")
    case("numpy_threads", "import numpy as np, threading\nout = []\nts = [threading.Thread(target=lambda: out.append(float((np.ones((200, 200)) @ np.ones((200, 200))).sum()))) for _ in range(4)]\nfor t in ts: t.start()\nfor t in ts: t.join()\nprint(out, threading.active_count())")
    case("numpy_stdin", "import sys, numpy as np\nprint(np.loadtxt(sys.stdin), np.fromstring('1 2', sep=' '))", None, stdin="1 2\n3 4\n")
    case("numpy_in_atexit_and_del", "import atexit, numpy as np\natexit.register(lambda: print(np.sum([1, 2])))\nclass D:\n    def __del__(self): print(np.pi)\nd = D()")

# Programs whose every run must differ, both ways: what a module drew when it was imported must not be shared.
DIFFERING = {
    "random": "import random; print(random.random())",
    "random_instance": "import random; print(random.Random().random(), random.SystemRandom().random())",
    "random_sample": "import random; print(random.sample(range(10**9), 3), random.getrandbits(64))",
    "random_shuffled": "import random; x = list(range(100)); random.shuffle(x); print(x)",
    "secrets": "import secrets; print(secrets.token_hex(8))",
    "uuid4": "import uuid; print(uuid.uuid4())",
    "uuid1": "import uuid; print(uuid.uuid1())",
    "os_urandom": "import os; print(os.urandom(8))",
    "tempfile": "import tempfile; print(tempfile.mkdtemp().rpartition('/')[2])",
    "tempfile_twice": "import tempfile; print(next(tempfile._get_candidate_names()))",
    "ssl": "import ssl; print(ssl.RAND_bytes(8))",
    "fork_child": "import os, random\nif os.fork() == 0:\n    print(random.random(), flush=True); os._exit(0)\nos.wait()",
}
if numpy is not None:
    DIFFERING |= {
        "numpy_legacy": "import numpy as np; print(np.random.rand())",
        "numpy_generator": "import numpy as np; print(np.random.default_rng().random())",
        "numpy_legacy_state": "import numpy as np; print(np.random.RandomState().rand(), np.random.randint(10**9))",
    }


# ── Running ──────────────────────────────────────────────────────────────────────────────────────────────────────────

Get = Callable[[str], codejury.Sandbox]


@pytest.fixture(scope="module")
def single_of(make_box: Callable[..., codejury.Sandbox]) -> Get:
    """One worker a level, so that paths that hold the worker's own directory (level landlock) are the same."""
    boxes: dict[str, codejury.Sandbox] = {}

    def get(level: str) -> codejury.Sandbox:
        if level not in boxes:
            boxes[level] = make_box(level, workers=1)
        return boxes[level]

    return get


@pytest.fixture
def single(level: str, single_of: Get) -> codejury.Sandbox:
    return single_of(level)


def masked(raw: bytes) -> bytes:
    return re.sub(rb"0x[0-9a-f]{6,16}", b"0xADDRESS", raw)


def facts(outcome: Outcome) -> dict[str, Any]:
    return {
        "status": outcome.status,
        "exit_code": outcome.exit_code,
        "signal": outcome.signal,
        "stdout": masked(outcome.stdout),
        "stderr": masked(outcome.stderr),
        "fetched": outcome.fetched,
        "truncated": (outcome.stdout_truncated, outcome.stderr_truncated),
    }


def test_names_are_unique() -> None:
    names = [each.name for each in CASES]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("each", CASES, ids=lambda each: each.name)
def test_warm_is_as_fresh(single: codejury.Sandbox, each: Case) -> None:
    options: dict[str, Any] = {"language": "python", "stdin": each.stdin, "limits": LIMITS, **each.options}
    warm = single.run(each.source, **options)
    fresh = single.run(each.source, fresh=True, **options)
    assert facts(warm) == facts(fresh)
    if each.expect is not None:
        assert (fresh.exit_code if fresh.signal is None else -fresh.signal) == each.expect, fresh.stderr
