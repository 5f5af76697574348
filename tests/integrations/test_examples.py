"""The examples of rewards run as their headers say, where their peer is installed; and docs/rewards.md is true."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import click
import pytest

from codejury.cli.replay import replay
from codejury.integrations.trl import COLUMNS
from codejury.reward import Reward, rules, score

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "rewards"
PAGE = (ROOT / "docs" / "rewards.md").read_text()


def run(name: str, capsys: pytest.CaptureFixture[str]) -> str:
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.main()
    return capsys.readouterr().out


def test_score(capsys: pytest.CaptureFixture[str]) -> None:
    lines = run("score", capsys).splitlines()
    assert [line[:4] for line in lines] == ["1.00", "0.33", "1.00", "0.00", "0.00"]


def test_verl(capsys: pytest.CaptureFixture[str]) -> None:
    told = run("verl_reward", capsys)
    assert "custom_reward_function.path=/" in told
    assert [float(number) for number in re.findall(r"'score': ([0-9.]+)", told)] == [1.0, 0.5]


def test_open_r1(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("open_r1_provider", capsys).count("[1.0]") == 2


def test_rllm(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("rllm_reward", capsys).count("1.0 True success") == 4


@pytest.mark.filterwarnings("ignore")
def test_inspect_ai(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("inspect_ai", reason="inspect_ai is not installed: pip install inspect_ai")
    assert "success accuracy 0.5" in run("inspect_eval", capsys)


@pytest.mark.filterwarnings("ignore")
def test_verifiers(capsys: pytest.CaptureFixture[str]) -> None:
    vf = pytest.importorskip("verifiers", reason="verifiers is not installed: pip install verifiers")
    name = "verifiers_rubric" if hasattr(vf, "Rubric") else "verifiers_v1"
    assert [line[:3] for line in run(name, capsys).splitlines()] == ["1.0", "0.0"]


# --- the page --------------------------------------------------------------------------------------------------------


def section(title: str) -> str:
    return PAGE.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]


def test_the_snippets_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    snippets = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    for snippet in snippets:
        exec(snippet, names)
    assert len(snippets) == 2
    assert [each.score for each in names["rewards"]] == [1.0, 0.0]
    assert (tmp_path / "reward.json").stat().st_size > 100


def test_every_rule_option_and_key_is_told() -> None:
    import inspect

    told = set(re.findall(r"^\| `([a-z_]+)`", PAGE, re.MULTILINE))
    keywords = {name for name, each in inspect.signature(score).parameters.items() if each.kind is each.KEYWORD_ONLY}
    assert keywords | set(rules()) | {"grader", "tests", "host"} <= told
    known = set(re.findall(r"`([a-z_]+)`", section("What nobody could judge")))
    assert set(Reward(score=None).metadata()) <= known
    assert set(COLUMNS) <= set(re.findall(r"`([a-z_]+)`", section("Trainers")))


def test_every_option_of_replay_is_told() -> None:
    told = set(re.findall(r"(?<![\w-])--[a-z]+", section("Replay")))
    given = {word for each in replay.params if isinstance(each, click.Option) for word in each.opts}
    assert given <= told
    assert told <= given | {"--output"}
