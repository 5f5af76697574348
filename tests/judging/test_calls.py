"""Functions called in the sandbox, what their answers are worth, and how values are compared.

The encoding itself is tested in test_values.py; hostile candidates are in tests/attacks/verdict.
"""

from __future__ import annotations

import collections
import gzip
import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import pytest

import codejury
from codejury.dataset.formats.evalplus import _table
from codejury.dataset.problems import problem_of
from codejury.judging import calls
from codejury.judging.values import Array, Large, encode
from codejury.model import CaseResult, Comparison, Limits, Outcome, TestCase

NAN = float("nan")
LIMITS = Limits(cpu_s=2, wall_s=4)


def judged(
    sandbox: codejury.Sandbox, source: str, args: list[Any], output: Any, fn_name: str = "solve", **options: Any
) -> CaseResult:
    case = TestCase(input=args, output=output, provenance="here")
    return calls.judge_call(sandbox, source, fn_name, case, **{"limits": LIMITS, **options})


# --- calling ---------------------------------------------------------------------------------------------------------


def test_a_right_answer(sandbox: codejury.Sandbox) -> None:
    found = judged(sandbox, "def solve(a, b): return a + b", [1, 2], 3, index=7)
    assert (found.verdict, found.index, found.output, found.message, found.provenance) == (
        "success",
        7,
        "3",
        "",
        "here",
    )
    assert found.cpu_s > 0


def test_a_wrong_answer_tells_the_difference(sandbox: codejury.Sandbox) -> None:
    found = judged(sandbox, "def solve(n): return [n, {'a': n}]", [1], [1, {"a": 2}])
    assert (found.verdict, found.message) == ("wrong_answer", "at [1]['a']: expected 2, got 1")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("def solve(n): return 1 // 0", "ZeroDivisionError"),
        ("def solve(n):\n    raise SystemExit(0)", "SystemExit: 0"),
        ("import os\ndef solve(n): os._exit(0)", "ended before its function returned"),
        ("def other(n): return n", "defines no function 'solve'"),
        ("def solve(n) return n", "SyntaxError"),
        ("import nowhere", "ModuleNotFoundError"),
        ("def solve(a, b): return a", "missing 1 required positional argument"),
    ],
)
def test_a_runtime_error_says_what_was_raised(sandbox: codejury.Sandbox, source: str, message: str) -> None:
    found = judged(sandbox, source, [1], 1)
    assert found.verdict == "runtime_error"
    assert message in found.message
    assert "codejury" not in found.message


def test_traceback_names_the_candidates_own_lines(sandbox: codejury.Sandbox) -> None:
    found = judged(sandbox, "def inner():\n    return {}['key']\n\n\ndef solve(n):\n    return inner()\n", [1], 1)
    assert 'solution.py", line 2, in inner' in found.message
    assert found.message.endswith("KeyError: 'key'")


@pytest.mark.parametrize("value", ["object()", "(x for x in [1])", "len", "[{1: object()}]", "map(str, [1])"])
def test_an_answer_that_is_no_data_is_a_format_error(sandbox: codejury.Sandbox, value: str) -> None:
    assert judged(sandbox, f"def solve(n): return {value}", [1], 1).verdict == "format_error"


def test_limits_have_their_verdicts(sandbox: codejury.Sandbox) -> None:
    assert judged(sandbox, "def solve(n):\n    while True: pass", [1], 1).verdict == "time_limit_exceeded"
    hog = "def solve(n): return len(bytearray(n))"
    case = TestCase(input=[400 << 20], output=400 << 20)
    found = calls.judge_call(sandbox, hog, "solve", case, limits=Limits(memory_mb=100))
    assert found.verdict == "memory_limit_exceeded"


def test_what_is_printed_is_no_answer(sandbox: codejury.Sandbox) -> None:
    source = "import os\nprint('loading')\ndef solve(n):\n    print(n)\n    os.write(1, b'raw')\n    return n"
    assert judged(sandbox, source, [5], 5).verdict == "success"


def test_the_main_block_is_not_run(sandbox: codejury.Sandbox) -> None:
    source = "def solve(n): return n\nif __name__ == '__main__':\n    solve(int(input()))\n    raise SystemExit(1)"
    assert judged(sandbox, source, [5], 5).verdict == "success"


def test_standard_input_is_empty(sandbox: codejury.Sandbox) -> None:
    assert judged(sandbox, "import sys\ndef solve(n): return sys.stdin.read()", [5], "").verdict == "success"


def test_each_case_has_a_process_of_its_own(sandbox: codejury.Sandbox) -> None:
    source = "seen = []\ndef solve(n):\n    seen.append(n)\n    return len(seen)"
    assert [judged(sandbox, source, [n], 1).verdict for n in range(3)] == ["success"] * 3


def test_files_lie_beside_the_candidate(sandbox: codejury.Sandbox) -> None:
    source = "import side\ndef solve(n): return side.double(n) + int(open('data.txt').read())"
    files = {"side.py": "def double(n): return 2 * n", "data.txt": "1"}
    assert judged(sandbox, source, [4], 9, files=files).verdict == "success"


def test_arguments_of_every_kind_arrive(sandbox: codejury.Sandbox) -> None:
    value = [
        None,
        2**100,
        1.5,
        "ü\ud800",
        b"b",
        (1, {2}),
        {"k": frozenset({3})},
        collections.deque([1], 2),
        Decimal("1.10"),
    ]
    source = "def solve(x): return [type(each).__name__ for each in x], x"
    names = [type(each).__name__ for each in value]
    assert judged(sandbox, source, [value], (names, value)).verdict == "success"


def test_arguments_that_are_no_data_are_the_callers_fault(sandbox: codejury.Sandbox) -> None:
    with pytest.raises(
        codejury.UsageError, match="arguments of solve: expected plain data, got a value of type object"
    ):
        judged(sandbox, "", [object()], 1)


# --- answers ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "verdict"),
    [
        (lambda raw: raw, None),
        (lambda raw: b"", "runtime_error"),
        (lambda raw: raw + raw, "format_error"),
        (lambda raw: raw + b"\n", "format_error"),
        (lambda raw: b"\n" + raw, "format_error"),
        (lambda raw: raw[:-1], "format_error"),
        (lambda raw: bytes(16) + raw[16:], "format_error"),
        (lambda raw: raw[:16] + b"?" + raw[17:], "format_error"),
        (lambda raw: raw[:21] + b"?" + raw[22:], "format_error"),
    ],
)
def test_an_answer_is_one_frame_and_nothing_else(sandbox: codejury.Sandbox, change: Any, verdict: str | None) -> None:
    call = calls.call_of(sandbox, "def solve(n): return n", "solve", [5])
    outcome = sandbox.run_job(call.job)
    found = calls.answer_of(msgspec.structs.replace(outcome, stdout=change(outcome.stdout)), call)
    assert found.verdict == verdict
    assert found.value == (5 if verdict is None else None)


def test_an_answer_from_a_run_that_failed_does_not_count(sandbox: codejury.Sandbox) -> None:
    call = calls.call_of(sandbox, "def solve(n): return n", "solve", [5])
    outcome = sandbox.run_job(call.job)
    failed = msgspec.structs.replace(outcome, status="runtime_error", exit_code=1)
    assert calls.answer_of(failed, call).verdict == "runtime_error"


def test_an_answer_to_another_call_does_not_count(sandbox: codejury.Sandbox) -> None:
    one, other = (calls.call_of(sandbox, "def solve(n): return n", "solve", [n]) for n in (5, 6))
    assert calls.answer_of(sandbox.run_job(one.job), other).verdict == "format_error"


@pytest.mark.parametrize(
    ("status", "verdict"),
    [
        ("ok", None),
        ("wall_limit_exceeded", "time_limit_exceeded"),
        ("disk_limit_exceeded", "runtime_error"),
        ("process_limit_exceeded", "runtime_error"),
        ("compile_error", "compile_error"),
        ("output_limit_exceeded", "output_limit_exceeded"),
    ],
)
def test_every_ending_has_its_verdict(status: Any, verdict: str | None) -> None:
    used = {"cpu_s": 0.0, "wall_s": 0.0, "memory_mb": 0.0}
    outcome = Outcome(status=status, exit_code=0, signal=None, stdout=b"", stderr=b"", level="full", layers=(), **used)
    assert calls.verdict_of(outcome) == verdict


# --- LeetCode --------------------------------------------------------------------------------------------------------

MERGE = """
class Solution:
    def merge(self, a: Optional[ListNode], b: Optional[ListNode]) -> Optional[ListNode]:
        heap = []
        for node in (a, b):
            while node:
                heappush(heap, node.val)
                node = node.next
        head = tail = ListNode()
        while heap:
            tail.next = ListNode(heappop(heap))
            tail = tail.next
        return head.next
"""
INVERT = """
class TreeNode(object):
    def __init__(self, val=0, left=None, right=None):
        self.val, self.left, self.right = val, left, right

class Solution:
    def invert(self, root: 'Optional[TreeNode]') -> 'Optional[TreeNode]':
        if root:
            root.left, root.right = self.invert(root.right), self.invert(root.left)
        return root
"""
MANY = """
class Solution:
    def heads(self, lists: List[Optional[ListNode]]) -> List[int]:
        return [each.val for each in lists if each]
    def tails(self, head: Optional[ListNode]) -> List[Optional[ListNode]]:
        return [head, head.next, None]
"""
UNNAMED = (
    "class Solution:\n    def last(self, head):\n        while head.next: head = head.next\n        return head.val"
)


@pytest.mark.parametrize(
    ("source", "name", "args", "output"),
    [
        (MERGE, "merge", [[1, 4], [2, 3]], [1, 2, 3, 4]),
        (MERGE, "merge", [[], []], []),
        (INVERT, "invert", [[4, 2, 7, 1, 3, None, 9]], [4, 7, 2, 9, None, 3, 1]),
        (INVERT, "invert", [[]], []),
        (INVERT, "invert", [[1, None, 2, 3]], [1, 2, None, None, 3]),
        (MANY, "heads", [[[1, 2], [], [3]]], [1, 3]),
        (MANY, "tails", [[1, 2]], [[1, 2], [2], []]),
        ("class Solution:\n    def f(self, n: List[int]) -> int:\n        return Counter(n)[inf]", "f", [[1]], 0),
        ("class Solution:\n    def inv(self, n): return bisect.bisect_left(n, 2)", "inv", [[1, 2]], 1),
        ("class Solution:\n    def f(self, n: List[int]) -> None:\n        n.sort()", "f", [[3, 1]], [1, 3]),
        ("class Solution:\n    def f(self, n: List[int]) -> None:\n        n.sort()", "f", [[3, 1]], None),
        ("class Solution:\n    def sqrt(self, n): return int(sqrt(n))", "sqrt", [9], 3),
    ],
)
def test_leetcode(sandbox: codejury.Sandbox, source: str, name: str, args: list[Any], output: Any) -> None:
    found = judged(sandbox, source, args, output, fn_name=name)
    assert (found.verdict, found.message) == ("success", "")


def test_starter_code_says_what_a_candidate_without_annotations_gets(sandbox: codejury.Sandbox) -> None:
    starter = "class Solution:\n    def last(self, head: Optional[ListNode]) -> int:\n        "
    assert judged(sandbox, UNNAMED, [[1, 2, 3]], 3, fn_name="last", starter_code=starter).verdict == "success"
    assert judged(sandbox, UNNAMED, [[1, 2, 3]], 3, fn_name="last").verdict == "runtime_error"


def test_linked_lists_and_trees_without_an_end_are_refused(sandbox: codejury.Sandbox) -> None:
    ring = "class Solution:\n    def f(self, n):\n        a = ListNode(1)\n        a.next = a\n        return a"
    loop = "class Solution:\n    def f(self, n):\n        a = TreeNode(1)\n        a.left = a\n        return a"
    for source, message in ((ring, "a linked list without an end"), (loop, "a tree without an end")):
        case = TestCase(input=[1], output=[1])
        found = calls.judge_call(sandbox, source, "f", case, limits=Limits(cpu_s=20))
        assert (found.verdict, message in found.message) == ("format_error", True)


def test_only_a_solution_gets_names_for_free(sandbox: codejury.Sandbox) -> None:
    found = judged(sandbox, "def solve(n): return Counter(n)", [[1]], {1: 1})
    assert found.verdict == "runtime_error"
    assert "NameError" in found.message


def test_what_a_solution_defines_itself_wins(sandbox: codejury.Sandbox) -> None:
    source = "def gcd(a, b): return 7\nclass Solution:\n    def f(self, n): return gcd(4, 6)"
    assert judged(sandbox, source, [1], 7, fn_name="f").verdict == "success"


# --- golds -----------------------------------------------------------------------------------------------------------


def test_a_gold_answers_many_calls_in_order(sandbox: codejury.Sandbox) -> None:
    found = calls.gold_answers(
        sandbox, "def solve(a, b): return a * b", "solve", [[n, 2] for n in range(450)], batch=100
    )
    assert [answer.value for answer in found] == [2 * n for n in range(450)]
    assert {answer.verdict for answer in found} == {None}


def test_a_gold_that_fails_on_some_inputs_answers_the_others(sandbox: codejury.Sandbox) -> None:
    source = "import os\ndef solve(n):\n    if n == 3: os._exit(1)\n    return 10 // (n - 5) if n != 7 else object()"
    found = calls.gold_answers(sandbox, source, "solve", [[n] for n in range(10)])
    assert [answer.verdict for answer in found] == [
        None, None, None, "runtime_error", None, "runtime_error", None, "format_error", None, None,
    ]  # fmt: skip
    assert found[9].value == 2


def test_a_gold_that_is_slow_on_many_inputs_is_not_asked_twice_for_each(
    sandbox: codejury.Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs, run_job = [], sandbox.run_job
    monkeypatch.setattr(sandbox, "run_job", lambda job: runs.append(job) or run_job(job))
    source = "def solve(n):\n    while 3 <= n < 8: pass\n    return n"
    limits = codejury.Limits(cpu_s=0.2)
    found = calls.gold_answers(sandbox, source, "solve", [[n] for n in range(40)], limits=limits)
    slow = "time_limit_exceeded"
    assert [answer.verdict for answer in found] == [None] * 3 + [slow] * 5 + [None] * 32
    assert [answer.value for answer in found[8:]] == list(range(8, 40))
    in_batches, alone = 1, 5
    assert len(runs) == in_batches + alone + len(["8", "9-10", "11-14", "15-22", "23-38", "39"])


def test_calls_of_a_gold_share_no_arguments(sandbox: codejury.Sandbox) -> None:
    row = [1, 2]
    found = calls.gold_answers(sandbox, "def solve(x):\n    x.append(0)\n    return len(x)", "solve", [[row], [row]])
    assert [answer.value for answer in found] == [3, 3]
    assert row == [1, 2]


def test_a_gold_that_cannot_be_loaded_fails_on_all(sandbox: codejury.Sandbox) -> None:
    found = calls.gold_answers(sandbox, "1 / 0", "solve", [[1], [2]])
    assert [answer.verdict for answer in found] == ["runtime_error"] * 2


def test_a_match_is_a_yes_where_asked_for(sandbox: codejury.Sandbox) -> None:
    source = "import re\ndef solve(text): return re.match('a', text)"
    assert judged(sandbox, source, ["abc"], True, comparison=Comparison(oracle="not_none")).verdict == "success"
    assert judged(sandbox, source, ["xyz"], True, comparison=Comparison(oracle="not_none")).verdict == "wrong_answer"
    assert judged(sandbox, source, ["xyz"], False, comparison=Comparison(oracle="not_none")).verdict == "success"
    assert judged(sandbox, source, ["abc"], True).verdict == "format_error"
    found = calls.gold_answers(sandbox, source, "solve", [["a"], ["b"]], matches=True)
    assert [answer.value for answer in found] == [True, None]


# --- comparing -------------------------------------------------------------------------------------------------------

EQUAL = [
    (1, 1.0, {}),
    (True, 1, {}),
    (NAN, NAN, {}),
    ([NAN], [NAN], {}),
    (0.1 + 0.2, 0.3, {}),
    ([0.1 + 0.2, 1.0], [0.3, 1.0], {}),
    (1e20, 1e20 * (1 + 1e-8), {}),
    ([1, [2.00001]], [1, [2.0]], {"absolute": 1e-4}),
    (100, 101, {"absolute": 1.5}),
    (100.0, 109.0, {"relative": 0.1}),
    ((1, 2), [1, 2], {"tuple_is_list": True}),
    ([(1, 2)], [[1, 2]], {"tuple_is_list": True}),
    ({1, 2}, frozenset({1, 2}), {}),
    ({"a": 1, "b": 2}, collections.OrderedDict(b=2, a=1), {}),
    (collections.Counter("aab"), {"a": 2, "b": 1}, {}),
    (collections.Counter(a=1, b=0), collections.Counter(a=1), {}),
    (Fraction(1, 2), Decimal("0.5"), {}),
    (b"ab", bytearray(b"ab"), {}),
    (Array("<f8", (2,), [0.3, 1.0]), Array("<f8", (2,), [0.1 + 0.2, 1.0]), {}),
    (10**400, 10**400, {}),
]
DIFFERENT = [
    (1, 2, {}, "expected 1, got 2"),
    ("1", 1, {}, "expected '1', got 1 (str and int)"),
    ([1, 2], (1, 2), {}, "expected [1, 2], got (1, 2) (list and tuple)"),
    ([1, 2, 3], [1, 5], {}, "expected [1, 2, 3], got [1, 5] (lengths 3 and 2, first at [1])"),
    ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}, {}, "at ['a'][1]['b']: expected 2, got 3"),
    ({"a": 1}, {"b": 1}, {}, "expected {'a': 1}, got {'b': 1} (no key 'a')"),
    ({"a": 1}, {"a": 1, "b": 1}, {}, "expected {'a': 1}, got {'a': 1, 'b': 1} (key 'b' is too many)"),
    ({1, 2}, {1}, {}, "expected {1, 2}, got {1} (missing {2})"),
    ({1}, {1, 2}, {}, "expected {1}, got {1, 2} (too many: {2})"),
    (None, 0, {}, "expected None, got 0 (NoneType and int)"),
    (0.3, 0.31, {}, "expected 0.3, got 0.31"),
    ([[0.1 + 0.2]], [[0.3]], {}, "at [0][0]: expected 0.30000000000000004, got 0.3"),  # evalplus: only flat lists
    (10, 10.0000001, {}, "expected 10, got 10.0000001"),
    (1.0, NAN, {}, "expected 1.0, got nan"),
    (NAN, 1.0, {"absolute": 1e9}, "expected nan, got 1.0"),
    (float("inf"), 1e308, {"absolute": 1e9}, "expected inf, got 1e+308"),
    (10**400, 1.0, {"absolute": 1e9}, "expected an int of 1329 bits, got 1.0"),
    (1.5, "1.5", {}, "expected 1.5, got '1.5' (float and str)"),
    ([1.5], (1.5,), {}, "expected [1.5], got (1.5) (list and tuple)"),
    (collections.OrderedDict(a=1, b=2), collections.OrderedDict(b=2, a=1), {}, "the order of the keys"),
    (Array("<i8", (2,), [1, 2]), [1, 2], {}, "(Array and list)"),
    (Array("<i8", (1, 2), [1, 2]), Array("<i8", (2, 1), [1, 2]), {}, "shapes (1, 2) and (2, 1)"),
    (Array("<i8", (2,), [1, 2]), Array("<i8", (2,), [1, 3]), {}, "at .flat[1]: expected 2, got 3"),
]


@pytest.mark.parametrize(("expected", "got", "how"), EQUAL, ids=range(len(EQUAL)))
def test_equal_values(expected: Any, got: Any, how: dict[str, Any]) -> None:
    assert calls.compare_values(expected, got, Comparison(**how)) is None


@pytest.mark.parametrize(("expected", "got", "how", "message"), DIFFERENT, ids=range(len(DIFFERENT)))
def test_different_values(expected: Any, got: Any, how: dict[str, Any], message: str) -> None:
    found = calls.compare_values(expected, got, Comparison(**how))
    assert found is not None
    assert message in str(found)


@pytest.mark.parametrize(
    ("expected", "got", "equal"),
    [([5], 5, True), ([5], [5], True), ([5, 6], 5, False), ([5], 6, False), ([], 5, False)],
)
def test_an_expected_list_of_one_may_stand_for_its_element(expected: Any, got: Any, equal: bool) -> None:
    assert (calls.compare_values(expected, got, Comparison(unwrap=True)) is None) is equal
    if got != expected:
        assert calls.compare_values(expected, got) is not None


@pytest.mark.parametrize(
    ("oracle", "expected", "got", "args", "right"),
    [
        ("any_root", -2.0, 3.0, [[-6, -1, 1]], True),
        ("any_root", -2.0, 2.9, [[-6, -1, 1]], False),
        ("any_root", -2.0, "3", [[-6, -1, 1]], False),
        ("as_sets", (4, 5), [5, 4, 4], [], True),
        ("as_sets", (4, 5), [5], [], False),
        ("as_sets", (4, 5), 5, [], False),
        ("as_sets", (4, 5), [[5]], [], False),
        ("not_none", True, "match", [], True),
        ("not_none", True, None, [], False),
        ("not_none", False, None, [], True),
        ("not_none", True, False, [], False),
        ("not_none", None, False, [], True),
        ("not_none", None, "match", [], False),
        ("anything", 1, 2, [], True),
        ("or_zero", 7, 0, [], True),
        ("or_zero", 7, 7, [], True),
        ("or_zero", 7, 8, [], False),
        ("pyramid_area", 33, 33, [3, 4], True),
        ("pyramid_area", 33, 34.632, [3, 4], False),
        ("pyramid_area", 33, 9 + 6 * (18.25**0.5), [3, 4], True),
        ("digit_by_digit", 1, 1, [1, 2], True),
        ("digit_by_digit", 7, 5, [23, 56], False),
        ("digit_by_digit", 6, 6, [123, 256], True),
    ],
)
def test_oracles(oracle: str, expected: Any, got: Any, args: list[Any], right: bool) -> None:
    assert (calls.compare_values(expected, got, Comparison(oracle=oracle), args=args) is None) is right


def test_oracles_that_a_data_set_names_exist() -> None:
    names = {name for names in _table()["oracles"].values() for name in names.values()}
    assert names | {"any_order"} == set(calls.ORACLES)  # which rows may name themselves
    with pytest.raises(codejury.UsageError, match="oracle: expected one of any_root"):
        calls.compare_values(1, 1, Comparison(oracle="none"))


def test_expected_values_that_are_no_data_are_the_callers_fault() -> None:
    with pytest.raises(codejury.UsageError, match="expected value: expected plain data"):
        calls.compare_values(object(), 1)


@pytest.mark.parametrize(
    ("expected", "got", "equal"),
    [(0.5, 0.5000001, True), (0.5, Fraction(5000001, 10**7), False), (2.0, 2, True), ([0.5], [NAN], False),
     (NAN, NAN, False), ([NAN, 1.0], [NAN, 1.0], False), ([0.5], (0.5,), False), ([0.5], [Fraction(1, 2)], True)],
)  # fmt: skip
def test_tolerances_between_values_of_one_type(expected: Any, got: Any, equal: bool) -> None:
    assert (calls.compare_values(expected, got, Comparison(same_type=True)) is None) == equal


def test_differences_are_cut_to_a_readable_size() -> None:
    deep: list[Any] = []
    for _ in range(300):
        deep = [deep]
    for value in (
        "x" * 10**6,
        list(range(10**5)),
        10**10_000,
        deep,
        dict.fromkeys(range(1000), "y" * 1000),
        Decimal(10) ** 9999,
    ):
        assert len(calls.shown(value)) <= 200
        assert len(str(calls.compare_values(value, None))) < 500
    assert calls.shown([1, (2, {3: "a"}), {4}, None]) == "[1, (2, {3: 'a'}), {4}, None]"


# --- real data -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_humaneval_plus_golds_are_accepted_on_their_inputs(sandbox: codejury.Sandbox, data: Path) -> None:
    """The golds' answers to all inputs, in batches, and for a few of each the whole way."""
    with gzip.open(data / "humanevalplus" / "HumanEvalPlus.jsonl.gz") as file:
        rows = [json.loads(line) for line in file]
    failed = []
    for row in rows[::8]:
        source = row["prompt"] + row["canonical_solution"]
        inputs = row["base_input"] + row["plus_input"]
        golds = calls.gold_answers(sandbox, source, row["entry_point"], inputs, limits=Limits(cpu_s=20))
        failed += [(row["task_id"], answer.message) for answer in golds if answer.verdict]
        how = problem_of(row).compare
        for args, answer in list(zip(inputs, golds, strict=True))[:2]:
            case = TestCase(input=args, output=answer.value)
            found = calls.judge_call(sandbox, source, row["entry_point"], case, comparison=how)
            if found.verdict != "success":
                failed.append((row["task_id"], found.message))
    assert failed == []


@pytest.mark.parametrize(
    ("expected", "got", "equal"),
    [
        ([1, 2, 2], [2, 1, 2], True),
        ([1, 2, 2], [2, 1], False),
        ([1, 2, 2], [2, 1, 1], False),
        ((1, 2), {2, 1}, True),
        ([[1], [2]], [[2], [1]], True),
        ([[1], [2]], [[2], [3]], False),
        ([1], 1, False),
        (5, 5, True),
    ],
)
def test_any_order(expected: Any, got: Any, equal: bool) -> None:
    assert (calls.compare_values(expected, got, Comparison(oracle="any_order")) is None) == equal


# --- answers that are too large to be sent ---------------------------------------------------------------------------

MANY = "def solve(n, k):\n    return [(n,) * 3] * (2_000_000 + k)\n"


def test_large_answers_are_equal_by_their_digests(sandbox: codejury.Sandbox) -> None:
    (large,) = calls.gold_answers(sandbox, MANY, "solve", [[7, 0]], large=True)
    assert isinstance(large.value, Large)
    other = "def solve(n, k):\n    return [(n, n, n) for _ in range(2_000_000 + k)]\n"
    enough = Limits(cpu_s=30, memory_mb=2048)
    assert judged(sandbox, other, [7, 0], large.value, limits=enough).verdict == "success"
    for wrong in ([8, 0], [7, 1]):
        said = judged(sandbox, MANY, wrong, large.value, limits=enough)
        assert said.verdict == "wrong_answer"
        assert "as a whole" in said.message


def test_a_large_answer_is_no_small_one(sandbox: codejury.Sandbox) -> None:
    assert judged(sandbox, MANY, [7, 0], [7], limits=Limits(cpu_s=30, memory_mb=2048)).verdict == "wrong_answer"
    assert judged(sandbox, "def solve(n):\n    return [7]\n", [7], Large(bytes(32))).verdict == "wrong_answer"


def test_a_forged_digest_is_worth_what_it_says(sandbox: codejury.Sandbox) -> None:
    """Whoever does not have the answer does not have its digest; one of another length is no answer."""
    forge = (
        "import sys\ndef solve(n):\n    replies = sys._getframe(1).f_locals['replies']\n"
        "    replies.send(b'D', bytes({}))\n    import os; os._exit(0)\n"
    )
    (large,) = calls.gold_answers(sandbox, MANY, "solve", [[7, 0]], large=True)
    assert judged(sandbox, forge.format(32), [7], large.value).verdict == "wrong_answer"
    assert judged(sandbox, forge.format(31), [7], large.value).verdict == "format_error"


def test_golds_give_no_digests_unless_asked(sandbox: codejury.Sandbox) -> None:
    (answer,) = calls.gold_answers(sandbox, MANY, "solve", [[7, 0]])
    assert answer.verdict == "format_error"


@pytest.mark.parametrize("frame", ["b'S', b'x'", "b'S', b'\\xff' * 8", "b'V', bytes(8)"], ids=["short", "nan", "kind"])
def test_a_gold_that_forges_its_time_is_told_so(sandbox: codejury.Sandbox, frame: str) -> None:
    """A gold is nobody's friend: what it sends in our place is no traceback of ours."""
    forge = (
        "import sys, os\ndef solve(n):\n    replies = sys._getframe(1).f_locals['replies']\n"
        f"    replies.send(b'V', {encode(7)!r}); replies.send({frame}); os._exit(0)\n"
    )
    with pytest.raises(codejury.InternalError, match="a gold wrote to where answers go"):
        calls.gold_answers(sandbox, forge, "solve", [[1]])


def test_golds_say_what_each_call_took(sandbox: codejury.Sandbox) -> None:
    burn = "import time\ndef solve(s):\n    end = time.process_time() + s\n    while time.process_time() < end: pass\n"
    quick, slow = calls.gold_answers(sandbox, burn, "solve", [[0.0], [0.3]])
    assert quick.cpu_s < 0.3 <= slow.cpu_s
