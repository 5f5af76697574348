"""Operators on Python sources: what each puts where, to the byte."""

from __future__ import annotations

import ast

import pytest

from codejury.mutation.programs import Mutant, mutants


def made(source: str, operator: str) -> set[str]:
    """The whole sources that an operator makes."""
    return {each.source for each in mutants(source, "python") if each.operator == operator}


def run(source: str, **given: object) -> dict[str, object]:
    """What a source written here leaves behind."""
    names: dict[str, object] = dict(given)
    exec(compile(source, "mutant", "exec"), names)
    return names


@pytest.mark.parametrize(
    ("operator", "source", "expected"),
    [
        ("arithmetic", "x = a + b", {"x = a - b"}),
        ("arithmetic", "x = (a  * # + not this\n b)", {"x = (a  + # + not this\n b)"}),
        ("arithmetic", "x = (a) - (b)", {"x = (a) + (b)"}),
        ("arithmetic", "x -= 1", {"x += 1"}),
        ("arithmetic", "x = 'a' + b + 'c'", set()),
        ("arithmetic", "x = [0] * n", set()),
        ("assignment", "x += y", {"x = y"}),
        ("bits", "x = a << 2", {"x = a >> 2"}),
        ("bits", "x = ~a", {"x = (a)"}),
        ("boundary", "x = a<b<=c", {"x = a<=b<=c", "x = a<b<c"}),
        ("comparison", "x = a is  not b", {"x = a is b"}),
        ("comparison", "x = a not \\\n in b", {"x = a in b"}),
        ("comparison", "if __name__ == '__main__': f()", set()),
        ("logic", "x = a and (b)", {"x = a or (b)"}),
        ("logic", "x = not a", {"x = (a)"}),
        ("lost_condition", "x = a or b", {"x = False or b", "x = a or False"}),
        ("constant", "x = 5", {"x = 6", "x = 4", "x = 0", "x = (-5)"}),
        ("constant", "x = y % 1", {"x = y % 2", "x = y % (-1)"}),
        ("constant", "x = True", set()),
        ("range", "for i in range(n): f()", {
            "for i in range((n) - 1): f()", "for i in range((n) + 1): f()", "for i in range(1, n): f()",
        }),
        ("range", "y = range(2, n)", {
            "y = range((2) + 1, n)", "y = range((2) - 1, n)", "y = range(2, (n) - 1)", "y = range(2, (n) + 1)",
        }),
        ("index", "x = a[0]", {"x = a[(0) + 1]"}),
        ("index", "x = a[i:]", {"x = a[(i) + 1:]", "x = a[(i) - 1:]"}),
        ("index", "x = a['k']", set()),
        ("negation", "while a and b: f()", {"while not (a and b): f()"}),
        ("negation", "if a == b: f()", set()),
        ("swapped_branch", "x = 1 if a else 2", {"x = 1 if not (a) else 2"}),
        ("dropped_branch", "if a: f()", {"if (a) or True: f()", "if (a) and False: f()"}),
        ("division", "x = a // b", {"x = int((a) / (b))", "x = -(-(a) // (b))"}),
        ("modulo", "x = (a + b) % m", {"x = (a + b)"}),
        ("modulo", "x %= m", {"pass"}),
        ("modulo", "x = '%d' % m", set()),
        ("swapped_operands", "x = (a + 1) - b", {"x = (b) - (a + 1)"}),
        ("min_max", "x = max(a, b)", {"x = min(a, b)"}),
        ("sort_order", "a.sort()", {"a.sort(reverse=True)"}),
        ("sort_order", "x = sorted(a, key=f)", {"x = sorted(a, key=f, reverse=True)"}),
        ("sort_order", "x = sorted(b for b in a)", {"x = sorted((b for b in a), reverse=True)"}),
        ("sort_order", "a.sort(reverse=b)", {"a.sort(reverse=not (b))"}),
        ("no_sort", "a.sort()", {"pass"}),
        ("no_sort", "x = sorted(a, key=f)", {"x = list(a)"}),
        ("swapped_arguments", "x = f(a, b)", {"x = f(b, a)"}),
        ("swapped_arguments", "x = f(*a, b)", set()),
        ("swapped_entries", "x = ['S', 'B', 'V']", {"x = ['B', 'S', 'V']", "x = ['S', 'V', 'B']"}),
        ("swapped_entries", "x = {'G': 11, 'R': 12}", {"x = {'G': 12, 'R': 11}"}),
        ("swapped_entries", "x = (1, 'a', 'a', y)", set()),
        ("swapped_entries", "x = y in ('a', 'b') or z in set(['a', 'b'])", set()),
        ("precision", "print('%.9f' % x)", {"print('%.4f' % x)"}),
        ("precision", "print(f'{x:.6f} and {y}')", {"print(f'{x:.3f} and {y}')"}),
        ("precision", "x = round(x, 2)", {"x = round(x, (2) - 1)"}),
        ("base_case", "dp[0] = 1", {"dp[0] = 2", "dp[0] = 0"}),
        ("dropped_statement", "x = []\nx.append(1)", {"x = []\npass"}),
        ("dropped_statement", "x = 1", set()),
        ("dropped_statement", "x = 1\nx = 2", {"x = 1\npass"}),
        ("break", "while a:\n    break", {"while a:\n    continue", "while a:\n    pass"}),
        ("early_break", "for i in a:\n    f()  # why\nx = 1", {"for i in a:\n    f(); break  # why\nx = 1"}),
        ("early_break", "for i in a:\n  if i:\n    f()", {"for i in a:\n  if i:\n    f()\n  break"}),
        ("early_return", "def f():\n    for i in a:\n        s += i\n    return s", {
            "def f():\n    for i in a:\n        s += i; return s\n    return s",
        }),
        ("no_reset", "for i in a:\n    s = 0\n    s += i", {"s = 0\nfor i in a:\n    pass\n    s += i"}),
        ("no_reset", "for i in a:\n    s = [i]", set()),
        ("no_memo", "@cache\ndef f(x): return x", {"@(lambda f: f)\ndef f(x): return x"}),
        ("no_memo", "def f(x):\n    if x in memo:\n        return memo[x]\n    return 1", {
            "def f(x):\n    if (x in memo) and False:\n        return memo[x]\n    return 1",
        }),
        ("slow_scan", "for i in range(n):\n    f()", {"for i in range(n):\n    [0 for _ in range(n)]; f()"}),
        ("copy_in_loop", "a = g()\nwhile b:\n    if a[0]:\n        f()", {
            "a = g()\nwhile b:\n    [*a]\n    if a[0]:\n        f()",
        }),
        ("shifted_field", "n = int(input()); print(n)", {
            "n = int(input()); n = n + 1 if type(n) is int else n; print(n)",
            "n = int(input()); n = n - 1 if type(n) is int else n; print(n)",
        }),
        ("shifted_field", "n = int(input()); print(sum(map(int, input().split())))", set()),  # nobody looks at it
        ("neighbour_field", "n, m = map(int, input().split()); print(n, m)", {
            "n, m = map(int, input().split()); n = m if type(m) is type(n) else n; print(n, m)",
            "n, m = map(int, input().split()); m = n if type(n) is type(m) else m; print(n, m)",
        }),
    ],
)  # fmt: skip
def test_operator(operator: str, source: str, expected: set[str]) -> None:
    assert made(source, operator) == expected


def test_places_are_in_bytes_and_all_line_ends_count() -> None:
    source = "s = 'áé𝄞'; x = 1 + 2\r\ny = 'ß' ; z = x - 3\rw = '→'; v = z * 4\n"
    assert made(source, "arithmetic") == {
        source.replace("1 + 2", "1 - 2"),
        source.replace("x - 3", "x + 3"),
        source.replace("z * 4", "z + 4"),
    }
    assert {each.line for each in mutants(source, "python") if each.operator == "arithmetic"} == {1, 2, 3}


def test_a_byte_order_mark_stays() -> None:
    assert made("\ufeffx = a + b\ny = a - b", "arithmetic") == {
        "\ufeffx = a - b\ny = a - b",
        "\ufeffx = a + b\ny = a + b",
    }


def test_inside_of_f_strings_nothing_is_touched() -> None:
    assert mutants("print(f'{a + 1} {b < 2!r} {c[0]:>{d + 1}}')", "python") == []


def test_a_narrowed_sum_is_that_of_32_bits_and_other_values_stay() -> None:
    (source,) = made("x = a * b", "narrow")
    assert run(source, a=2**20, b=2**11)["x"] == -(2**31)
    assert run(source, a=3, b=5)["x"] == 15
    assert run(source, a="ab", b=2)["x"] == "abab"
    assert run(source, a=2.0**20, b=2.0**11)["x"] == 2.0**31
    (source,) = made("x = 0\nfor i in a:\n    x += i\n", "narrow")
    assert run(source, a=[2**31 - 1, 1])["x"] == -(2**31)


@pytest.mark.parametrize(
    ("value", "left"), [(7, {0, 1}), ("abc", {"", "aaa"}), ([4, 5], {(), (4, 4)}), (2.5, {0.0, 2.5})]
)
def test_an_ignored_parameter_keeps_its_type(value: object, left: set[object]) -> None:
    found = set()
    for source in made("def f(a):\n    return a\n", "ignored_field"):
        got = run(source)["f"](value)  # type: ignore[operator]
        found.add(tuple(got) if isinstance(got, list) else got)
    assert found == left


def test_a_wrong_base_of_a_recursion() -> None:
    source = "def f(n):\n    if n <= 1:\n        return n\n    return f(n - 1) + f(n - 2)\n"
    answers = set()
    for each in made(source, "base_case"):
        try:
            answers.add(run(each)["f"](4))  # type: ignore[operator]
        except RecursionError:
            answers.add("endless")
    assert answers == {"endless", 8, 5}


SLOW = """\
def count(rows):
    seen = {0: 1}
    total = 0
    for i in range(len(rows)):
        total += rows[i] + seen[0]
    for row in rows:
        total += row
    return total
"""


def test_slow_mutants_are_right() -> None:
    slow = [each for each in mutants(SLOW, "python") if each.slow]
    assert {each.operator for each in slow} == {"slow_scan", "copy_in_loop"}
    for each in slow:
        assert run(each.source)["count"]([3, 4]) == 16, each  # type: ignore[operator]


SHAPES = """\
class Solution:
    @staticmethod
    def f(a: int, b: "int" = 1 + 1) -> list[int]:
        \"\"\"1 + 1\"\"\"
        async def g(): return [x async for x in a if x > 1]
        with open("f") as h, h: pass
        try:
            x = y = (z := a - 1)
        except (ValueError, KeyError) as e: raise e
        else:
            del x
        finally: print(x, end="")
        lambda q, *r, **s: q * 2
        match a:
            case 1 | 2 if b > 2: return {1: 2, **{3: 4}}
            case [3, *t]: yield from t
        if (a
            > b): return a \\
            + 1
        x[1:2, ..., ::3] = {*a, 1}
        assert a < b, "no"
        while True:
            if a: a -= 1; continue
            elif b: break
            else: pass
        return [i if i else -i for i in range(3, 9, 2) if i & 1]
"""


def test_every_form_of_the_language_gives_programs() -> None:
    found = mutants(SHAPES, "python")
    assert len(found) > 60
    for each in found:
        ast.parse(each.source)
        assert each.source.startswith('class Solution:\n    @staticmethod\n    def f(a: int, b: "int" = ')


def test_the_texts_of_a_mutant_are_short() -> None:
    source = "x = f(" + ", ".join(f"name_{i}" for i in range(40)) + ") - 1\n"
    found: list[Mutant] = mutants(source, "python")
    assert max(len(each.before) for each in found) <= 80
    assert any("…" in each.before for each in found)
