"""Code out of replies: a table of replies as models give them (replies/*.toml, all written for these tests), and what
holds for any text.

    text, language, wants, prints, finish_reason   what goes in
    code            exactly what comes out;  has: parts of it
    why_none        where nothing does;  detail: words of what the model is told
    what_was_cut    each is part of one of the notes; an empty list: there are none
    is_cut, tag     as they are
"""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codejury.llm.replies import MAX_CHARS, code_of, decision_of, joined, without_circle

TABLE = [
    pytest.param(row, id=f"{path.stem}: {row['name']}")
    for path in sorted((Path(__file__).parent / "replies").glob("*.toml"))
    for row in tomllib.loads(path.read_text())["reply"]
]
GENERATOR = 'import random\n\ntests = [f"{n}\\n" for n in range(1, 5)]\nprint(tests)\n'


def test_the_table_is_there() -> None:
    assert len(TABLE) >= 60
    assert len({each.id for each in TABLE}) == len(TABLE)


@pytest.mark.parametrize("row", TABLE)
def test_reply(row: dict[str, Any]) -> None:
    known = {"name", "text", "language", "wants", "prints", "finish_reason"}
    checks = {"code", "has", "why_none", "detail", "what_was_cut", "is_cut", "tag"}
    assert set(row) <= known | checks
    assert {"code", "has", "why_none"} & set(row)
    options = {name: row[name] for name in known & set(row) - {"name", "text"}}
    found = code_of(row["text"], **options)
    assert found.why_none == row.get("why_none", ""), found
    assert (found.code is None) == ("why_none" in row)
    if "code" in row:
        assert found.code == row["code"]
    for part in row.get("has", []):
        assert part in (found.code or "")
    for part in row.get("detail", []):
        assert part in found.detail
    if "what_was_cut" in row:
        assert bool(found.what_was_cut) == bool(row["what_was_cut"]), found.what_was_cut
        for part in row["what_was_cut"]:
            assert any(part in note for note in found.what_was_cut), found.what_was_cut
    assert found.is_cut == row.get("is_cut", found.is_cut)
    assert found.tag == row.get("tag", found.tag)
    assert bool(found.detail) == (found.code is None)


# ── Whatever comes ───────────────────────────────────────────────────────────────────────────────────────────────────

FENCES = (
    "```python\n",
    "```\n",
    "~~~\n",
    "```",
    "<think>",
    "</think>\n",
    "<code>",
    "</code>",
    "<|im_end|>",
    "[DONE]\n",
)
CODE = ("import re\n", "def f(x):\n", "    return x\n", "print(f(1))\n", '"""', "'", "{", '{"code": "x"}')
PIECES = st.sampled_from([*FENCES, *CODE, "Sure! ", "\n", "\ud800", "\x00"])


@given(st.lists(PIECES | st.text(max_size=8), max_size=14).map("".join), st.booleans(), st.sampled_from(["", "length"]))
def test_any_text_has_an_answer(text: str, prints: bool, finish_reason: str) -> None:
    found = code_of(text, language="python", prints=prints, finish_reason=finish_reason)
    assert (found.code is None) == bool(found.why_none)
    if found.code is not None:
        ast.parse(found.code)
    code_of(text)
    joined(text, text)
    decision_of(text)


@pytest.mark.parametrize(
    "code",
    [
        "-" * 100_000 + "1",
        "(" * 5_000 + ")" * 5_000,
        "[" * 300_000,
        "x = " + "1+" * 100_000 + "1",
        "lambda: " * 20_000 + "0",
    ],
    ids=["minus", "parentheses", "brackets", "sum", "lambda"],
)
def test_code_that_is_hard_on_the_parser(code: str) -> None:
    found = code_of(f"```python\nprint({code})\n```", language="python", prints=True)
    assert (found.code is None) == bool(found.why_none)


def test_the_part_of_a_block_that_parses_is_no_answer() -> None:
    """The last line is wrong; the others alone would be another program."""
    text = "```python\ntests = ['1']\nprint(tests)\nprint(tests[)\n```"
    assert code_of(text, language="python", prints=True).why_none == "does not parse"


def test_a_reply_that_is_too_long_is_not_looked_at() -> None:
    assert code_of("```python\nprint(1)\n```" + " " * MAX_CHARS, language="python").why_none == "too long"


def test_prose_of_many_lines_is_read_within_bounds() -> None:
    """Each line looks like code and is none: tries are counted, so that this takes no time to speak of."""
    text = "print( is what you call here\n" * 8_000
    assert code_of(text, language="python", prints=True).why_none == "does not parse"


HOSTILE = {
    "tokens": "<|im_end|>" * 25_000,
    "thoughts": "<think>a</think>\n" * 15_000,
    "thoughts after a fence": "```\nx\n```\n" + "<think>a</think>\n" * 14_000,
    "ends of thoughts": "```\nx\n```\n" + "</think>\n" * 25_000,
    "fences": "```python\n(\n```\n" * 6_000,
    "open fences": "```python\n" * 10_000,
    "tags": "<code>" * 40_000,
    "backticks": "`" * 250_000,
    "inline": "```a" * 60_000,
    "code and an error at each end": "x = 1\n" * 10_000 + "x = = 1\n" * 10_000,
    "code and errors in turn": "x = 1\nno code here\n" * 13_000,
    "entities": "```python\n&lt;" + "&amp;" * 50_000 + "\n```",
    "line numbers": "```python\n" + "1: (\n" * 45_000 + "```",
    "braces": "{" * 250_000,
    "blanks": " \t" * 125_000 + "x",
    "stops": "Q:\n" * 80_000,
    "refusals": "I cannot " * 28_000,
}


@pytest.mark.timeout(20)
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_replies_take_no_time_to_speak_of(text: str) -> None:
    """Each took minutes where something was done once for every one of its parts; the limit is the test's own."""
    assert len(text) <= MAX_CHARS
    for options in ({"language": "python", "prints": True}, {"language": "python", "finish_reason": "length"}, {}):
        found = code_of(text, **options)  # type: ignore[arg-type]
        assert (found.code is None) == bool(found.why_none)
    decision_of(text)
    joined("```python\n" + text[:4000], text)


# ── Going on ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("at", range(14, len(GENERATOR) + 10, 3))
def test_a_reply_goes_on_where_it_broke_off(at: int) -> None:
    whole = f"```python\n{GENERATOR}```\n"
    found = code_of(joined(whole[:at], whole[at:]), language="python", prints=True)
    assert (found.code, found.is_cut) == (GENERATOR, False)


@pytest.mark.parametrize(
    ("first", "continuation"),
    [
        (
            "```python\nimport random\n\ntests = [f",
            '```python\ntests = [f"{n}\\n" for n in range(1, 5)]\nprint(tests)\n```',
        ),
        (
            "```python\nimport random\n\n",
            'Continuing:\n\n```python\ntests = [f"{n}\\n" for n in range(1, 5)]\nprint(tests)\n```',
        ),
        ("```python\nimport random\n\ntests = [f", f"Sorry, here is all of it:\n```python\n{GENERATOR}```"),
        (f"```python\n{GENERATOR[:60]}", f"{GENERATOR[40:]}```"),
        (f"```python\n{GENERATOR[:-14]}", "```python\nprint(tests)\n```"),
        (f"```python\n{GENERATOR}", "```\n"),
        (f"```python\n{GENERATOR}", "```"),
    ],
    ids=[
        "the line again",
        "words and a new fence",
        "from the start",
        "overlap",
        "a new fence after a whole line",
        "end",
        "end, no line",
    ],
)
def test_what_is_twice_is_taken_once(first: str, continuation: str) -> None:
    found = code_of(joined(first, continuation), language="python", prints=True)
    assert found.code == GENERATOR


def test_an_indented_line_that_begins_again() -> None:
    text = joined("```python\nfor n in range(3):\n    pri", "```python\nprint([n])\n```")
    assert code_of(text, language="python").code == "for n in range(3):\n    print([n])\n"


# ── Yes or no ────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("YES", True),
        ("no", False),
        ("**Yes.**", True),
        ("Answer: NO", False),
        ("No, wait, several orders are fine.\nAnswer: YES", True),
        ("Yes, because any order is accepted, and there is no other rule.", True),
        ("<think>no... yes... no</think>YES", True),
        ("Several outputs are right.\n\nYES\n", True),
        ("The final answer is NO", False),
        ("```\nYES\n```", True),
        ("Answer: **yes**", True),
        ("It depends.", None),
        ("YES or NO", True),
        ("Could be YES, could be NO", None),
        ("", None),
        ("Nothing is known.", None),
    ],
)
def test_decision(text: str, said: bool | None) -> None:
    assert decision_of(text) is said


@pytest.mark.parametrize(
    ("head", "piece"),
    [
        ("```python\nx = 1\n", "print(x)\n"),
        ("```python\nx = [", "0, "),
        ("", "if a:\n    b()\nelse:\n    " + "c(" + "1, " * 40 + ")\n"),
        ("x = 'aab", "a"),
    ],
    ids=["line", "list", "block", "letter"],
)
def test_a_reply_in_circles_is_cut_to_the_first_round(head: str, piece: str) -> None:
    text = head + piece * (2000 // len(piece)) + piece[: len(piece) // 2]
    assert len(without_circle(text)) < len(head) + 2 * len(piece)
    assert text.startswith(without_circle(text))
    found = code_of(text, language="python", finish_reason="length")
    assert (found.why_none, found.code, found.is_cut) == ("in circles", None, False)
    assert code_of(text, language="python").why_none != "in circles", "it came to an end of its own"


def test_a_reply_that_is_nearly_in_circles() -> None:
    """As a small model wrote it: function after function, each the same but for its name."""
    body = "    foes = [[] for _ in range(n + 1)]\n    for a, b in pairs(n, m):\n        foes[a].append(b)\n"
    pieces = [f"def random_input_{n}(n, m):\n{body}    return n, m, foes\n\n" for n in range(12)]
    text = "```python\nimport random\n\n" + "".join(pieces) + "def random_input_"
    assert without_circle(text).count("def ") <= 2
    assert text.startswith(without_circle(text))
    found = code_of(text, language="python", finish_reason="length")
    assert (found.why_none, found.code, found.is_cut) == ("in circles", None, False)
    few = "```python\n" + "".join(pieces[:4])
    assert without_circle(few) == few


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"tests.append('{n} {n * n}')\n" for n in range(300)),
        "print(1)\n" * 20,
        "",
        "\n" * 2000,
        "x = 1\n" * 300 + "".join(f"y{n} = {n}\n" for n in range(400)),
    ],
    ids=["counts", "few", "empty", "blank", "only before"],
)
def test_what_is_no_circle(text: str) -> None:
    assert without_circle(text) == text
