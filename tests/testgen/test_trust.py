"""Trust: right checkers and validators have it, wrong ones that look right do not, and the evidence says why."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from testgen import doubtful
from testgen.doubtful import klear

from codejury import Sandbox
from codejury.dataset import read_problems
from codejury.errors import UsageError
from codejury.model import Checker, Limits, Problem, Submission, TestCase
from codejury.testgen.rows import Validator
from codejury.testgen.trust import checker_trust, chosen, gold_outputs, trusts, validator_trust
from codejury.testgen.trust.settled import Settled, stated_tolerance

# ── Checkers ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_right_checker(sandbox: Sandbox) -> None:
    trust = checker_trust(sandbox, klear(doubtful.SUBSET_RIGHT), doubtful.SUBSET_CASES, doubtful.SUBSET_OUTPUTS)
    assert trust.trusted, trust.evidence()
    assert (trust.reasons, trust.misses, trust.evidence()) == ((), (), "")
    assert trust.accepts.count == trust.accepts.total > 2 * len(doubtful.SUBSET_CASES)
    assert trust.rejects.count == trust.rejects.total > 100
    assert trust.loose.total > 0
    assert {"empty", "word", "nan", "extra_word", "wrapped", "another_test"} <= set(trust.kinds)


@pytest.mark.parametrize("name", doubtful.SUBSET_WRONG)
def test_wrong_checker(sandbox: Sandbox, name: str) -> None:
    source, word = doubtful.SUBSET_WRONG[name]
    trust = checker_trust(sandbox, klear(source), doubtful.SUBSET_CASES, doubtful.SUBSET_OUTPUTS, max_runs=150)
    assert not trust.trusted
    assert word in " ".join(trust.reasons), trust.reasons
    assert trust.misses


@pytest.mark.parametrize("golds", [1, 2])
def test_tolerance(sandbox: Sandbox, golds: int) -> None:
    statement = doubtful.MEAN_STATEMENT if golds == 1 else ""
    outputs = doubtful.MEAN_OUTPUTS[:golds]
    right = checker_trust(
        sandbox, klear(doubtful.MEAN_RIGHT), doubtful.MEAN_CASES, outputs, statement=statement, max_runs=150
    )
    assert right.trusted, right.evidence()
    for source, word in doubtful.MEAN_WRONG.values():
        wrong = checker_trust(sandbox, klear(source), doubtful.MEAN_CASES, outputs, statement=statement, max_runs=120)
        assert not wrong.trusted
        assert word in " ".join(wrong.reasons), wrong.reasons


def test_checker_that_hangs_on_junk(sandbox: Sandbox) -> None:
    source = doubtful.SUBSET_RIGHT.replace("        return False\n", "        while True: pass\n", -1)
    trust = checker_trust(
        sandbox, klear(source), doubtful.SUBSET_CASES, doubtful.SUBSET_OUTPUTS, limits=Limits(cpu_s=0.2)
    )
    assert not trust.trusted
    assert "fails" in " ".join(trust.reasons)
    assert "0.2 s of CPU time" in trust.evidence()
    assert trust.runs < 200, "it was given up"


def test_other_contracts(sandbox: Sandbox) -> None:
    """An exit code in place of a verdict; a checker in a language that is not there."""
    source = (
        "import sys\nfrom checker_of_subset import is_valid_output\n"
        "texts = [open(name).read() for name in sys.argv[1:4]]\n"
        "sys.exit(0 if is_valid_output(*texts) else 1)\n"
    )
    files = {"checker_of_subset.py": doubtful.SUBSET_RIGHT.encode()}
    checker = Checker(kind="testlib", source=source, language="python", files=files)
    trust = checker_trust(sandbox, checker, doubtful.SUBSET_CASES, doubtful.SUBSET_OUTPUTS, max_runs=90)
    assert trust.trusted, trust.evidence()
    nowhere = checker_trust(sandbox, Checker(kind="testlib", source="x", language="klingon"), doubtful.SUBSET_CASES)
    assert not nowhere.trusted
    assert "cannot be run" in nowhere.reasons[0]


def test_same_each_time(sandbox: Sandbox) -> None:
    source, _ = doubtful.SUBSET_WRONG["no range"]
    one, other = (
        checker_trust(sandbox, klear(source), doubtful.SUBSET_CASES, doubtful.SUBSET_OUTPUTS, max_runs=90, seed=3)
        for _ in range(2)
    )
    assert one == other


def test_wrong_programs(sandbox: Sandbox) -> None:
    """A checker that does not look for repeated places is given away by programs that repeat them."""
    cases, outputs = doubtful.SUBSET_CASES[:3], [each[:3] for each in doubtful.SUBSET_OUTPUTS]
    source = doubtful.SUBSET_RIGHT.replace("len(set(places)) != len(places)", "False")
    wrong = [["YES\n2\n3 3\n".replace("3 3", f"{at} {at}") for at in places] for places in ((3, 2, 1), (9, 3, 4))]
    assert checker_trust(sandbox, klear(doubtful.SUBSET_RIGHT), cases, outputs, wrong_outputs=wrong).trusted
    by_hand = [
        [f"YES\n{len(places)}\n{' '.join(map(str, places))}\n", None, None]
        for places in ([1, 3, 3], [3, 3, 1], [3, 1, 3])
    ]
    seen = checker_trust(sandbox, klear(source), cases, outputs, wrong_outputs=by_hand)
    assert "3 wrong programs" in " ".join(seen.reasons)
    assert (seen.wrong_programs.count, seen.wrong_programs.total) == (0, 3)
    assert "1 3 3" in seen.evidence()


def test_evidence_is_short_and_has_the_case(sandbox: Sandbox) -> None:
    source, _ = doubtful.SUBSET_WRONG["always True"]
    trust = checker_trust(sandbox, klear(source), doubtful.SUBSET_CASES, doubtful.SUBSET_OUTPUTS, max_runs=90)
    for most in (400, 1000, 2400):
        text = trust.evidence(most)
        assert len(text) <= most
        assert "must be rejected, but it was accepted" in text
    assert "input:\n4 7\n3 4 2 5" in trust.evidence()
    assert "of" in trust.evidence(60)


def test_a_part_that_is_not_looked_at(sandbox: Sandbox) -> None:
    """One gold, so that nothing is settled; every output of the right form is accepted, in some part or in all."""
    cases = [TestCase(input=f"{n}\n", output=f"{n} 3 7\n") for n in (4, 5, 6, 8)]
    form = "def is_valid_output(given, got, expected):\n    words = got.split()\n"
    form += "    if not words or not all(word.lstrip('-').isdecimal() for word in words):\n        return False\n"
    for check, word in (
        ("True", "a changed value, line or order"),
        ("len(words) == 3 and words[:2] == expected.split()[:2]", "whatever stands in the last word"),
    ):
        trust = checker_trust(sandbox, klear(f"{form}    return {check}\n"), cases)
        assert not trust.trusted
        assert word in " ".join(trust.reasons), trust.reasons
        assert "it may be right, but too little of the kind is rejected" in trust.evidence()


def test_letters_of_words(sandbox: Sandbox) -> None:
    """A way as a word: its length alone is looked at."""
    cases = [TestCase(input=f"{n}\n", output="ruldlu"[:n] + "\n") for n in (2, 3, 4, 6)]
    source = "def is_valid_output(given, got, expected):\n"
    source += (
        "    return len(got.split()) == 1 and len(got.split()[0]) == int(given) and set(got.strip()) <= set('ruld')\n"
    )
    trust = checker_trust(sandbox, klear(source), cases)
    assert "a word with letters changed" in " ".join(trust.reasons)
    assert checker_trust(
        sandbox, klear(source.replace("int(given)", "int(given) and got.split() == expected.split()")), cases
    ).trusted


def test_no_tests(sandbox: Sandbox) -> None:
    trust = checker_trust(sandbox, klear(doubtful.SUBSET_RIGHT), [])
    assert not trust.trusted
    assert trust.runs == 0
    with pytest.raises(UsageError, match="8 cases"):
        checker_trust(sandbox, klear(doubtful.SUBSET_RIGHT), doubtful.SUBSET_CASES, [["YES\n"]])
    with pytest.raises(UsageError, match="case 0"):
        checker_trust(sandbox, klear(doubtful.SUBSET_RIGHT), [TestCase(input="1\n", output=None)])


def test_chosen() -> None:
    cases = [TestCase(input=str(n) * n, output="1\n") for n in range(1, 60)]
    found = chosen([*cases, *cases, TestCase(input="x", output=None), TestCase(input=[1], output=2)], 10)
    assert len(found) == 10
    assert (found[0], found[-1]) == (cases[0], cases[-1])
    assert chosen([TestCase(input="1", output="x" * 300_000)]) == []


def test_gold_outputs(sandbox: Sandbox) -> None:
    golds = (
        Submission(source="print(int(input()) + 1)", language="python"),
        Submission(source="print(6 // int(input()))", language="python"),
        Submission(source="x", language="klingon"),
        Submission(source="int main( {", language="cpp"),
    )
    problem = Problem(golds=golds)
    cases = [TestCase(input="2\n", output="3\n"), TestCase(input="0\n", output="1\n")]
    assert gold_outputs(sandbox, problem, cases) == [["3\n", "1\n"], ["3\n", None]]


# ── What is settled ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_settled_places() -> None:
    settled = Settled(doubtful.SUBSET_CASES, doubtful.SUBSET_OUTPUTS)
    assert settled.range
    assert settled.differs("YES\n1\n3\n", "NO\n")
    assert settled.differs("YES\n1\n3\n", "")
    assert not settled.differs("YES\n1\n3\n", "yes\n2\n1 2\n"), "they differ in how many, and in which"


def test_settled_where_golds_never_differ() -> None:
    cases = [TestCase(input=f"{n}\n", output=f"{n} {n}.5 yes {chr(97 + n) * 3}\n") for n in range(5)]
    same = [case.output for case in cases]
    two, three = (Settled(cases, [same] * count) for count in (2, 3))
    few = Settled(cases[:4], [same[:4]] * 3)
    assert three.differs("1 1.5 yes bbb", "2 1.5 yes bbb")
    assert three.differs("1 1.5 yes bbb", "1 1.5 yes bcb")
    for settled in (two, few):
        assert not settled.differs("1 1.5 yes bbb", "2 1.5 yes bcb"), "they may break ties alike"
    for settled in (two, few, three):
        assert settled.differs("1 1.5 yes bbb", "1 1.6 yes bbb")
        assert settled.differs("1 1.5 yes bbb", "1 1.5 no bbb")
        assert settled.differs("1 1.5 yes bbb", "1 1.5 yes bbb 1")
        assert settled.differs("1 1.5 yes bbb", "none 1.5 yes bbb")
        assert not settled.differs("1 1.5 yes bbb", "1 1.500000001 YES bbb")
    alone = Settled(cases, [same])
    assert not alone.differs("1 1.5 yes bbb", "7 7 7"), "nobody to agree with"


def test_settled_looks() -> None:
    """They choose different numbers, but numbers where there are some."""
    cases = [TestCase(input="", output=text) for text in ("3\n", "none\n", "5\n", "9\n")]
    settled = Settled(cases, [["3\n", "none\n", "5\n", "9\n"], ["4\n", "none\n", "5\n", "8\n"]])
    assert settled.differs("3\n", "none\n")
    assert settled.differs("none\n", "3\n")
    assert not settled.differs("3\n", "7\n")


def test_one_fraction() -> None:
    cases = [TestCase(input=f"{n}\n", output=f"{n / 2}\n") for n in range(3)]
    assert Settled(cases, []).differs("0.5\n", "0.6\n")
    assert not Settled(cases, []).differs("0.5\n", "0.50000001\n")
    assert not Settled(cases, [], "an error of 10^-1 is fine").differs("0.5\n", "0.6\n")
    assert not Settled(cases, [["0.0\n", "0.7\n", "1.0\n"]]).differs("0.5\n", "0.6\n"), "somebody differs"
    whole = [TestCase(input=f"{n}\n", output=f"{n}\n") for n in range(3)]
    assert not Settled(whole, []).differs("1\n", "2\n")


def test_statements_are_read_in_linear_time() -> None:
    assert stated_tolerance("precis" * 30_000) is None
    assert stated_tolerance("precis" + "s" * 150_000) is None


def test_range_needs_numbers_from_nought() -> None:
    cases = [TestCase(input="-3\n", output="1\n")]
    assert not Settled(cases, [["1\n"]]).range
    assert not Settled([TestCase(input="3\n", output="1\n")], [["-1\n"]]).range


@pytest.mark.parametrize(
    ("text", "tolerance"),
    [
        ("an absolute error of at most $10^{-6}$", 1e-6),
        ("within 10^-4 or 10^-9", 1e-4),
        ("an error below 1e-5", 1e-5),
        ("An error of at most 0.01 is fine", 0.01),
        ("the price is at least 0.01", None),
        ("1 <= n <= 10^5", None),
    ],
)
def test_stated_tolerance(text: str, tolerance: float | None) -> None:
    found = stated_tolerance(text)
    assert found == (tolerance if tolerance is None else pytest.approx(tolerance))


# ── Validators ───────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("source", [doubtful.LIST_RIGHT, doubtful.LIST_RAISES], ids=["right", "raises"])
def test_right_validator(sandbox: Sandbox, source: str) -> None:
    trust = validator_trust(
        sandbox, [Validator(source=source)], doubtful.LIST_INPUTS, statement=doubtful.LIST_STATEMENT
    )
    assert trust.trusted, trust.evidence()
    assert trust.accepts.count == len(doubtful.LIST_INPUTS)
    assert {"empty", "letter", "count", "missing_word", "extra_text", "below", "above"} <= set(trust.kinds)


@pytest.mark.parametrize("name", doubtful.LIST_WRONG)
def test_wrong_validator(sandbox: Sandbox, name: str) -> None:
    source, word = doubtful.LIST_WRONG[name]
    trust = validator_trust(
        sandbox, [Validator(source=source)], doubtful.LIST_INPUTS, statement=doubtful.LIST_STATEMENT
    )
    assert not trust.trusted
    assert word in " ".join(trust.reasons), trust.reasons
    assert "input:" in trust.evidence()
    assert len(trust.evidence(700)) <= 700


def test_two_validators_make_up_for_each_other(sandbox: Sandbox) -> None:
    parts = [doubtful.LIST_WRONG["no upper bound"][0], doubtful.LIST_WRONG["no count"][0]]
    trust = validator_trust(
        sandbox,
        [Validator(source=part) for part in parts],
        doubtful.LIST_INPUTS,
        statement=doubtful.LIST_STATEMENT,
    )
    assert trust.trusted, trust.evidence()


def test_validator_flags(sandbox: Sandbox) -> None:
    source = "import sys\nn = int(sys.stdin.read())\nsys.exit(42 if 1 <= n <= int(sys.argv[1]) else 43)\n"
    for most, is_trusted in (("9", True), ("7", False)):
        validator = Validator(source=source, kind="kattis", language="python", args=(most,))
        trust = validator_trust(sandbox, [validator], ["3\n", "8\n", "1\n"])
        assert trust.trusted == is_trusted, trust.reasons


def test_validator_without_inputs(sandbox: Sandbox) -> None:
    assert not validator_trust(sandbox, [Validator(source=doubtful.LIST_RIGHT)], ["", "\n"]).trusted
    unknown = validator_trust(sandbox, [Validator(source="x", kind="kattis", language="klingon")], ["1\n"])
    assert "cannot be run" in unknown.reasons[0]


# ── Problems ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_package_with_flags_of_groups(sandbox: Sandbox, tmp_path: Path) -> None:
    package = tmp_path / "sum"
    files = {
        "problem.yaml": "name: sum\nvalidation: custom\n",
        "data/sample/1.in": "2\n",
        "data/sample/1.ans": "3\n",
        "data/secret/small/1.in": "9\n",
        "data/secret/small/1.ans": "10\n",
        "data/secret/small/testdata.yaml": "input_validator_flags: most=9\n",
        "data/secret/large/1.in": "70\n",
        "data/secret/large/1.ans": "71\n",
        "data/secret/testdata.yaml": "input_validator_flags: most=99\n",
        "input_validators/check.py": "import sys\nmost = 5\nfor flag in sys.argv[1:]:\n    exec(flag)\n"
        "n = int(sys.stdin.read())\nsys.exit(42 if 1 <= n <= most else 43)\n",
        "input_validators/grammar.ctd": "INT(1, 5) NEWLINE EOF\n",
        "output_validators/check/main.py": "import sys\nanswer = open(sys.argv[2]).read().split()\n"
        "sys.exit(42 if sys.stdin.read().split() == answer else 43)\n",
        "submissions/accepted/one.py": "print(int(input()) + 1)\n",
    }
    for name, text in files.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text)
    (problem,) = read_problems(package)
    found = trusts(sandbox, problem)
    assert found.checker is not None
    assert found.checker.trusted, found.checker.evidence()
    assert found.validator is not None
    assert found.validator.trusted, found.validator.evidence()
    assert found.validator.accepts.count == 3
    (package / "data/secret/small/1.in").write_text("10\n")
    again = trusts(sandbox, problem)
    assert not again.trusted
    assert again.validator is not None
    assert again.validator.reasons == ("of 1 valid inputs it accepts 0",)


def test_row_of_a_function(sandbox: Sandbox) -> None:
    """Its validator is given the arguments one a line; there is no checker to try."""
    source = "import json\ndef is_valid_input(text):\n    a, b = map(json.loads, text.splitlines())\n"
    source += "    return type(a) is int and type(b) is int and 0 <= a <= 9 and 0 <= b <= 9\n"
    cases = tuple(TestCase(input=[a, 7 - a], output=7) for a in range(5))
    found = trusts(sandbox, Problem(kind="function", fn_name="f", cases=cases, extra={"input_validator": source}))
    assert found.checker is None
    assert found.validator is not None
    assert found.validator.trusted, found.validator.evidence()
    assert found.trusted


@pytest.mark.parametrize("name", ["badges", "gathering"])
def test_examples(sandbox: Sandbox, root: Path, name: str) -> None:
    (problem,) = (each for each in read_problems(root / "examples" / "problems.jsonl") if each.id == name)
    found = trusts(sandbox, problem)
    assert found.checker is not None
    assert found.checker.trusted, found.checker.evidence()
    if found.validator is not None:
        assert found.validator.trusted, found.validator.evidence()


@pytest.mark.parametrize(("name", "is_trusted"), [("jatten", True), ("espressobucks", False)])
def test_real_packages(sandbox: Sandbox, root: Path, name: str, is_trusted: bool) -> None:
    """The second has a true fault: it looks for more output at the end of the input."""
    folder = Path(os.environ.get("CODEJURY_SHARED") or root.parent / "shared") / "data" / "kattis" / name
    if not folder.is_dir():
        pytest.skip(f"no real data: neither `shared` beside the repository nor CODEJURY_SHARED has data/kattis/{name}")
    (problem,) = read_problems(folder)
    found = trusts(sandbox, problem)
    assert found.checker is not None
    assert found.checker.trusted is is_trusted, found.checker.evidence()
    if not is_trusted:
        assert "behind the end" in json.dumps(found.checker.reasons)
