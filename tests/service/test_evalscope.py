"""evalscope's mbpp_plus, as published, with a scripted model, and the service as its remote sandbox engine.

evalscope brings a hundred packages, so it has an interpreter of its own, and this test is told of it:

    python3 -m venv .venv-evalscope
    .venv-evalscope/bin/python -m pip install 'evalscope[sandbox]'
    CODEJURY_EVALSCOPE_PYTHON=.venv-evalscope/bin/python .venv/bin/python -m pytest tests/service/test_evalscope.py

evalscope calls the engine `volcengine`; what it speaks is SandboxFusion's protocol (ms_enclave's client of it).
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from llm.chat_server import ChatServer, Raw, Say
from service.conftest import Make, Running

PYTHON = os.environ.get("CODEJURY_EVALSCOPE_PYTHON", "")
pytestmark = [
    pytest.mark.skipif(not PYTHON, reason="CODEJURY_EVALSCOPE_PYTHON names no interpreter with evalscope[sandbox]"),
    pytest.mark.timeout(600),
]

TASK = """
import json, sys
from evalscope import TaskConfig, run_task
asked = json.loads(sys.argv[1])
run_task(task_cfg=TaskConfig(
    model="scripted", api_url=asked["model"], api_key="EMPTY", eval_type="openai_api", datasets=["mbpp_plus"],
    dataset_args={"mbpp_plus": {"local_path": asked["data"]}}, eval_batch_size=4,
    work_dir=asked["out"], no_timestamp=True, generation_config={"stream": False},
    sandbox={"enabled": True, "engine": "volcengine", "manager_config": asked["manager"]},
))
"""

# The function, what the model answers, the tests of the prompt, the plus tests; and whether it is right.
ROWS = [
    ("double", "return x + x", "assert double(2) == 4", "assert double(10**20) == 2 * 10**20", True),
    ("largest", "return sorted(x)[-1]", "assert largest([1, 2]) == 2", "assert largest([5, 5, 3]) == 5", True),
    ("words", "return x.count(' ') + 1", "assert words('a b') == 2", "assert words('') == 0", False),
    ("is_even", "return 1 / 0", "assert is_even(2)", "assert not is_even(3)", False),
    ("last", "import os; os._exit(3)", "assert last([1]) == 1", "assert last('ab') == 'b'", False),
    ("forever", "while True: pass", "assert forever(1) is None", "assert True", False),
]


def reply(request: Any) -> Raw:
    text = request["messages"][-1]["content"]
    text = text if isinstance(text, str) else "".join(part["text"] for part in text)
    name = re.search(r"Write a function (\w+)", text)[1]  # type: ignore[index]
    line = next(row[1] for row in ROWS if row[0] == name)
    body = Say(f"```python\ndef {name}(x):\n    {line}\n```").body()
    body["usage"]["total_tokens"] = sum(body["usage"].values())
    return Raw(json.dumps({**body, "created": 0, "model": "scripted"}).encode())


def evaluated(service: Running, folder: Path, **manager: Any) -> dict[str, bool]:
    data = folder / "data"
    data.mkdir()
    with (data / "default_test.jsonl").open("w") as file:
        for number, (name, line, test, plus, _) in enumerate(ROWS):
            row = {"task_id": number, "code": f"def {name}(x):\n    {line}\n", "prompt": f"Write a function {name}."}
            row |= {"source_file": "own", "test_imports": [], "test_list": [test], "test": plus}
            file.write(json.dumps(row) + "\n")
    with ChatServer(reply) as chat:
        asked = {"model": chat.url, "data": str(data), "out": str(folder / "out")}
        asked |= {"manager": {"base_url": service.url, "request_timeout": 60, **manager}}
        done = subprocess.run(
            [PYTHON, "-c", TASK, json.dumps(asked)], cwd=folder, capture_output=True, text=True, timeout=500
        )
    assert done.returncode == 0, done.stderr[-2000:]
    (reviews,) = (folder / "out" / "reviews").rglob("*.jsonl")
    found = {}
    for line in reviews.read_text().splitlines():
        score = json.loads(line)["sample_score"]["score"]
        found[ROWS[score["metadata"]["task_id"]][0]] = bool(score["value"]["acc"])
    return found


def test_its_scores(service: Running, tmp_path: Path) -> None:
    before = service.metric("codejury_turn_seconds_count")
    assert evaluated(service, tmp_path) == {row[0]: row[4] for row in ROWS}
    assert service.metric("codejury_turn_seconds_count") - before >= len(ROWS)


def test_with_a_token(make_service: Make, tmp_path: Path) -> None:
    from codejury.settings import Secret

    service = make_service(token=Secret("a-long-token"))
    # It sends the key as the whole header, so that the scheme has to be in it.
    assert evaluated(service, tmp_path, api_key="Bearer a-long-token")["double"]
