"""The room as a whole: its documentation names everything, and the key stays out of the sandbox."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import get_args

import pytest

import codejury
from codejury.errors import ModelTrouble
from codejury.llm.client import Client
from codejury.llm.prompts import Prompts
from codejury.llm.replies import WhyNone
from codejury.llm.store import MODES


def test_the_documentation_names_everything(root: Path) -> None:
    text = (root / "docs" / "models.md").read_text()
    options = [
        name
        for name, parameter in inspect.signature(Client.__init__).parameters.items()
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY
    ]
    assert len(options) > 10
    words = [*options, *get_args(ModelTrouble), *MODES, *(why for why in get_args(WhyNone) if why)]
    words += ["CODEJURY_LLM_URL", "CODEJURY_LLM_MODEL", "CODEJURY_LLM_KEY", "OPENAI_BASE_URL", "OPENAI_API_KEY"]
    assert [word for word in words if f"`{word}`" not in text.replace("\n", " ")] == []
    rows = {line.split("`")[1]: line for line in text.splitlines() if line.startswith("| `")}
    prompts = Prompts()
    assert set(prompts.names) <= set(rows)
    assert [name for name in prompts.names if not rows[name].strip("| ")] == []


LOOK = """
import glob, os
print(dict(os.environ))
for path in glob.glob("/proc/*/environ") + glob.glob("/proc/*/cmdline"):
    try:
        print(open(path, "rb").read())
    except OSError:
        pass
print("looked")
"""


def test_the_key_is_not_in_the_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CODEJURY_LLM_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, "sk-not-in-the-box")
    with codejury.Sandbox(workers=1) as sandbox:
        for warm in (LOOK, "import numpy\n" + LOOK):
            outcome = sandbox.run(warm, language="python")
            assert outcome.stdout.endswith(b"looked\n")
            assert b"sk-not-in" not in outcome.stdout
