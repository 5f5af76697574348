"""Test scripts on a candidate in another process: what works across the pipe, and who decides.

Hostile candidates are in tests/attacks/verdict; here is what honest ones and their tests need.
"""

from __future__ import annotations

import ast
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import codejury
from codejury.judging import scripts
from codejury.judging.inside import subject
from codejury.judging.scripts import ScriptResult
from codejury.model import Limits

LIMITS = Limits(cpu_s=3, wall_s=5)


def judged(sandbox: codejury.Sandbox, source: str, tests: Any, **options: Any) -> ScriptResult:
    return scripts.judge_script(sandbox, source, tests, **{"limits": LIMITS, **options})


def accepted(sandbox: codejury.Sandbox, source: str, tests: Any, **options: Any) -> None:
    found = judged(sandbox, source, tests, **options)
    assert (found.verdict, found.message) == ("success", "")
    assert found.parts


# --- forms of tests --------------------------------------------------------------------------------------------------


def test_asserts_are_parts_of_their_own(sandbox: codejury.Sandbox) -> None:
    found = judged(sandbox, "def f(n): return n + 1", ["assert f(1) == 2", "assert f(2) == 4", "assert f(3) == 4"])
    assert [part.verdict for part in found.parts] == ["success", "wrong_answer", "success"]
    assert (found.verdict, found.passed) == ("wrong_answer", False)
    assert found.message == "line 1: assert f(2) == 4; the last call gave 3"


def test_setup_goes_before_the_tests(sandbox: codejury.Sandbox) -> None:
    accepted(sandbox, "def f(n): return n", ["assert math.isclose(f(1.5), HALF)"], setup="import math\nHALF = 1.5")


def test_check_gets_the_candidate(sandbox: codejury.Sandbox) -> None:
    check = "def check(candidate):\n    assert candidate(2) == 4\n    assert candidate(3) == 9\n"
    accepted(sandbox, "def square(n): return n * n", check, fn_name="square")
    accepted(sandbox, "def square(n): return n * n", check + "check(square)\n")
    assert judged(sandbox, "def square(n): return n + n", check, fn_name="square").verdict == "wrong_answer"
    missing = judged(sandbox, "def other(n): return n * n", check, fn_name="square")
    assert (missing.verdict, missing.message) == ("runtime_error", "the candidate defines no square")
    with pytest.raises(codejury.UsageError, match="expected the name of the candidate's function"):
        judged(sandbox, "def square(n): return n * n", check)


def test_test_functions_and_parameters(sandbox: codejury.Sandbox) -> None:
    tests = """
import pytest

@pytest.mark.parametrize("n, expected", [(1, 2), (2, 5), (3, 10)])
def test_many(n, expected):
    assert f(n) == expected

@pytest.mark.parametrize("n", [1, 2])
def test_one(n):
    assert f(n) > n

def test_raises():
    with pytest.raises(TypeError, match="must be"):
        f("x")
    assert f(0.1) == pytest.approx(1.01)

class TestGroup:
    def setup_method(self):
        self.n = 4
    def test_it(self):
        assert f(self.n) == 17

async def test_later():
    assert f(0) == 1
"""
    source = "def f(n):\n    if type(n) is str: raise TypeError('must be a number')\n    return n * n + 1"
    found = judged(sandbox, source, tests)
    assert (found.verdict, found.message) == ("success", "")
    names = ["test_many[0]", "test_many[1]", "test_many[2]", "test_one[0]", "test_one[1]", "test_raises"]
    assert [part.name for part in found.parts] == [*names, "TestGroup.test_it", "test_later"]
    wrong = judged(sandbox, "def f(n): return n * 2", tests)
    assert [part.verdict for part in wrong.parts][:2] == ["success", "wrong_answer"]


def test_a_stand_in_serves_where_pytest_is_not_installed(sandbox: codejury.Sandbox) -> None:
    hide = (
        "import sys\nsys.meta_path[:] = [f for f in sys.meta_path if f.__module__ != 'x']\n"
        "sys.path[:] = [p for p in sys.path if 'site-packages' not in p]\nsys.path_importer_cache.clear()\n"
    )
    tests = """
import pytest
assert not hasattr(pytest, "__version__")

@pytest.mark.parametrize("a,b", [(1, 2), pytest.param(2, 4)])
def test_double(a, b):
    assert f(a) == b

@pytest.mark.slow
def test_more():
    with pytest.raises(ZeroDivisionError) as caught:
        f(0)
    assert "zero" in str(caught.value)
    with pytest.raises(ZeroDivisionError, match="by zero"):
        f(0)
    pytest.raises(ZeroDivisionError, f, 0)
    assert f(0.1) == pytest.approx(0.2, abs=1e-3)
    assert [f(1), f(2)] == pytest.approx([2, 4.0000001])
    assert f(1) != pytest.approx(3)
"""
    source = "def f(n):\n    if n == 0: return 1 / 0\n    return 2 * n"
    found = judged(sandbox, source, tests, setup=hide)
    assert (found.verdict, found.message) == ("success", "")
    assert len(found.parts) == 3
    nothing = "import pytest\ndef test_it():\n    with pytest.raises(ValueError):\n        f(1)"
    assert judged(sandbox, source, nothing, setup=hide).verdict == "wrong_answer"


def test_classes_of_unittest(sandbox: codejury.Sandbox) -> None:
    tests = """
import unittest

class Cases(unittest.TestCase):
    def setUp(self):
        self.value = f(1)

    def test_right(self):
        self.assertEqual(self.value, 2)
        self.assertRaises(TypeError, f, None)

    def test_wrong(self):
        self.assertEqual(f(2), 4)

    def test_sub(self):
        for n in range(3):
            with self.subTest(n=n):
                self.assertEqual(f(n), n + 1)

    @unittest.skip("not today")
    def test_skipped(self):
        self.fail()

if __name__ == "__main__":
    unittest.main()
"""
    found = judged(sandbox, "def f(n): return n + 1", tests)
    verdicts = {part.name: part.verdict for part in found.parts}
    assert verdicts == {"Cases.test_right": "success", "Cases.test_sub": "success", "Cases.test_wrong": "wrong_answer"}


def test_tests_may_import_the_candidate(sandbox: codejury.Sandbox) -> None:
    accepted(sandbox, "LIMIT = 5\ndef f(n): return n", "from solution import f, LIMIT\nassert f(LIMIT) == 5")
    accepted(
        sandbox, "def f(n): return n", "import solution\nassert solution.f(5) == 5\nassert not hasattr(solution, 'g')"
    )


def test_evalplus_scripts(sandbox: codejury.Sandbox) -> None:
    tests = """
import numpy as np

def is_floats(x):
    return isinstance(x, float) or isinstance(x, (list, tuple)) and all(isinstance(i, float) for i in x)

def assertion(out, exp, atol):
    if atol == 0 and is_floats(exp):
        atol = 1e-6
    if out != exp and atol != 0:
        assert np.allclose(out, exp, rtol=1e-07, atol=atol)
    else:
        assert out == exp, f"out: {out}, exp: {exp}"

inputs = [[[3, 1]], [[2, 0]]]
results = [[1.0, 3.0], [0.0, 2.0000000001]]
for i, (inp, exp) in enumerate(zip(inputs, results)):
    assertion(arrange(*inp), exp, 0)
"""
    accepted(sandbox, "def arrange(x):\n    x.sort()\n    return x", tests)
    assert judged(sandbox, "def arrange(x): return x", tests).verdict == "wrong_answer"


def test_a_candidate_cannot_change_what_a_reference_is_asked(sandbox: codejury.Sandbox) -> None:
    tests = (
        "def ref_func(x): return sorted(x)\ninputs = [[[3, 1]]]\n"
        "for i, inp in enumerate(inputs):\n    assert f(*inp) == ref_func(*inp)"
    )
    assert judged(sandbox, "def f(x):\n    x.clear()\n    return []", tests).verdict == "wrong_answer"
    accepted(sandbox, "def f(x):\n    x.sort()\n    return x", tests)


# --- what crosses the pipe -------------------------------------------------------------------------------------------

COUNTER = """
class Counter2:
    \"\"\"counts\"\"\"
    total = 0
    def __init__(self, start=0): self.n = start
    def add(self, by=1):
        self.n += by
        return self
    def __len__(self): return self.n
    def __getitem__(self, at): return [self.n, at]
    def __setitem__(self, at, value): self.n = value
    def __iter__(self): return iter(range(self.n))
    def __contains__(self, x): return 0 <= x < self.n
    def __enter__(self): return self
    def __exit__(self, *error): self.n = -1
    def __str__(self): return f"<{self.n}>"
    def __repr__(self): return f"Counter2({self.n})"
    def __add__(self, other): return Counter2(self.n + (other if isinstance(other, int) else other.n))
    @classmethod
    def of(cls, n): return cls(n)
    @property
    def twice(self): return 2 * self.n
"""

WORKS = {
    "values of every kind": (
        "def f(x): return x",
        "from decimal import Decimal\nfor v in (None, 2**99, (1, [2]), {'a': {1}}, b'x', 1j, Decimal('1.5')):\n"
        "    assert f(v) == v and type(f(v)) is type(v)",
    ),
    "keywords and defaults": ("def f(a, *, b=2, **c): return a, b, c", "assert f(1, b=3, d=4) == (1, 3, {'d': 4})"),
    "constants": ("LIMIT = 5\nNAMES = ['a']\ndef f(): return 1", "assert LIMIT == 5 and NAMES == ['a'] and f() == 1"),
    "a changed list": ("def f(x): x.sort()", "x = [3, 1, 2]\nassert f(x) is None\nassert x == [1, 2, 3]"),
    "a changed list inside": (
        "def f(g):\n    g[0][0] = 9\n    g.append(g[0])",
        "row = [1]\ng = [row, [2]]\nf(g)\nassert g == [[9], [2], [9]] and g[0] is row and g[2] is row",
    ),
    "rows that are one": ("def f(g): g[0][0] = 1", "g = [[0] * 2] * 3\nf(g)\nassert g == [[1, 0]] * 3"),
    "changed dicts, sets, deques, bytearrays": (
        "def f(d, s, q, b):\n    d['b'] = 2\n    del d['a']\n    s.add(9)\n    q.rotate(1)\n    b[0] = 65",
        "from collections import deque\nd, s, q, b = {'a': 1}, {1}, deque([1, 2]), bytearray(b'x')\nf(d, s, q, b)\n"
        "assert d == {'b': 2} and s == {1, 9} and list(q) == [2, 1] and b == b'A'",
    ),
    "a changed array": (
        "import numpy\ndef f(a): a[0] = 7",
        "import numpy as np\na = np.zeros(2)\nf(a)\nassert a.tolist() == [7.0, 0.0]",
    ),
    "arguments changed before an exception": (
        "def f(x):\n    x.append(1)\n    raise ValueError",
        "x = []\ntry:\n    f(x)\nexcept ValueError:\n    pass\nassert x == [1]",
    ),
    "the same list given back": ("def f(x): return x", "x = [1]\nassert f(x) is x"),
    "generators": (
        "def f(n):\n    got = yield n\n    yield got\n    return 5",
        "import types\ng = f(3)\nassert isinstance(g, types.GeneratorType) and next(g) == 3 and g.send('x') == 'x'\n"
        "try:\n    next(g)\nexcept StopIteration as end:\n    assert end.value == 5\nelse:\n    assert False",
    ),
    "exceptions thrown into generators": (
        "def f():\n    try:\n        yield 1\n    except KeyError as error:\n        yield str(error)",
        "g = f()\nnext(g)\nassert g.throw(KeyError('k')) == \"'k'\"",
    ),
    "iterators": ("def f(x): return map(str, x)", "assert list(f([1, 2])) == ['1', '2']\nassert next(f([3])) == '3'"),
    "views": ("def f(d): return d.keys()", "assert list(f({1: 2})) == [1] and 1 in f({1: 2}) and len(f({1: 2})) == 1"),
    "classes": (
        COUNTER,
        "c = Counter2(3)\nassert len(c) == 3 and c[5] == [3, 5] and list(c) == [0, 1, 2] and 2 in c and 3 not in c\n"
        "assert c.add(2) is c and c.n == 5 and c.twice == 10 and str(c) == '<5>' and f'{c}' == '<5>'\n"
        "c.n = 1\nassert repr(c) == 'Counter2(1)' and bool(c)\nc[0] = 0\nassert not c\n"
        "assert (Counter2(1) + Counter2(2)).n == 3 and (Counter2(1) + 5).n == 6\n"
        "assert isinstance(c, Counter2) and not isinstance(5, Counter2)\n"
        "assert Counter2.of(7).n == 7 and Counter2.total == 0\n"
        "with Counter2(2) as c:\n    assert c.n == 2\nassert c.n == -1 and type(c).__name__ == 'Counter2'",
    ),
    "objects given back to the candidate": (
        "class P:\n    def __init__(self, x): self.x = x\ndef f(p): return p.x\ndef make(x): return [P(x)]",
        "p = P(4)\nassert f(p) == 4 and f(make(5)[0]) == 5 and f(P(x=6)) == 6",
    ),
    "identity of objects": (
        "class N:\n    def __init__(self, next=None): self.next = next\ndef tail(n): return n.next",
        "a = N()\nb = N(a)\nassert b.next is a and tail(b) is a and tail(b) == a and a != b and len({a, tail(b)}) == 1",
    ),
    "enumerations": (
        "from enum import Enum\nclass C(Enum):\n    RED = 1\n    BLUE = 2\ndef f(x): return C.RED if x else C.BLUE",
        "assert f(1) is C.RED and f(0) == C.BLUE and f(1) != C.BLUE and C.RED.name == 'RED' and len(list(C)) == 2",
    ),
    "named tuples": (
        "from collections import namedtuple\nP = namedtuple('P', 'x y')\ndef f(): return [P(1, 2)]",
        "assert f() == [(1, 2)] and f()[0].y == 2",
    ),
    "classes that extend builtin ones": (
        "class M(list):\n    def total(self): return sum(self)",
        "m = M([1, 2])\nassert m.total() == 3 and len(m) == 2 and m[1] == 2 and list(m) == [1, 2]",
    ),
    "builtin exceptions": (
        "def f(k): return {}[k]",
        "try:\n    f('a')\nexcept KeyError as error:\n    assert error.args == ('a',)\nelse:\n    assert False",
    ),
    "exceptions of the candidate's own": (
        "class Poor(ValueError):\n    def __init__(self, need): super().__init__(f'need {need}'); self.need = need\n"
        "class Poorer(Poor): pass\ndef f(n): raise Poorer(n)",
        "try:\n    f(5)\nexcept Poor as error:\n    assert str(error) == 'need 5' and error.need == 5\n"
        "    assert isinstance(error, (ValueError, Poorer)) and type(error).__name__ == 'Poorer'\n"
        "else:\n    assert False",
    ),
    "exceptions of the library": (
        "import json\ndef f(t): return json.loads(t)",
        "import json\ntry:\n    f('{')\nexcept json.JSONDecodeError:\n    pass\nelse:\n    assert False",
    ),
    "exit codes": ("import sys\ndef f(): sys.exit(3)", "try:\n    f()\nexcept SystemExit as e: assert e.code == 3"),
    "functions of the test": (
        "def f(g, *x): return [g(each) for each in x]",
        "seen = []\nassert f(lambda n: n * 2, 1, 2) == [2, 4]\nf(seen.append, 7)\n"
        "assert seen == [7] and f(len, 'abc') == [3]",
    ),
    "functions of the test that call the candidate": (
        "def f(g, n): return g(n)\ndef h(n): return n + 1",
        "assert f(lambda n: h(n) * f(h, n), 2) == 9",
    ),
    "exceptions through the candidate": (
        "def f(g):\n    try:\n        return g()\n    finally:\n        pass",
        "class Mine(Exception): pass\ndef g(): raise Mine('x')\ntry:\n    f(g)\nexcept Mine as error:\n"
        "    assert error.args == ('x',)\nelse:\n    assert False",
    ),
    "exceptions of the test that the candidate handles": (
        "def f(g):\n    try:\n        return g()\n    except ZeroDivisionError:\n        return 'handled'",
        "assert f(lambda: 1 / 0) == 'handled'",
    ),
    "generators of the test": ("def f(x): return sum(x)", "assert f(n for n in range(4)) == 6"),
    "objects of the test": (
        "def f(o): return o.value + o.double(4)",
        "class O:\n    value = 1\n    def double(self, n): return 2 * n\nassert f(O()) == 9",
    ),
    "functions of the candidate": (
        "def f(n):\n    def inner(m): return n + m\n    return inner\ndef g(h, x): return h(x)",
        "assert f(1)(2) == 3 and g(f(5), 1) == 6 and callable(f(1)) and f.__name__ == 'f'",
    ),
    "coroutines": ("async def f(n): return n + 1", "import asyncio\nassert asyncio.run(f(1)) == 2"),
    "printed text": (
        "def f(): print('hello')",
        "import contextlib, io\nout = io.StringIO()\nwith contextlib.redirect_stdout(out):\n    f()\n"
        "assert out.getvalue() == 'hello\\n'",
    ),
    "modules that the candidate imported": ("import math\ndef f(): return 1", "assert math.isclose(f(), 1.0)"),
    "a function of a builtin's name": ("def sum(a, b): return a * b", "assert sum(3, 4) == 12\nassert sum(1, 1) == 1"),
    "private names": ("def _f(n): return n", "assert _f(2) == 2"),
    "partial functions": ("def f(a, b): return a - b", "import functools\nassert functools.partial(f, 5)(3) == 2"),
    "map and sorted": ("def f(n): return -n", "assert sorted([1, 2], key=f) == [2, 1] and list(map(f, [3])) == [-3]"),
    "a large value": ("def f(n): return list(range(n))", "assert len(f(500_000)) == 500_000 and f(20)[-1] == 19"),
}  # fmt: skip


@pytest.mark.parametrize("name", WORKS)
def test_works_across_the_pipe(sandbox: codejury.Sandbox, name: str) -> None:
    accepted(sandbox, *WORKS[name])


@pytest.mark.parametrize("name", WORKS)
def test_says_the_same_as_one_process(sandbox: codejury.Sandbox, name: str) -> None:
    """The table above is about Python, not about us: plain Python accepts the same."""
    source, tests = WORKS[name]
    alone = sandbox.run(f"{source}\n{tests.replace('from solution import', '#')}\n", language="python")
    assert (alone.status, alone.stderr) == ("ok", b"")


# --- who decides -----------------------------------------------------------------------------------------------------

YES = """
class Yes:
    def __eq__(self, other): return True
    def __lt__(self, other): return True
    def __sub__(self, other): return 0
    def __abs__(self): return 0
    def __contains__(self, other): return True
    def __iter__(self): return iter([])
    def __getattr__(self, name): return lambda *args: True
    def startswith(self, text): return True
    def __len__(self): return "3"
    def __bool__(self): return 1
    def __hash__(self): return 5
def f(): return Yes()
"""


@pytest.mark.parametrize(
    "test",
    [
        "assert f() == 5",
        "assert 5 == f()",
        "assert not (f() != 5)",
        "assert f() < 5",
        "assert abs(f() - 5) < 1",
        "assert 5 in f()",
        "assert f() in [1, 2]",
        "assert f().startswith('x')",
        "assert f().issubset({1})",
        "assert f() in {5: 1}",
        "assert len(f()) == 3",
        "assert bool(f())",
        "assert f() == f()",
        "assert isinstance(f(), int)",
    ],
)
def test_an_object_of_the_candidate_decides_nothing(sandbox: codejury.Sandbox, test: str) -> None:
    assert judged(sandbox, YES, test).verdict in ("wrong_answer", "runtime_error")


def test_a_failure_notes_that_the_candidates_own_equality_was_not_asked(sandbox: codejury.Sandbox) -> None:
    source = "class P:\n    def __init__(self, x): self.x = x\n    def __eq__(self, other): return self.x == other.x"
    found = judged(sandbox, source, "assert P(1) == P(1)")
    assert found.verdict == "wrong_answer"
    assert "equal only to themselves" in found.message


@pytest.mark.parametrize("name", ["abs", "len", "isinstance", "math", "np", "isclose", "check", "test_it", "helper"])
def test_names_of_the_test_are_never_the_candidates(sandbox: codejury.Sandbox, name: str) -> None:
    tests = "def helper(x): return x\ndef check(candidate): assert candidate() == 1\ndef test_it(): assert {use}"
    uses = {"abs": "abs(f()) == 1", "len": "len([f()]) == 2", "isinstance": "not isinstance(f(), int)"}
    use = uses.get(name, "helper(f()) == 1")
    source = f"def f(): return 0\ndef {name}(*args, **keywords): return 1"
    assert judged(sandbox, source, tests.format(use=use), fn_name="f").verdict != "success"


@pytest.mark.parametrize(
    ("source", "verdict"),
    [
        ("def f(): return 2", "wrong_answer"),
        ("def f(): return None", "wrong_answer"),
        ("def f(): return {}['x']", "runtime_error"),
        ("def g(): return 1", "runtime_error"),
        ("def f() return 1", "runtime_error"),
        ("1 / 0", "runtime_error"),
        ("import os\ndef f(): os._exit(0)", "runtime_error"),
        ("import os\nos._exit(0)", "runtime_error"),
        ("def f():\n    while True: pass", "time_limit_exceeded"),
        ("import time\ndef f(): time.sleep(99)", "time_limit_exceeded"),
        ("def f(): return 'x' * (80 << 20)", "format_error"),
    ],
)
def test_verdicts(sandbox: codejury.Sandbox, source: str, verdict: str) -> None:
    found = judged(sandbox, source, "assert f() + 0 == 1", limits=Limits(cpu_s=2, wall_s=5))
    assert found.verdict == verdict
    assert found.message
    assert "codejury" not in found.message


def test_a_candidate_cannot_end_the_loop_that_it_is_called_in(sandbox: codejury.Sandbox) -> None:
    tests = "for out, exp in zip(map(f, [1, 2]), [1, 2]):\n    assert out == exp"
    accepted(sandbox, "def f(n): return n", tests)
    assert judged(sandbox, "def f(n): raise StopIteration", tests).verdict != "success"
    lazy = "class S:\n    def __call__(self, n): raise StopIteration\nf = S()"
    assert judged(sandbox, lazy, tests).verdict != "success"


def test_a_test_may_compute_for_longer_than_the_candidate_may(sandbox: codejury.Sandbox) -> None:
    wait = "import time\nend = time.process_time() + 1.5\nwhile time.process_time() < end: pass\n"
    tests = f"assert f() == 1\n{wait}assert f() == 1"
    accepted(sandbox, "def f(): return 1", tests, limits=Limits(cpu_s=0.5))


@pytest.mark.parametrize("guard", ["except Exception", "except BaseException", "except"])
def test_a_test_that_swallows_the_end_of_the_candidate_fails(sandbox: codejury.Sandbox, guard: str) -> None:
    tests = f"try:\n    f()\n{guard}:\n    pass"
    assert judged(sandbox, "import os\ndef f(): os._exit(0)", tests).verdict == "runtime_error"


def test_memory_of_the_candidate_is_its_own(sandbox: codejury.Sandbox) -> None:
    found = judged(sandbox, "def f(): return len(bytearray(400 << 20))", "assert f()", limits=Limits(memory_mb=100))
    assert found.verdict == "memory_limit_exceeded"


@pytest.mark.parametrize(
    ("tests", "message"),
    [
        ("assert f( == 1", "the test is no Python"),
        ("assert f( == __file__", "expected Python, got"),
        (
            "import nowhere_to_be_found\nassert f() == 1",
            "needs a module that is not in the sandbox: nowhere_to_be_found",
        ),
        ("x = 1", "nothing was tested"),
        ([], "nothing was tested"),
    ],
)
def test_a_test_that_is_at_fault_is_the_callers(sandbox: codejury.Sandbox, tests: Any, message: str) -> None:
    with pytest.raises(codejury.UsageError) as caught:
        judged(sandbox, "def f(): return 1", tests)
    assert message in str(caught.value)


def test_a_test_of_nothing_is_no_success(sandbox: codejury.Sandbox) -> None:
    skipped = (
        "import unittest\nclass T(unittest.TestCase):\n    @unittest.skip('x')\n    def test_a(self): assert f() == 1"
    )
    with pytest.raises(codejury.UsageError, match="nothing was tested"):
        judged(sandbox, "def f(): return 1", skipped)


def test_a_test_that_exits_has_not_passed(sandbox: codejury.Sandbox) -> None:
    assert judged(sandbox, "def f(): return 1", "assert f() == 1\nraise SystemExit(0)").verdict != "success"


# --- one process for both --------------------------------------------------------------------------------------------

INSPECTING = "import inspect\nassert 'return' in inspect.getsource(f)\nassert f() == 1"


@pytest.mark.parametrize(
    "test",
    [
        INSPECTING,
        "from inspect import getsource as g\nassert g(f)",
        "assert f.__code__.co_argcount == 0",
        "open(__file__)",
    ],
)
def test_tests_that_look_at_code_are_refused(sandbox: codejury.Sandbox, test: str) -> None:
    with pytest.raises(codejury.UsageError, match="expected allow_shared_process"):
        judged(sandbox, "def f(): return 1", test)


def test_they_run_where_that_is_allowed_and_the_result_says_so(sandbox: codejury.Sandbox) -> None:
    found = judged(sandbox, "def f(): return 1", INSPECTING, allow_shared_process=True)
    assert (found.verdict, found.shared_process) == ("success", True)
    assert judged(sandbox, "def f(): return 2", INSPECTING, allow_shared_process=True).verdict == "wrong_answer"
    ended = judged(sandbox, "import os\ndef f(): return os._exit(0)", INSPECTING, allow_shared_process=True)
    assert (ended.verdict, ended.shared_process) == ("runtime_error", True)


def test_allowing_it_changes_nothing_for_other_tests(sandbox: codejury.Sandbox) -> None:
    assert judged(sandbox, "def f(): return 1", "assert f() == 1", allow_shared_process=True).shared_process is False


# --- the function under test -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tests", "name"),
    [
        ("assert set(similar((1, 2))) == set((1,))", "similar"),
        ("import math\nassert math.isclose(area(2), 3)", "area"),
        ("assert sum(1, 2) == 3", "sum"),
        ("def assertion(a, b): assert isinstance(a, int)\nfor inp in [[1]]:\n    assertion(sum(*inp), 1)", "sum"),
        ("x = 1", None),
    ],
)
def test_the_function_under_test_is_told_from_the_tests(tests: str, name: str | None) -> None:
    assert subject.tested_function([ast.parse(tests)]) == name


# --- real data -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_mbpp_plus_golds_are_accepted(sandbox: codejury.Sandbox, data: Path) -> None:
    """A part of the 378; all of them take minutes."""
    with gzip.open(data / "mbppplus" / "MbppPlus-OriginFmt.jsonl.gz") as file:
        rows = [json.loads(line) for line in file]
    failed = []
    for row in rows[::9]:
        setup = "\n".join(row["test_imports"])
        for tests in (row["test_list"], row["test"]):
            found = judged(sandbox, row["code"], tests, setup=setup, limits=Limits(cpu_s=60))
            if not found.passed:
                failed.append((row["task_id"], found.message))
    assert failed == []


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_humaneval_plus_golds_are_accepted(sandbox: codejury.Sandbox, data: Path) -> None:
    with gzip.open(data / "humanevalplus" / "HumanEvalPlus-OriginFmt.jsonl.gz") as file:
        rows = [json.loads(line) for line in file]
    failed = []
    for row in rows[3::12]:
        source = row["prompt"] + row["canonical_solution"]
        found = judged(sandbox, source, row["test"], fn_name=row["entry_point"], limits=Limits(cpu_s=60))
        if not found.passed:
            failed.append((row["task_id"], found.message))
    assert failed == []


# --- answers that are too large to be sent ---------------------------------------------------------------------------


def test_a_large_answer_equals_what_has_its_digest(sandbox: codejury.Sandbox) -> None:
    source = "def solve(n):\n    return [(n,) * 3] * 2_000_000\n"
    right = "def expected(n):\n    return [(n, n, n) for _ in range(2_000_000)]\n"
    tests = [
        right + "assert solve(3) == expected(3)",
        "assert solve(3) == expected(4)",
        "assert solve(3) != expected(3)",
    ]
    tests += ["assert solve(3) == [3]", "assert solve(3)[0] == (3, 3, 3)", "assert len(solve(3)) == 2_000_000"]
    tests += [
        "assert isinstance(solve(3), list)",
        "assert all(solve(3))",
        "assert 3 + solve(3)",
        "assert solve(3) > [0]",
    ]
    said = judged(sandbox, source, tests, fn_name="solve", limits=Limits(cpu_s=30, memory_mb=2048))
    verdicts = [part.verdict for part in said.parts]
    assert verdicts[:4] == ["success", "wrong_answer", "wrong_answer", "wrong_answer"]
    assert set(verdicts[4:]) == {"format_error"}, "a test that needs the value says nothing about the candidate"
