"""Generators: what they print is read without trusting it, and what is wrong with them is told."""

from __future__ import annotations

import json
import pprint
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st
from testgen.rows import add_row, generator, row

from codejury.model import Limits
from codejury.testgen import inputs
from codejury.testgen.crew import Crew
from codejury.testgen.inputs import texts_of, values_of
from codejury.testgen.options import Options
from codejury.testgen.rows import task_of
from codejury.testgen.trouble import Drops, Trouble

TEXTS = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=120), max_size=8)


# ── Reading ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@given(TEXTS)
def test_a_list_reads_the_same_however_it_was_printed(texts: list[str]) -> None:
    assert texts_of(f"{texts}\n") == texts
    assert texts_of(json.dumps(texts)) == texts
    assert texts_of(json.dumps(texts, ensure_ascii=False, indent=2)) == texts
    assert texts_of(pprint.pformat(texts, width=30)) == texts
    assert texts_of(str(tuple(texts))) == texts


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("[]", []),
        ("['a',]", ["a"]),
        (" \n['a' ,\n 'b']\n\n", ["a", "b"]),
        ("['''a\nb''', \"\"\"c\"\"\"]", ["a\nb", "c"]),
        (r"['a\'b\\', r'\n']", ["a'b\\", r"\n"]),
        (r'["\ud83d\ude00", "\u00e9"]', ["😀", "é"]),
        (r'["\x41"]', ["A"]),
        ("['a' 'b'\n'c', 'd']", ["abc", "d"]),
    ],
)
def test_forms_of_lists(printed: str, expected: list[str]) -> None:
    assert texts_of(printed) == expected


@pytest.mark.parametrize(
    ("printed", "words"),
    [
        ("", "nothing"),
        ("hello", "expected a list"),
        ("{'a': 1}", "expected a list"),
        ("['a', 7]", "element 1: expected a text"),
        ("[['a']]", "element 0: expected a text"),
        ("['a'", "after element 0: expected a comma"),
        ("['a", "element 0"),
        ("['a'] and more", "nothing after the list"),
        ("['a', b'c']", "element 1"),
        ("[__import__('os').getcwd()]", "element 0"),
        ("['a' * 1000000000]", "after element 0"),
        ("[f'{1}']", "element 0"),
        (r"['\N{NO SUCH NAME}']", "element 0"),
    ],
)
def test_what_is_no_list_of_texts_is_told(printed: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        texts_of(printed)


@pytest.mark.parametrize("printed", ["[" * 2_000_000, "[" + "[]," * 700_000, "[" + "1," * 1_000_000])
def test_a_hostile_list_costs_no_more_than_its_text(printed: str) -> None:
    """Read as any literal, each of these takes a hundred times its size."""
    tracemalloc.start()
    with pytest.raises(ValueError, match="element 0"):
        texts_of(printed)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100_000


def test_values() -> None:
    assert values_of("[[1, 'a'], [(2, 3), None]]") == [[1, "a"], [(2, 3), None]]
    assert values_of('[[true, null], "1\\n2"]') == [[True, None], "1\n2"]
    for bad in ("7", "", "[f(1)]", "[" * 100_000, "[1" + " " * inputs.MAX_VALUES_BYTES + "]"):
        with pytest.raises(ValueError, match="expected"):
            values_of(bad)


# ── Running ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def made(crew: Crew, *, options: Options | None = None, **fields: object) -> tuple[list[object], Drops]:
    drops = Drops()
    of = add_row if fields.get("type") == "function_call" else row
    found = inputs.make(crew, 0, task_of(of(**fields), where="row, line 1"), options or Options(), drops)
    return [each.value for each in found], drops


def trouble(crew: Crew, *, options: Options | None = None, **fields: object) -> Trouble:
    with pytest.raises(Trouble) as caught:
        made(crew, options=options, **fields)
    assert caught.value.step == "inputs"
    return caught.value


CPP_GENERATOR = r"""#include <iostream>
int main() { std::cout << "[\"1\\n5\\n\", \"2\\n1 2\\n\"]" << std::endl; }
"""


def test_a_generator_in_any_language(crew: Crew) -> None:
    assert made(crew, input_generator=[CPP_GENERATOR])[0] == ["1\n5\n", "2\n1 2\n"]
    assert made(crew, input_generator=["import json\nprint(json.dumps(['1\\n5']))"])[0] == ["1\n5"]


def test_duplicates_are_dropped_within_and_across_generators(crew: Crew) -> None:
    generators = ["print(['1 1', '2 2', '1 1', '1 1\\n'])", "print(['3 3', '2 2'])"]
    found, drops = made(crew, options=Options(gen_index=None), input_generator=generators)
    assert found == ["1 1", "2 2", "3 3"]
    (told,) = drops.as_json()
    assert (told["reason"], told["count"], told["positions"]) == ("duplicate", 3, [[0, 2], [0, 3], [1, 1]])


def test_the_generator_is_chosen_by_its_index(crew: Crew) -> None:
    generators = ["print(['zero'])", "print(['one'])"]
    assert made(crew, options=Options(gen_index=1), input_generator=generators)[0] == ["one"]
    told = trouble(crew, options=Options(gen_index=2), input_generator=generators)
    assert (told.what, told.generator) == ("there is no generator 2: the row has 2, counted from 0", 2)


def test_one_of_several_generators_may_fail(crew: Crew) -> None:
    found, _ = made(crew, options=Options(gen_index=None), input_generator=["1/0", "print(['a'])"])
    assert found == ["a"]


SEEDED = "import sys, random\nrandom.seed(int(sys.argv[1]))\nprint(1)\nprint(random.randint(1, 10**9))\n"


def test_a_seeded_generator_is_called_once_a_seed(crew: Crew) -> None:
    options = Options(style="seeded", seeds=5)
    found, _ = made(crew, options=options, input_generator=[SEEDED])
    assert len(set(map(str, found))) == 5
    assert made(crew, options=options, input_generator=[SEEDED])[0] == found


def test_a_seeded_generator_may_fail_on_some_seeds(crew: Crew) -> None:
    source = "import sys\nassert sys.argv[1] != '2', 'no two'\nprint(sys.argv[1])\n"
    found, drops = made(crew, options=Options(style="seeded", seeds=3), input_generator=[source])
    assert found == ["1\n", "3\n"]
    (told,) = drops.as_json()
    assert told["positions"] == [[0, 2]]
    assert "with the seed 2: the generator failed: runtime_error" in told["first"]
    told = trouble(crew, options=Options(style="seeded", seeds=3), input_generator=["1/0"])
    assert "ZeroDivisionError" in told.traceback


@pytest.mark.parametrize(
    ("source", "what", "printed", "traceback"),
    [
        ("print('here')\n1/0", "runtime_error", "here", "ZeroDivisionError"),
        ("while True: pass", "time_limit_exceeded", "", ""),
        ("x = bytearray(200 << 20)", "memory_limit_exceeded", "", ""),
        ("print(['a'\n", "runtime_error", "", "SyntaxError"),
        ("#include <iostream>\nint main() { return nonsense; }", "compile_error", "", "nonsense"),
        ("print('no list')", "expected a list", "no list", ""),
        ("print([])", "an empty list", "", ""),
        ("import sys; sys.stdout.buffer.write(b'[\"\\xff\"]')", "utf-8", "", ""),
        ("???", "runtime_error", "", "SyntaxError"),
        ("print('x' * (2 << 20))", "output_limit_exceeded", "xxx", ""),
    ],
)
def test_a_generator_that_fails_says_how(crew: Crew, source: str, what: str, printed: str, traceback: str) -> None:
    limits = Limits(cpu_s=1, memory_mb=128, output_mb=1)
    told = trouble(crew, options=Options(generator=limits), input_generator=[source])
    assert what in told.what
    assert printed in told.printed
    assert traceback in told.traceback
    assert told.generator == 0
    assert told.told().startswith("step: inputs\nwhat: the generator")


def test_a_function_gets_arguments_as_a_list_or_as_lines(crew: Crew) -> None:
    source = "print([[1, [2]], '1\\n[2]', 7, '{', [1, {2}]])"
    drops = Drops()
    task = task_of(add_row(input_generator=[source]), where="row, line 1")
    found = inputs.make(crew, 0, task, Options(), drops)
    assert [each.arguments for each in found] == [[1, [2]], [1, [2]]]
    assert [each.value for each in found] == [[1, [2]], "1\n[2]"]
    assert drops.counts() == {"no arguments": 3}


def test_a_text_that_cannot_be_written_is_dropped(crew: Crew) -> None:
    found, drops = made(crew, input_generator=["print(['a', '\\ud800'])"])
    assert found == ["a"]
    assert drops.counts() == {"no text": 1}


def test_all_inputs_keep_their_places(crew: Crew) -> None:
    drops = Drops()
    task = task_of(row(input_generator=[generator(30), generator(30, seed=8)]), where="row, line 1")
    found = inputs.make(crew, 0, task, Options(gen_index=None), drops)
    assert [(each.generator, each.position) for each in found] == [(g, p) for g in (0, 1) for p in range(30)]
