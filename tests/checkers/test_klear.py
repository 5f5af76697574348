"""codejury.checkers.program, the Klear contract: a script with is_valid_output, or with main() alone."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from checkers.jury import Jury

import codejury
from codejury import Limits, UsageError, settings
from codejury.checkers.program import Answer, CheckResult, check, check_many
from codejury.errors import CheckerError
from codejury.model import Checker
from codejury.sandbox.worker import LIGHT

Klear = Callable[[str], Jury]


@pytest.fixture
def klear(box: codejury.Sandbox) -> Klear:
    return lambda source: Jury(box, Checker(kind="klear", source=source))


# Any permutation of the expected numbers.
PERMUTATION = """
import sys

def is_valid_output(input_str, output_str, reference_output_str):
    try:
        return sorted(map(int, output_str.split())) == sorted(map(int, reference_output_str.split()))
    except ValueError:
        return False

def main():
    print(is_valid_output(sys.argv[1], sys.argv[2], sys.argv[3]))

if __name__ == "__main__":
    main()
"""

# The same, told by what is printed.
PRINTING = """
import sys

def main():
    _, _, output, reference = sys.argv
    print(sorted(output.split()) == sorted(reference.split()))

if __name__ == "__main__":
    main()
"""

# As naive as they come.
EVALUATING = """
def is_valid_output(input_str, output_str, reference_output_str):
    return sorted(eval(output_str)) == sorted(eval(reference_output_str))
"""


def returning(value: str) -> str:
    return f"def is_valid_output(a, b, c):\n    return {value}\n"


# --- verdicts --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", [PERMUTATION, PRINTING], ids=["function", "main"])
def test_accepts_and_rejects(klear: Klear, source: str) -> None:
    jury = klear(source)
    assert jury("3 1 2\n", "1 2 3\n") == CheckResult(accepted=True)
    assert not jury("3 1\n", "1 2 3\n").accepted
    assert not jury("x", "1 2 3\n").accepted


def test_gets_input_output_and_reference_as_they_are(klear: Klear) -> None:
    texts = ("in\r\n\0 ä", "out\udcff", "")
    jury = klear(f"import sys\ndef is_valid_output(*texts):\n    return texts == {texts!a} == tuple(sys.argv[1:])")
    assert jury(texts[1], texts[2], texts[0]).accepted


def test_a_lone_surrogate_is_no_trouble(klear: Klear) -> None:
    assert klear(returning("True"))("\ud800").accepted


@pytest.mark.parametrize("source", [PERMUTATION, PRINTING], ids=["function", "main"])
def test_texts_that_no_argument_list_holds(klear: Klear, source: str) -> None:
    many = "7 " * 2_000_000
    assert klear(source)(many + "1", "1 " + many, many).accepted
    assert not klear(source)(many + "1", many, many).accepted


@pytest.mark.slow
def test_texts_of_fifty_megabytes(klear: Klear) -> None:
    text = "x" * 50_000_000
    jury = klear("def is_valid_output(a, b, c):\n    return len(a) == len(b) == len(c) == 50_000_000 and b == c\n")
    assert jury(text, text, text).accepted
    assert not jury(text[:-1] + "y", text, text).accepted


def test_a_numpy_bool_is_one(klear: Klear) -> None:
    pytest.importorskip("numpy")
    source = "import numpy\ndef is_valid_output(a, b, c):\n    return numpy.float64(b) < 2\n"
    assert klear(source)("1").accepted
    assert not klear(source)("3").accepted


@pytest.mark.parametrize("value", ["1", "0", "None", "'True'", "[]", "(True,)", "1.0", "object()"])
def test_no_other_value_is_a_verdict(klear: Klear, value: str) -> None:
    assert "expected True or False" in klear(returning(value)).failure("1")


def test_what_it_prints_is_the_message_and_no_verdict(klear: Klear) -> None:
    result = klear("def is_valid_output(a, b, c):\n    print('True')\n    return False\n")("1")
    assert result == CheckResult(accepted=False, message="True")


@pytest.mark.parametrize("printed", ["'true'", "1", "'True False'", "'checking'); print(True", "'True\\nTrue'", "''"])
def test_main_alone_prints_true_or_false_and_nothing_else(klear: Klear, printed: str) -> None:
    words = "printed nothing" if printed == "''" else "and nothing else"
    assert words in klear(f"import sys; print({printed})").failure("1")


@pytest.mark.parametrize("end", ["", "sys.exit()", "sys.exit(0)", "sys.stdout.flush(); __import__('time').sleep(0)"])
def test_main_alone_may_end_as_scripts_end(klear: Klear, end: str) -> None:
    assert klear(f"import sys\nprint(True)\n{end}")("1").accepted


def test_main_alone_may_run_in_a_thread(klear: Klear) -> None:
    source = (
        "import threading, time\ndef main():\n    time.sleep(0.05); print(False)\nthreading.Thread(target=main).start()"
    )
    assert not klear(source)("1").accepted


def test_a_function_that_takes_other_arguments_is_left_to_main(klear: Klear) -> None:
    source = "import sys\ndef is_valid_output(output):\n    return output == 'a'\nprint(is_valid_output(sys.argv[2]))"
    assert klear(source)("a").accepted
    assert not klear(source)("b").accepted


def test_further_files_lie_beside_it(box: codejury.Sandbox) -> None:
    checker = Checker(
        kind="klear",
        source="import rules\ndef is_valid_output(a, b, c):\n    return rules.right(b, open('data.txt').read())",
        files={"rules.py": b"def right(text, data):\n    return text == data\n", "data.txt": b"yes"},
    )
    assert Jury(box, checker)("yes").accepted
    assert not Jury(box, checker)("no").accepted


# --- failures: neither accept nor reject -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def is_valid_output(a, b, c):\n    return int(b) > 0", "raised ValueError.*at line 2"),
        ("def is_valid_output(a, b, c:\n", "raised SyntaxError.*at line 1"),
        ("import nothing_of_that_name\ndef is_valid_output(a, b, c): return True", "raised ModuleNotFoundError"),
        ("def is_valid_output(a, b, c):\n    raise SystemExit(0)", "raised SystemExit"),
        ("def is_valid_output(a, b, c):\n    return is_valid_output(a, b, c)", "raised RecursionError"),
        ("import os\ndef is_valid_output(a, b, c): os._exit(0)", "without a verdict: exit code 0"),
        ("import os\ndef is_valid_output(a, b, c): os.kill(os.getpid(), 9)", "without a verdict: signal 9"),
        ("import sys; print(True); sys.exit(1)", "exit code 1"),
        ("print(True); 1 / 0", "raised ZeroDivisionError"),
        ("pass", "printed nothing"),
        ("", "printed nothing"),
    ],
)
def test_a_failure_says_what_happened(klear: Klear, source: str, words: str) -> None:
    assert re.search(words, klear(source).failure("x"))


LITTLE = Limits(cpu_s=2, wall_s=3, memory_mb=128, disk_mb=16, output_mb=1)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def is_valid_output(a, b, c):\n    while True: pass", "more than 2 s of CPU time"),
        ("import time\ndef is_valid_output(a, b, c): time.sleep(60)", "more than 3 s"),
        ("def is_valid_output(a, b, c): return len('x' * 10**9) > 0", "MB of memory|raised MemoryError"),
        ("import os\ndef is_valid_output(a, b, c):\n    while True: os.write(2, b'x' * 9999)", "more than 1 MB"),
        ("def is_valid_output(a, b, c):\n    while True: print('x' * 9999)", "more than 16 MB for files"),
    ],
    ids=["loop", "sleep", "memory", "stderr", "stdout"],
)
def test_a_limit_that_is_met_is_a_failure(klear: Klear, source: str, words: str) -> None:
    assert re.search(words, klear(source).failure("x", limits=LITTLE))


def test_another_language_is_the_callers_mistake(box: codejury.Sandbox) -> None:
    with pytest.raises(UsageError, match=r"checker\.language: expected python"):
        check(box, Checker(kind="klear", source="", language="c"), input="", output="", expected="")


def test_another_kind_is_the_callers_mistake(box: codejury.Sandbox) -> None:
    checker = Checker(kind="oracle", source="")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"checker\.kind: expected klear, testlib or kattis"):
        check(box, checker, input="", output="", expected="")


# --- answers that try to be accepted ---------------------------------------------------------------------------------


def test_a_checker_may_evaluate_values(klear: Klear) -> None:
    jury = klear(EVALUATING)
    assert jury("[2, 1]", "[1, 2]").accepted
    assert jury("(x for x in (2, 1))", "[1, 2]").accepted
    assert jury("{2: 'a', 3 - 2: None}", "[1, 2]").accepted
    assert jury("map(abs, [-2, float('1')])", "[1, 2]").accepted
    assert not jury("[2, 2]", "[1, 2]").accepted


@pytest.mark.parametrize(
    "output",
    [
        "print('True') or __import__('os')._exit(0)",
        "__import__('sys').exit(0)",
        "exit(0)",
        "[globals().update(sorted=lambda x: 0)]",
        "[x.update(sorted=lambda x: 0) for x in [__builtins__]]",
        "setattr(__import__('builtins'), 'sorted', lambda x: 0) or [1]",
        "(sorted := lambda x: 0) and [1]",
        "[c for c in ().__class__.__base__.__subclasses__()]",
        "[type('T', (int,), {'__eq__': lambda s, o: True, '__lt__': lambda s, o: True})(9), 2]",
        "(lambda: (lambda: open('checker.py', 'w'))())()",
        "eval('[1, 2]')",
        "[f'{(1).real}']",
        "getattr(1, 'real')",
        "''.join(['1', '2'])",
        "vars()['reference_output_str']",
        "locals()",
        "input()",
        "[memoryview(b'12')]",
        "().__class__",
        "__name__",
    ],
)
def test_text_that_is_evaluated_reaches_nothing_but_values(klear: Klear, output: str) -> None:
    assert "evaluates text that uses the" in klear(EVALUATING).failure(output, "[1, 2]")


@pytest.mark.parametrize(
    "output",
    ["import os; os._exit(0)", "global sorted; sorted = len", "class A: pass", "del b", "x = 1", "import sys as b"],
)
def test_text_that_is_executed_reaches_nothing_but_values(klear: Klear, output: str) -> None:
    jury = klear("def is_valid_output(a, b, c):\n    exec(b)\n    return False\n")
    assert "evaluates text that uses the operation" in jury.failure(output)


def test_swallowing_the_refusal_is_no_way_out(klear: Klear) -> None:
    jury = klear(
        "def is_valid_output(a, b, c):\n    try:\n        eval(b)\n    except:\n        pass\n    return True\n"
    )
    assert jury("1").accepted
    assert "evaluates text" in jury.failure("print.__self__")


def test_main_alone_is_watched_too(klear: Klear) -> None:
    jury = klear("import sys\nprint(eval(sys.argv[2]) == 5)\n")
    assert jury("2 + 3").accepted
    assert "evaluates text" in jury.failure("print('True') or __import__('os')._exit(0)")
    assert "nothing else" in jury.failure("print(True)")


def test_unpickling_an_object_is_refused(klear: Klear) -> None:
    import pickle

    jury = klear("import pickle\ndef is_valid_output(a, b, c):\n    return pickle.loads(b.encode()) == [1]\n")
    assert jury(pickle.dumps([1], 0).decode()).accepted
    assert "unpickles an object of builtins.eval" in jury.failure("cbuiltins\neval\n(S'1'\ntR.")


def test_libraries_may_make_code_of_their_own(klear: Klear) -> None:
    source = """
def is_valid_output(a, b, c):
    from collections import namedtuple
    from dataclasses import dataclass
    @dataclass
    class Point:
        x: int
    return namedtuple("P", "x y")(1, 2).y == 2 and Point(int(b)).x == 5
"""
    assert klear(source)("5").accepted


@pytest.mark.parametrize("word", ["true", "True", "accepted"])
def test_writing_to_every_descriptor_is_no_verdict(klear: Klear, word: str) -> None:
    source = f"""
import os
def is_valid_output(a, b, c):
    for number in range(64):
        try:
            os.write(number, b"{word}\\n")
        except OSError:
            pass
    return False
"""
    assert "without a verdict" in klear(source).failure("1")


def test_a_child_that_goes_on_has_no_say(klear: Klear) -> None:
    source = """
import os, time
def is_valid_output(a, b, c):
    child = os.fork()
    if child == 0:
        return True
    os.waitpid(child, 0)
    return False
"""
    assert not klear(source)("1").accepted


# --- from one case to the next ---------------------------------------------------------------------------------------

LEAKING = """
import os, sys, builtins, tempfile
seen = []
def is_valid_output(a, b, c):
    places = [os.path.join(d, "mark") for d in (".", tempfile.gettempdir(), "/dev/shm", "/tmp")]
    fresh = not seen and not hasattr(builtins, "mark") and not hasattr(sys, "mark")
    fresh = fresh and not any(map(os.path.exists, places))
    seen.append(b)
    builtins.mark = sys.mark = b
    for place in places:
        try:
            open(place, "w").close()
        except OSError:
            pass
    return fresh
"""


def test_nothing_is_left_for_the_next_case(klear: Klear) -> None:
    jury = klear(LEAKING)
    assert [jury(str(number)).accepted for number in range(6)] == [True] * 6


def test_many_come_in_order_and_one_failure_ends_no_other(box: codejury.Sandbox) -> None:
    checker = Checker(kind="klear", source="def is_valid_output(a, b, c):\n    return int(b) % 2 == 0\n")
    outputs = [str(number) if number % 7 else "x" for number in range(40)]
    results = list(check_many(box, checker, (Answer(input="", output=text, expected="") for text in outputs)))
    assert len(results) == 40
    for text, result in zip(outputs, results, strict=True):
        if text == "x":
            assert isinstance(result, CheckerError)
        else:
            assert result == CheckResult(accepted=int(text) % 2 == 0)


def test_many_are_taken_as_they_are_needed(box: codejury.Sandbox) -> None:
    taken = []

    def endless() -> object:
        while True:
            taken.append(1)
            yield Answer(input="", output="1", expected="1")

    results = check_many(box, Checker(kind="klear", source=returning("b == c")), endless())  # type: ignore[arg-type]
    assert [next(results) for _ in range(5)] == [CheckResult(accepted=True)] * 5
    results.close()  # type: ignore[attr-defined]
    assert len(taken) <= 5 + 2 * box.workers


def test_the_script_inside_asks_for_no_large_interpreter(root: Path) -> None:
    text = (root / "src" / "codejury" / "checkers" / "klear_inside.py").read_text()
    heavy = [name for name in settings.DEFAULT_PRELOAD.split(",") if name not in LIGHT]
    assert [name for name in heavy if name in text] == []


# --- real rows -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_published_special_judge_sample(box: codejury.Sandbox, shared: Path) -> None:
    """Every gold's output on every published test is accepted by both checkers, and a spoiled one is not."""
    path = shared / "data" / "klear" / "spj_sample_with_special_testcases.jsonl"
    if not path.is_file():
        pytest.skip("the Klear samples are not there")
    row = json.loads(path.read_text().splitlines()[0])
    cases = row["reward"]["ground_truth"]["input_output"][::10]
    answers = []
    for gold in row["solutions"]:
        for case in cases:
            outcome = box.run(gold, stdin=case["input"], limits=Limits(cpu_s=20))
            assert outcome.ok, outcome
            answers.append(Answer(input=case["input"], output=outcome.stdout.decode(), expected=case["output"]))
    for source in row["checker"]:
        checker = Checker(kind="klear", source=source)
        assert all(result == CheckResult(accepted=True) for result in check_many(box, checker, answers))
        spoiled = [
            Answer(input=each.input, output=each.output + "1 1 1\n", expected=each.expected) for each in answers[:10]
        ]
        assert all(result == CheckResult(accepted=False) for result in check_many(box, checker, spoiled))
