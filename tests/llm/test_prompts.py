"""Prompts: every one of the package's is sound and keeps its own contract; what is wrong with a user's is said."""

from __future__ import annotations

import ast
import contextlib
import io
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codejury.errors import UsageError
from codejury.llm.prompts import Prompt, Prompts, fenced, parse, shortened
from codejury.llm.replies import code_of, decision_of

PROMPTS = Prompts()
ALL = [PROMPTS.get(name) for name in PROMPTS.names]
# One for each thing that a model is to write; the rest are follow-ups.
ASKED_FOR = {
    "regular_generator",
    "corner_generator",
    "generator_repair_error",
    "generator_repair_outputs",
    "input_validator",
    "checker_decision",
    "checker",
    "checker_review",
    "checker_repair",
    "adversarial_generator",
    "function_seeds",
}


def named(prompt: Prompt) -> str:
    return prompt.name


def full(prompt: Prompt) -> dict[str, str]:
    return {name: f"<the {name}>" for name in prompt.fields}


def examples(prompt: Prompt) -> list[str]:
    return [text for role, text in prompt.messages if role == "assistant"]


def printed(code: str) -> Any:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(code, {"__name__": "__main__"})
    return ast.literal_eval(out.getvalue())


def function(code: str, name: str) -> Any:
    space: dict[str, Any] = {}
    exec(code, space)
    return space[name]


# ── The package's own ────────────────────────────────────────────────────────────────────────────────────────────────


def test_all_are_there() -> None:
    assert set(PROMPTS.names) >= ASKED_FOR


@pytest.mark.parametrize("prompt", ALL, ids=named)
def test_every_field_arrives(prompt: Prompt) -> None:
    rendered = PROMPTS.render(prompt.name, **full(prompt))
    text = "\n".join(message["content"] for message in rendered.messages)
    assert [name for name in prompt.fields if f"<the {name}>" not in text] == []
    assert "{{" not in text
    assert rendered.messages[-1]["role"] == "user"
    assert rendered.cut == ()
    assert re.fullmatch(rf"{prompt.version}-[0-9a-f]{{12}}", rendered.version)


@pytest.mark.parametrize("prompt", ALL, ids=named)
def test_optional_fields_leave_no_trace(prompt: Prompt) -> None:
    needed = {name: "x" for name, field in prompt.fields.items() if not field.optional}
    text = "\n".join(message["content"] for message in PROMPTS.render(prompt.name, **needed).messages)
    assert "{{" not in text
    assert "\n\n\n" not in text.replace("import random\n\n\n", "").replace("\n\n\ndef", "").replace("\n\n\nadd", "")


@pytest.mark.parametrize("prompt", ALL, ids=named)
def test_a_missing_field_is_named(prompt: Prompt) -> None:
    for missing in (name for name, field in prompt.fields.items() if not field.optional):
        fields = {name: text for name, text in full(prompt).items() if name != missing}
        with pytest.raises(UsageError, match=f"field {missing}"):
            PROMPTS.render(prompt.name, **fields)


@pytest.mark.parametrize("prompt", ALL, ids=named)
def test_they_are_short(prompt: Prompt) -> None:
    """For models that take in 8,192 tokens, with room for the answer; a token is at least two and a half characters."""
    assert sum(len(text) for _, text in prompt.messages) < 2200
    assert sum(field.chars for field in prompt.fields.values()) < 19_000


@pytest.mark.parametrize("prompt", [each for each in ALL if each.name in ASKED_FOR], ids=named)
def test_the_worked_example_keeps_the_contract(prompt: Prompt) -> None:
    assert examples(prompt)
    for example in examples(prompt):
        if prompt.answer == "yes_no":
            assert decision_of(example) is not None
            continue
        found = code_of(example, language="python", wants=prompt.wants, prints=prompt.prints)
        assert found.code is not None, found
        assert found.what_was_cut == ()


def test_the_decisions_of_the_example_are_one_of_each() -> None:
    assert [decision_of(each) for each in examples(PROMPTS.get("checker_decision"))] == [True, False]


@pytest.mark.parametrize("prompt", [each for each in ALL if each.prints], ids=named)
def test_the_examples_of_generators_print_valid_inputs(prompt: Prompt) -> None:
    """By the example of the validator, which is for the same problem."""
    valid = function(code_of(examples(PROMPTS.get("input_validator"))[0]).code or "", "is_valid_input")
    (example,) = examples(prompt)
    values = printed(code_of(example).code or "")
    assert isinstance(values, list)
    assert len(values) >= 2
    if prompt.name == "function_seeds":
        assert all(isinstance(each, list) for each in values)
    else:
        assert [each for each in values if not valid(each)] == []


def test_the_example_of_the_validator_rejects() -> None:
    valid = function(code_of(examples(PROMPTS.get("input_validator"))[0]).code or "", "is_valid_input")
    assert valid("2\n5 6\n")
    for text in ("", "2\n5\n", "0\n\n", "1\n1000000001\n", "x\n1\n", "1\n1\n1\n", "1001\n" + "1 " * 1001):
        assert not valid(text)


@pytest.mark.parametrize("name", ["checker", "checker_review", "checker_repair"])
def test_the_example_of_the_checker(name: str) -> None:
    right = function(code_of(examples(PROMPTS.get(name))[0]).code or "", "is_valid_output")
    assert right("5\n", "1 4\n", "2 3\n")
    for output in ("", "0 5", "1 3", "1 4 0", "1", "a b", "1.0 4.0"):
        assert not right("5\n", output, "2 3\n")


def test_the_adversarial_example_is_one() -> None:
    prompt = PROMPTS.get("adversarial_generator")
    wrong = next(re.search(r"```\n(.*?)```", text, re.DOTALL) for role, text in prompt.messages if role == "user")
    assert wrong is not None
    for text in printed(code_of(examples(prompt)[0]).code or ""):
        lines = iter(text.split("\n"))
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(wrong[1], {"input": lambda lines=lines: next(lines)})
        values = [int(word) for word in text.split()[1:]]
        assert int(out.getvalue()) != max(values) - min(values)


# ── Putting fields in ────────────────────────────────────────────────────────────────────────────────────────────────


@given(st.text(st.sampled_from("`{}#/ab\n"), max_size=60))
def test_what_looks_like_a_field_in_a_field_is_text(text: str) -> None:
    statement = "{{gold}} {{#gold}}{{fence gold}}{{/gold}} " + text + "."
    rendered = PROMPTS.render("input_validator", statement=statement, gold="the gold")
    content = rendered.messages[-1]["content"]
    assert statement.strip("\n") in content
    assert content.count("the gold") == 1


@given(st.text(st.sampled_from("`~\nab"), max_size=80))
def test_nothing_closes_the_fence_from_inside(text: str) -> None:
    first, *lines, last = fenced(text).split("\n")
    assert first == last
    assert not any(line.strip().startswith(first) for line in lines)


@given(st.text(max_size=400), st.integers(40, 300), st.sampled_from(["start", "end", "both"]))
def test_a_field_is_never_longer_than_it_may_be(text: str, chars: int, keep: Any) -> None:
    short = shortened(text, chars, keep=keep)
    assert len(short) <= chars
    assert short == text or len(text) > chars


def test_what_is_left_out_is_counted() -> None:
    text = "".join(chr(ord("a") + number % 26) for number in range(1000))
    for keep, start, end in (("start", True, False), ("end", False, True), ("both", True, True)):
        short = shortened(text, 200, keep=keep)  # type: ignore[arg-type]
        missing = re.search(r"… (\d+) characters left out …", short)
        assert missing is not None
        assert len(short.replace(missing[0], "").replace("\n", "")) + int(missing[1]) == 1000
        assert (short.startswith("abcdef"), short.endswith(text[-6:])) == (start, end)


def test_long_fields_are_cut_and_it_is_said() -> None:
    fields = {"statement": "s" * 9000, "generator": "g", "error": "e" * 5000 + "the last line"}
    rendered = PROMPTS.render("generator_repair_error", **fields)
    content = rendered.messages[-1]["content"]
    assert rendered.cut == ("statement", "error")
    assert "the last line" in content
    assert len(content) < 6000 + 1500 + 1000
    half = Prompts(scale=0.5).render("generator_repair_error", **fields).messages[-1]["content"]
    assert len(half) < 3000 + 750 + 1000


def test_unknown_fields_and_prompts_are_named() -> None:
    with pytest.raises(UsageError, match="no field statment; there are statement"):
        PROMPTS.render("checker_decision", statment="x")
    with pytest.raises(UsageError, match="no prompt 'chequer'; there are"):
        PROMPTS.render("chequer", statement="x")
    with pytest.raises(UsageError, match="field statement: expected a text, got int"):
        PROMPTS.render("checker_decision", statement=5)  # type: ignore[arg-type]


# ── The user's own ───────────────────────────────────────────────────────────────────────────────────────────────────

OWN = """+++
name = "checker_decision"
version = 7
answer = "yes_no"
[fields]
statement = 100
+++
# user
Several answers? {{statement}}
"""


def test_a_file_of_the_users_takes_a_prompts_place(tmp_path: Path) -> None:
    (tmp_path / "checker_decision.md").write_text(OWN)
    (tmp_path / "README.md").write_text("my prompts")
    own = Prompts(tmp_path)
    rendered = own.render("checker_decision", statement="Add two numbers.", evidence="not used by it")
    assert rendered.messages == ({"role": "user", "content": "Several answers? Add two numbers."},)
    assert rendered.version.startswith("7-")
    assert own.render("input_validator", statement="x") == PROMPTS.render("input_validator", statement="x")


def test_a_change_shows_in_the_version(tmp_path: Path) -> None:
    (tmp_path / "checker_decision.md").write_text(OWN)
    before = Prompts(tmp_path).render("checker_decision", statement="x").version
    (tmp_path / "checker_decision.md").write_text(OWN.replace("Several", "Many"))
    assert Prompts(tmp_path).render("checker_decision", statement="x").version != before


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("+++\nname", "name", "line 1: expected a header"),
        ("version = 7", "version = 'x'", "header: .*version"),
        ("version = 7\n", "", "header: .*version"),
        ("version = 7", "version = ", "header: "),
        ("version = 7", "version = 7\ncolour = 'red'", "colour"),
        ('name = "checker_decision"', 'name = "checker"', "name: expected 'checker_decision'"),
        ('answer = "yes_no"', 'answer = "python"', "answer: expected 'yes_no'"),
        ('answer = "yes_no"', 'answer = "poem"', "answer"),
        ("statement = 100", "statement = 100\ngold = 50", "gold"),
        ("statement = 100", "statement = 5", "statement: expected .* at least 40"),
        ("statement = 100", "statement = {chars = 100, keep = 'middle'}", "keep"),
        ("{{statement}}", "{{statment}}", "line 9: statment is no field"),
        ("{{statement}}", "{{ statement }}", "line 9: expected"),
        ("{{statement}}", "{{#statement}}", "has no counterpart"),
        ("{{statement}}", "x", "statement is used nowhere"),
        ("# user\n", "", "expected # system, # user"),
        ("# user\n", "# assistant\n", "in turn"),
        ("# user\n", "# user\nhello\n# user\n", "in turn"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(old: str, new: str, words: str, tmp_path: Path) -> None:
    assert old in OWN
    path = tmp_path / "checker_decision.md"
    path.write_text(OWN.replace(old, new, 1))
    with pytest.raises(UsageError, match=words) as caught:
        Prompts(tmp_path)
    assert str(path) in str(caught.value)


def test_a_field_that_is_not_always_there_must_be_optional(tmp_path: Path) -> None:
    text = OWN.replace("statement = 100", "statement = 100\nevidence = 100").replace("}}\n", "}} {{evidence}}\n")
    (tmp_path / "checker_decision.md").write_text(text)
    with pytest.raises(UsageError, match="evidence: expected optional = true"):
        Prompts(tmp_path)


def test_a_file_that_no_prompt_is_named_for(tmp_path: Path) -> None:
    (tmp_path / "checker_decison.md").write_text(OWN)
    with pytest.raises(UsageError, match="no prompt of that name; there are"):
        Prompts(tmp_path)


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="expected a folder"):
        Prompts(tmp_path / "nowhere")


def test_windows_ends_of_lines_are_the_same(tmp_path: Path) -> None:
    (tmp_path / "checker_decision.md").write_bytes(OWN.replace("\n", "\r\n").encode())
    rendered = Prompts(tmp_path).render("checker_decision", statement="x")
    assert rendered.version == f"7-{parse(OWN, where='x', name='checker_decision').digest}"
