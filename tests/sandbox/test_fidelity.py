"""Warm against fresh: a fork of the waiting interpreter must behave as `python3 main.py` does.

    fidelity/<theme>.txt    programs, one after another, each under a head:

        === name
        = exit 1            how a new interpreter must end: exit code, -n for signal n, or `any`. Default: 0
        = stdin 'text'      and args, files, env, fetch, as Sandbox.run takes them: a literal of Python
        the program, as it stands

Each program runs both ways on one worker; how it ended, what it wrote on both streams and the files it left must be
the same to the byte. What no two runs of an interpreter have in common, addresses of objects, is masked, and nothing
else. A property does the same with programs put together from a small grammar.

`exit` is there so that a program that fails for a reason of its own is seen.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import codejury
from codejury import Limits, Outcome

LIMITS = Limits(cpu_s=20, wall_s=120)
TEXT = "first\nsecond line\n\nlast without newline"
PROGRAMS = Path(__file__).with_name("fidelity")
EVERYWHERE = ("input", "output", "processes", "signals", "host")  # themes that lean on the kernel: each level

# Where the two cannot be the same. A case that turns out to be the same after all fails: take it off the list.
_LEFT = "modules that were waiting are left to the kernel at the end: to clear them is to copy all their pages"
KNOWN = {
    "file_in_child_after_threads": "the interpreter leaves a file unflushed in a child forked beside threads; not we",
    "del_in_builtins": _LEFT,
    "del_in_preloaded_module": _LEFT,
    "del_raises": _LEFT + "; so the source of a line can still be shown",
    "del_uses_import": _LEFT + "; so they can still be imported",
    "gc_freeze_count": "what waits is frozen, so that collecting garbage does not touch, and so copy, all its pages",
    "modules_loaded": "modules are there before they are imported: that is what it is for",
    "os_parent": "the process that forked it is outside of the run's own pid namespace",
    "proc_command_line": "the kernel shows how the waiting interpreter was started",
    "proc_environ": "the kernel shows what the waiting interpreter was started with",
}
if sys.version_info >= (3, 12):
    _FORGOTTEN = "a new interpreter forgets to clear this error, and prints it later on an unrelated occasion"
    KNOWN |= dict.fromkeys(("exit_2**64", "exit_-2**70", "exit_str_raises"), _FORGOTTEN)
    KNOWN["thread_started_in_atexit"] = "an interpreter that is ending refuses threads; ours never comes to that point"


@dataclass(frozen=True)
class Case:
    name: str
    theme: str
    source: bytes
    exit: int | None = 0  # -n: death by signal n; None: whatever it is
    options: dict[str, Any] = field(default_factory=dict)


def read_cases(path: Path) -> Iterator[Case]:
    for text in re.split(r"^=== ", path.read_text(), flags=re.MULTILINE)[1:]:
        name, _, rest = text.partition("\n")
        options: dict[str, Any] = {"exit": 0}
        while rest.startswith("= "):
            line, _, rest = rest.partition("\n")
            _, key, value = line.split(" ", 2)
            if value == "any":
                options[key] = None
            elif value.startswith("TEXT"):
                options[key] = TEXT * int(value.partition(" * ")[2] or 1)
            else:
                options[key] = ast.literal_eval(value)
        yield Case(name, path.stem, rest.strip("\n").encode() + b"\n", options.pop("exit"), options)


# Sources that a text file cannot hold, or that would hide what is special about them.
RAW: dict[str, tuple[bytes, int | None]] = {
    "error_long_line": (b"x = " + b"1 + " * 400 + b"None\n", 1),
    "syntax_null_byte": (b"print('a')\nprint('b\x00c')\n", 1),
    "syntax_null_byte_first": (b"\x00print('a')\n", None),
    "syntax_deep_nesting": (b"x = " + b"(" * 150 + b"1" + b")" * 150 + b"\nprint(x)\n", None),
    "syntax_deep_nesting_too_much": (b"x = " + b"(" * 300 + b"1" + b")" * 300 + b"\n", 1),
    "syntax_many_operators": (b"x = " + b"1 + " * 900 + b"1\nprint(x)\n", 0),
    "syntax_invalid_utf8": (b"# \xff\nprint(1)\n", 1),
    "syntax_invalid_utf8_in_string": (b"print(1)\nx = '\xff'\n", 1),
    "source_cookie": (b"# -*- coding: latin-1 -*-\nprint(ascii('\xe9'))\n", 0),
    "source_cookie_second_line": (b"#!/usr/bin/python3\n# vim: set fileencoding=cp1250 :\nprint(ascii('\xb3'))\n", 0),
    "source_cookie_error_line": (b"# coding: latin-1\nx = '\xe9'; 1 / 0\n", 1),
    "source_bom": (b"\xef\xbb\xbfprint('bom', __doc__)\n", 0),
    "source_bom_and_cookie": (b"\xef\xbb\xbf# coding: latin-1\nprint(1)\n", 1),
    "source_crlf": (b"if True:\r\n    print('crlf')\r\nprint('''a\r\nb''')\r\n", 0),
    "source_crlf_error": (b"x = 1\r\ny = 0\r\nprint(x / y)\r\n", 1),
    "source_cr": (b"print(1)\rprint(2)\r", 0),
    "source_empty": (b"", 0),
    "source_no_final_newline": (b"print('end')", 0),
    "source_no_final_newline_error": (b"def f():\n    1 / 0\nf()", 1),
    "source_comment_only": (b"# nothing", 0),
    "source_form_feed": (b"\x0cprint('ff')\n", 0),
    "source_line_continuation_at_end": (b"x = 1 + \\", 1),
    "source_large": (b"x = [\n" + b"    1,\n" * 50_000 + b"]\nprint(len(x))\n", 0),
}

CASES = [case for path in sorted(PROGRAMS.glob("*.txt")) for case in read_cases(path)]
CASES += [Case(name, "raw", source, exit_code) for name, (source, exit_code) in RAW.items()]

# Programs whose every run must differ, both ways: what a module drew when it was imported must not be shared.
DIFFERING = {
    "random": "import random; print(random.random())",
    "random_instance": "import random; print(random.Random().random(), random.SystemRandom().random())",
    "random_sample": "import random; print(random.sample(range(10**9), 3), random.getrandbits(64))",
    "random_shuffled": "import random; x = list(range(100)); random.shuffle(x); print(x)",
    "random_in_fork": "import os, random\nif os.fork() == 0:\n    print(random.random())\nelse: os.wait()",
    "random_in_thread": "import random, threading; threading.Thread(target=lambda: print(random.random())).start()",
    "secrets": "import secrets; print(secrets.token_hex(8))",
    "uuid4": "import uuid; print(uuid.uuid4())",
    "uuid1": "import uuid; print(uuid.uuid1())",
    "os_urandom": "import os; print(os.urandom(8))",
    "tempfile": "import tempfile; print(tempfile.mkdtemp().rpartition('/')[2])",
    "tempfile_name": "import tempfile; print(next(tempfile._get_candidate_names()))",
    "ssl": "import ssl; print(ssl.RAND_bytes(8))",
    "numpy_legacy": "import numpy as np; print(np.random.rand())",
    "numpy_legacy_integers": "import numpy as np; print(np.random.randint(10**9), np.random.permutation(99))",
    "numpy_generator": "import numpy as np; print(np.random.default_rng().random())",
    "numpy_random_state": "import numpy as np; print(np.random.RandomState().rand())",
    "numpy_lazily": "import importlib; np = importlib.import_module('num' + 'py'); print(np.random.rand())",
}


# ── Running ──────────────────────────────────────────────────────────────────────────────────────────────────────────

Make = Callable[..., codejury.Sandbox]


@pytest.fixture(scope="module")
def best(make_box: Make) -> codejury.Sandbox:
    """The strongest level of this host. One worker, so that paths that hold a worker's own directory are the same."""
    return make_box("auto", workers=1)


@pytest.fixture(scope="module")
def others(make_box: Make, best: codejury.Sandbox) -> list[codejury.Sandbox]:
    """The levels below it."""
    boxes = []
    for level in ("full", "rootless", "landlock"):
        try:
            box = make_box(level, workers=1)
        except pytest.skip.Exception:
            continue
        if box.level != best.level:
            boxes.append(box)
    return boxes


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


def both(box: codejury.Sandbox, source: bytes | str, **options: Any) -> tuple[Outcome, Outcome]:
    options = {"language": "python", "limits": LIMITS, **options}
    return box.run(source, **options), box.run(source, fresh=True, **options)


def compare(box: codejury.Sandbox, case: Case) -> None:
    warm, fresh = both(box, case.source, **case.options)
    ended = fresh.exit_code if fresh.signal is None else -fresh.signal
    assert case.exit in (None, ended), fresh.stderr
    assert facts(warm) == facts(fresh)
    options = {"language": "python", "limits": LIMITS, **case.options}
    for time in ("second", "third"):  # which keeps what the program compiles to, and which runs that
        assert facts(box.run(case.source, **options)) == facts(fresh), f"the {time} time"


def params(cases: list[Case]) -> list[Any]:
    marks = {name: pytest.mark.xfail(reason=reason) for name, reason in KNOWN.items()}
    return [pytest.param(case, id=case.name, marks=marks.get(case.name, ())) for case in cases]


def test_the_programs_are_read() -> None:
    names = [case.name for case in CASES]
    assert len(names) == len(set(names)) > 400
    assert not KNOWN.keys() - set(names)
    assert {case.theme for case in CASES} >= set(EVERYWHERE)


@pytest.mark.parametrize("case", params(CASES))
def test_warm_is_as_fresh(best: codejury.Sandbox, case: Case) -> None:
    if case.theme == "numpy":
        pytest.importorskip("numpy")
    compare(best, case)


@pytest.mark.parametrize("case", params([case for case in CASES if case.theme in EVERYWHERE]))
def test_warm_is_as_fresh_at_the_other_levels(others: list[codejury.Sandbox], case: Case) -> None:
    if not others:
        pytest.skip("this host has one level only")
    for box in others:
        compare(box, case)


@pytest.mark.parametrize("name", DIFFERING)
def test_every_run_draws_its_own_numbers(best: codejury.Sandbox, name: str) -> None:
    if name.startswith("numpy"):
        pytest.importorskip("numpy")
    outcomes = [outcome for _ in range(3) for outcome in both(best, DIFFERING[name])]
    assert [outcome.stderr for outcome in outcomes if not outcome.ok] == []
    assert len({outcome.stdout for outcome in outcomes}) == len(outcomes)


def test_the_hash_seed_is_not_the_same_for_all_workers(make_box: Make) -> None:
    seen = set()
    for _ in range(3):
        with make_box("auto", workers=1) as box:
            seen.add(box.run("print(hash('text'))", language="python").stdout)
    assert len(seen) > 1


# ── Programs from a grammar ──────────────────────────────────────────────────────────────────────────────────────────

PRELUDE = """
import atexit, os, sys, threading
class Own(Exception): pass
class Loud:
    def __init__(self, name): self.name = name
    def __del__(self): print('del', self.name)
def fail(n): return fail(n - 1) if n else [][0]
def late():  # the same words from all: which of them comes first is nobody's promise
    threading.main_thread().join()
    sys.stdout.write('late\\n')
"""
WORDS = st.sampled_from(["a", "", "two words", "żółw 🐢", "line\n", "%s{}", "\\", "'"])
NUMBERS = st.sampled_from([0, 1, 2, 3, 255, 256, -1])
NAMES = st.sampled_from(["x", "y", "z"])


def call(template: str, *parts: st.SearchStrategy[Any]) -> st.SearchStrategy[list[str]]:
    return st.tuples(*parts).map(lambda drawn: template.format(*map(repr, drawn)).split("\n"))


def named(template: str, *parts: st.SearchStrategy[Any]) -> st.SearchStrategy[list[str]]:
    """The first part is a name, and goes in as it is."""
    drawn = st.tuples(NAMES, *parts)
    return drawn.map(lambda drawn: template.format(drawn[0], *map(repr, drawn[1:])).split("\n"))


SIMPLE = st.one_of(
    call("print({})", WORDS),
    call("print({}, {}, sep='-', end='')", WORDS, NUMBERS),
    call("print({}, file=sys.stderr)", WORDS),
    call("sys.stdout.write({})", WORDS),
    call("sys.stdout.buffer.write({}.encode())", WORDS),
    call("sys.stdout.flush()"),
    call("sys.stderr.write({})", WORDS),
    call("os.write(1, {}.encode())", WORDS),
    call("print(input({}))", WORDS),
    call("print(repr(sys.stdin.readline()))"),
    call("print(repr(sys.stdin.read({})))", st.integers(0, 5)),
    call("print(os.read(0, 3))"),
    call("atexit.register(print, {})", WORDS),
    call("atexit.register(fail, {})", st.integers(0, 2)),
    call("atexit.register(sys.stderr.write, {})", WORDS),
    # One name for all of them: in which order several go at the end is the collector's choice, not the language's.
    call("loud = Loud({})", WORDS),
    call("loud = [Loud({}), {}]", WORDS, NUMBERS),
    call("loud = Loud({}); loud.me = loud; del loud.me", WORDS),
    call("loud = None"),
    named("{0} = None"),
    named("{0} = open('left', 'w'); {0}.write({1})", WORDS),
    named("def {0}(n={1}): print({2}, n); return n", NUMBERS, WORDS),
    named("{0} = globals().get('{0}'); print(callable({0}) and {0}())"),
    call("t = threading.Thread(target=print, args=({},)); t.start(); t.join()", WORDS),
    call("t = threading.Thread(target=fail, args=({},), name='T'); t.start(); t.join()", st.integers(0, 2)),
    call("threading.Thread(target=late).start()"),
    call("sys.excepthook = lambda kind, value, trace: print('hook', kind.__name__, {})", WORDS),
    call("globals().clear() if {} == 3 else None", NUMBERS),
)
ENDING = st.one_of(
    call("raise ValueError({})", WORDS),
    call("raise Own({}) from KeyError({})", WORDS, NUMBERS),
    call("fail({})", st.integers(0, 3)),
    call("sys.exit({})", NUMBERS | WORDS | st.none() | st.booleans() | st.just([1]) | st.just(2.5)),
    call("raise SystemExit({})", NUMBERS | WORDS),
    call("os._exit({})", st.sampled_from([0, 3])),
    call("raise KeyboardInterrupt"),
    call("1 / 0"),
    call("print(undefined)"),
)


def indented(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]


def block(body: st.SearchStrategy[list[str]]) -> st.SearchStrategy[list[str]]:
    some = st.lists(body, min_size=1, max_size=3).map(lambda parts: [line for part in parts for line in part])
    return st.one_of(
        some.map(lambda inner: ["for i in range(2):", *indented(inner)]),
        some.map(lambda inner: ["if len(sys.argv) == 1:", *indented(inner)]),
        some.map(lambda inner: ["def f():", *indented(inner), "f()"]),
        st.tuples(some, some).map(lambda two: ["try:", *indented(two[0]), "finally:", *indented(two[1])]),
        st.tuples(some, some).map(
            lambda two: ["try:", *indented(two[0]), "except Exception as error:", "    print(error)", *indented(two[1])]
        ),
        st.tuples(some, some).map(
            lambda two: ["try:", *indented(two[0]), "except BaseException:", *indented(two[1]), "    raise"]
        ),
        some.map(  # a child that ends by an error, after threads that it has not: file_in_child_after_threads
            lambda inner: [
                *("pid = os.fork()", "if pid == 0:", "    try:", *indented(indented(inner))),
                *("    finally:", "        os._exit(0)", "os.wait()"),
            ]
        ),
    )


STATEMENTS = st.recursive(st.one_of(SIMPLE, SIMPLE, SIMPLE, ENDING), block, max_leaves=6)
SOURCES = st.lists(STATEMENTS, min_size=1, max_size=8).map(
    lambda parts: PRELUDE + "\n".join(line for part in parts for line in part) + "\n"
)
LINES = st.lists(st.sampled_from(["1", "two", "", "żółw"]), max_size=4).map("\n".join)


@settings(max_examples=60)
@given(source=SOURCES, stdin=LINES)
def test_generated_programs_are_the_same_both_ways(best: codejury.Sandbox, source: str, stdin: str) -> None:
    warm, fresh = both(best, source, stdin=stdin, fetch=["left"])
    assert b"SyntaxError" not in fresh.stderr  # a mistake of the grammar
    assert facts(warm) == facts(fresh)
