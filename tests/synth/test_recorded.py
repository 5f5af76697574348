"""What a real model of 1.5B said (Qwen2.5-Coder-1.5B-Instruct, 4 bits), replayed: its mistakes are found.

The folder `recorded` has the problems, the prompt as it was, and the exchanges, stamped `recorded`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from synth.author import QUICK
from synth.problems import rows_of

from codejury import Sandbox
from codejury.llm.client import Client
from codejury.llm.prompts import Prompts
from codejury.llm.store import Exchanges
from codejury.synth.asking import Live
from codejury.synth.run import synthesise

FOLDER = Path(__file__).with_name("recorded")


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory, sandbox: Sandbox) -> dict[str, dict[str, Any]]:
    output = tmp_path_factory.mktemp("recorded") / "T.jsonl"
    exchanges = Exchanges(FOLDER / "exchanges", mode="replay")
    settings: dict[str, Any] = {"temperature": 0.2, "max_tokens": 700, "exchanges": exchanges}
    with Client("http://127.0.0.1:9/v1", "qwen2.5-coder-1.5b", **settings) as client:
        synthesise(
            FOLDER / "problems.jsonl",
            output,
            Live(client, exchanges),
            msgspec.structs.replace(QUICK, regular=40, rounds=1),
            model=client.model,
            prompts=Prompts(FOLDER / "prompts"),
            sandbox=sandbox,
            note=print,
        )
    return {row["custom_id"]: row for row in rows_of(output)}


def test_another_form_on_which_golds_agree(rows: dict[str, dict[str, Any]]) -> None:
    """It printed four lines where the problem has one; the golds read the first."""
    assert rows["tape_cut"]["synthesis"]["rounds"] == {"regular": ["invalid input"]}


def test_one_answer(rows: dict[str, dict[str, Any]]) -> None:
    """All of its valid inputs have no solution."""
    assert rows["badges"]["synthesis"]["rounds"] == {"regular": ["all alike"]}


def test_they_say_that_they_are_recorded(rows: dict[str, dict[str, Any]]) -> None:
    sources = [step["source"] for row in rows.values() for step in row["synthesis"]["steps"]]
    assert sources == ["recorded", "recorded"]
