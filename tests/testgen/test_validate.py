"""Input validators of three kinds: what they accept stays, the rest goes, with their words."""

from __future__ import annotations

import pytest
from testgen.rows import row

from codejury.testgen import validate
from codejury.testgen.crew import Crew
from codejury.testgen.inputs import Input
from codejury.testgen.rows import Validator, task_of
from codejury.testgen.trouble import Drops, Trouble

KLEAR = """def is_valid_input(input_str):
    print('True')
    n = int(input_str)
    return 1 <= n <= 10

if __name__ == '__main__':
    print(False)
"""
KATTIS = """import re, sys
line = sys.stdin.readline()
assert re.fullmatch('[1-9][0-9]*', line.strip()), 'a number'
assert int(line) <= 10
sys.exit(42)
"""
TESTLIB = """#include <iostream>
int main() { int n; if (!(std::cin >> n) || n < 1 || n > 10) { std::cerr << "FAIL n = " << n; return 3; } return 0; }
"""


def kept(crew: Crew, validator: object, texts: list[str]) -> tuple[list[str], Drops]:
    drops = Drops()
    task = task_of(row(input_validator=validator), where="row, line 1")
    found = [Input(value=text, generator=0, position=at) for at, text in enumerate(texts)]
    return [each.value for each in validate.keep_valid(crew, 0, task, found, drops)], drops


@pytest.mark.parametrize("source", [KLEAR, KATTIS, TESTLIB], ids=["klear", "kattis", "testlib"])
def test_what_is_accepted_stays(crew: Crew, source: str) -> None:
    found, drops = kept(crew, [source], ["1", "11", "10\n", "0", "5"])
    assert found == ["1", "10\n", "5"]
    (told,) = drops.as_json()
    assert (told["reason"], told["positions"]) == ("invalid", [[0, 1], [0, 3]])
    assert told["first"].startswith("validator 0: ")


def test_all_validators_must_accept(crew: Crew) -> None:
    even = "def is_valid_input(text):\n    return int(text) % 2 == 0\n"
    assert kept(crew, [KLEAR, even], ["1", "2", "12"])[0] == ["2"]


def test_a_row_without_validators_keeps_all(crew: Crew) -> None:
    assert kept(crew, None, ["x"])[0] == ["x"]


def test_a_validator_that_fails_accepts_nothing(crew: Crew) -> None:
    found, drops = kept(crew, KLEAR, ["x", "3"])
    assert found == ["3"]
    (told,) = drops.as_json()
    assert told["reason"] == "validator failed"
    assert "ValueError" in told["first"]
    for source, words in (("int main() { *(int*)0 = 1; }", "signal"), ("int main() { nonsense }", "nonsense")):
        with pytest.raises(Trouble, match=words) as caught:
            kept(crew, {"source": source, "language": "c"}, ["1"])
        assert caught.value.step == "validate"


@pytest.mark.parametrize(
    ("validator", "kind"),
    [
        (Validator(source=KLEAR), "klear"),
        (Validator(source=KATTIS), "kattis"),
        (Validator(source=TESTLIB), "testlib"),
        (Validator(source='#include "testlib.h"\nint x = 42;'), "testlib"),
        (Validator(source=TESTLIB, kind="kattis"), "kattis"),
    ],
)
def test_kinds(validator: Validator, kind: str) -> None:
    assert validate.kind_of(validator) == kind


def test_the_kind_that_a_row_says_counts(crew: Crew) -> None:
    found, _ = kept(
        crew, [{"source": "import sys\nsys.exit(42 if '1' in input() else 0)\n", "kind": "testlib"}], ["1", "2"]
    )
    assert found == ["2"]


def test_a_validator_may_bring_files(crew: Crew) -> None:
    validator = {
        "source": '#include "bounds.h"\n#include <stdio.h>\nint main() { int n; scanf("%d", &n); return n > MOST; }',
        "files": {"bounds.h": "#define MOST 5\n"},
        "language": "c",
    }
    assert kept(crew, [validator], ["5", "6"])[0] == ["5"]
