"""Benchmarks as data: what the tables say, and the prompts that come of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from codejury.benchmarks.catalog import benchmark, benchmarks
from codejury.dataset import FORMATS, problem_of, read_problems
from codejury.errors import UsageError
from codejury.judging.calls import ORACLES
from codejury.model import Problem


def test_the_benchmarks() -> None:
    assert list(benchmarks()) == ["humaneval", "humaneval_plus", "mbpp", "mbpp_plus"]
    for each in benchmarks().values():
        assert set(each.formats) <= set(FORMATS)
        assert not set(each.base) & set(each.plus)


def test_an_unknown_one() -> None:
    with pytest.raises(UsageError, match=r"datasets: expected one of humaneval, .* got 'mbpp\+'"):
        benchmark("mbpp+")


def test_subsets() -> None:
    plus = benchmark("mbpp_plus")
    assert [plus.subset_of(group) for group in ("base", "plus", "challenge")] == ["base", "plus", None]
    assert benchmark("mbpp").subset_of("plus") is None
    assert benchmark("humaneval_plus").subset_of("") == "plus"
    assert benchmark("humaneval").subset_of("") == "base"


def test_a_prompt_has_the_asserts_one_a_line() -> None:
    tests = ["assert f(1) == {1: 2}", "assert f(2) == 4"]
    row = {"task_id": 7, "prompt": "Double {it}.", "code": "def f(x): return 2 * x", "test_list": tests, "test": "f(9)"}
    asked = benchmark("mbpp_plus").prompt_of(problem_of(row))
    assert asked.startswith("You are an expert Python programmer, and here is your task: Double {it}. Your code should")
    assert asked.endswith("pass these tests:\n\nassert f(1) == {1: 2}\nassert f(2) == 4")


def test_a_prompt_of_humaneval_is_the_rows() -> None:
    assert benchmark("humaneval").prompt_of(Problem(statement="def f(x):\n")) == "def f(x):\n"


def test_no_peer_scores_humaneval_plus_scripts() -> None:
    with pytest.raises(UsageError, match="no peer"):
        benchmark("humaneval_plus").peer("script")


def test_the_peer_is_told_from_the_form_and_the_day_of_the_data() -> None:
    chosen = benchmark("mbpp_plus")
    assert [chosen.peer(kind).peer for kind in ("function", "script")] == ["evalplus", "evalscope"]
    assert chosen.peer("function", "ebe95df0d5220f00cedd6f4bddea35e4").peer == "evalplus 0.2.1"


def test_rules_that_a_peer_lacks_are_rules() -> None:
    for each in benchmarks().values():
        assert {rule for peer in (*each.strict.values(), *each.earlier) for rule in peer.without} <= set(ORACLES)


def test_the_prompts_of_mbpp_plus(real: Path) -> None:
    asked = benchmark("mbpp_plus").prompt_of
    sizes = [len(asked(problem)) for problem in read_problems(real / "mbppplus" / "MbppPlus-OriginFmt.jsonl.gz")]
    assert (len(sizes), min(sizes), max(sizes)) == (378, 222, 2801)
    assert round(sum(sizes) / len(sizes), 2) == 375.53
