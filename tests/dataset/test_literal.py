"""Python literals: the values that the standard library gives, without what it takes for them."""

from __future__ import annotations

import ast
import math
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codejury.dataset.literal import literal_of

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20)
    | st.binary(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(st.text(max_size=5) | st.integers(), inner, max_size=4)
        | st.sets(st.integers(), max_size=4)
    ),
    max_leaves=20,
)


@given(st.complex_numbers(allow_nan=False, allow_infinity=False))
def test_complex_numbers_come_back(value: complex) -> None:
    assert literal_of(repr(value)) == value


@given(VALUES)
def test_what_repr_writes_comes_back(value: Any) -> None:
    result = literal_of(repr(value))
    assert result == ast.literal_eval(repr(value))
    assert repr(result) == repr(ast.literal_eval(repr(value)))


@pytest.mark.parametrize(
    "text",
    [
        '(1)', '(1,)', '( 1 , 2 , )', '()', '[ ]', '{}', '{1,}', '{1: 2, }', 'set()', '((1))', '([1],)',
        "'''a\n'b'''", '"""x"""', "''", '""', "r'\\d'", "b'\\x00'", "u'x'", "'a\\\nb'", "'\\''", '1_000', '0x1F',
        '0b11', '0o17', '-0x10', '+3', '.5', '5.', '1e3', '1E-3', '2j', '-2j', '1+2j', '(1 - 2j)', '-1.5+0j',
        '1e999', ' [1,\n 2 ]\n', "'\\d'", '{(1, 2): [3]}', "{'a': {'b': ()}}",
    ],
)  # fmt: skip
def test_spellings(text: str) -> None:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = ast.literal_eval(text.strip())
    result = literal_of(text)
    assert result == expected
    assert type(result) is type(expected)


@pytest.mark.parametrize(
    "text",
    [
        "", "x", "[1", "[1 2]", "(1", "{1: }", "{1: 2, 3}", "{[1]: 2}", "{[1]}", "f()", "__import__('os')", "1 + 1",
        "'a", "[,]", "1 2", "'a' 'b'", "lambda: 1", "[x for x in y]", "f'{x}'", "'\\x1'", "1__0", "1.e", "--1", "None1",
        "9" * 5000, "\x00", "[" * 100_000, "{" * 100_000, "(" * 100_000 + ")" * 100_000, "'\ud800\\x'", "1j+1j", "inf",
    ],
    ids=lambda text: text[:12].encode("ascii", "backslashreplace").decode(),
)  # fmt: skip
def test_what_is_no_literal_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        literal_of(text)


@given(st.text("[](){},:'\"\\ \n1.ej+-bruNoneTrue", max_size=30))
def test_noise_raises_nothing_else(text: str) -> None:
    try:
        value = literal_of(text)
    except ValueError:
        return
    assert repr(value)
    assert not (isinstance(value, float) and math.isnan(value))


CHILD = """
import resource, sys
from ast import literal_eval
from codejury.dataset.literal import literal_of
resource.setrlimit(resource.RLIMIT_AS, (300 << 20,) * 2)
text = "[" + "1," * 500_000 + "]"
print(len({way}(text)))
"""


def test_a_long_list_takes_the_memory_of_its_values() -> None:
    def run(way: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", CHILD.format(way=way)], capture_output=True, text=True, check=False
        )

    assert run("literal_eval").returncode != 0, "the attack works on ast.literal_eval"
    assert run("literal_of").stdout == "500000\n"
