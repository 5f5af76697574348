"""Benchmarks as data: what the tables say, and the prompts that come of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from codejury.benchmarks.catalog import benchmark, benchmarks, own_path
from codejury.dataset import FORMATS, problem_of, read_problems
from codejury.errors import UsageError
from codejury.judging.calls import ORACLES
from codejury.model import Problem

NAMED = ["mbpp_plus", "mbpp", "mbpp_sanitized", "humaneval", "humaneval_plus", "live_code_bench", "code_contests"]
NAMED += ["apps", "taco"]


def test_the_benchmarks() -> None:
    assert set(benchmarks()) == {*NAMED, "klear", "kattis", "problems"}
    for each in benchmarks().values():
        assert set(each.formats) <= {*FORMATS, "*"}
        assert not set(each.base) & set(each.plus)
        assert each.prompts


@pytest.mark.parametrize("name", NAMED)
def test_where_the_data_is(name: str) -> None:
    hub = benchmark(name).hub
    assert hub is not None
    assert re.fullmatch(r"[\w.-]+/[\w.-]+", hub.huggingface)
    assert hub.files


def test_an_unknown_one() -> None:
    with pytest.raises(UsageError, match=r"datasets: expected one of apps, .*, or a path; got 'mbpp\+'"):
        benchmark("mbpp+")


def test_one_of_your_own_is_one_file(tmp_path: Path) -> None:
    table = """title = "Mine"
formats = ["plain"]
base = ["*"]
call_s = 1.0
gold_factor = 2.0
script_s = 3.0
memory_mb = 64
[prompts]
stdin = "Do: {prompt} in {language}."
"""
    path = tmp_path / "my_set.toml"
    path.write_text(table)
    found = benchmark(str(path))
    assert (found.name, found.title, found.subset_of("any")) == ("my_set", "Mine", "base")
    assert found.prompt_of(Problem(statement="it {now}")) == "Do: it {now} in Python."
    with pytest.raises(UsageError, match="expected a prompt for tasks of the kind script"):
        found.prompt_of(Problem(kind="script"))
    with pytest.raises(UsageError, match=r"prompt: expected a text with \{prompt\}"):
        found.prompt_of(Problem(), template="{nothing}")
    path.write_text(table.replace("call_s", "calls"))
    with pytest.raises(UsageError, match=r"my_set.toml: expected a benchmark: .*calls"):
        benchmark(str(path))


def test_a_path_stands_for_the_problems_in_it(tmp_path: Path) -> None:
    path = tmp_path / "my problems.jsonl"
    path.write_text("{}")
    assert benchmark(str(path)).name == "my_problems"
    assert own_path(str(path)) == path
    assert own_path("mbpp") is None


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


def test_a_prompt_of_humaneval_has_the_rows() -> None:
    for kind in ("script", "function"):
        assert "```python\ndef f(x):\n" in benchmark("humaneval").prompt_of(Problem(kind=kind, statement="def f(x):\n"))


def test_every_benchmark_asks_for_every_kind_that_its_formats_have() -> None:
    kinds = {"evalplus": "function", "mbpp": "script", "humaneval": "script", "code_contests": "stdin"}
    for each in benchmarks().values():
        assert {kinds[form] for form in each.formats if form in kinds} <= set(each.prompts)
        for kind in each.prompts:
            asked = each.prompt_of(Problem(kind=kind, statement="Sum up.", fn_name="total", starter_code="def total"))
            assert "Sum up." in asked


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
