"""verl's own client of the protocol, as published, against the service: scores, error codes, metadata, tries.

Only where verl is installed. Its code for this needs none of its dependencies but requests:

    .venv/bin/python -m pip install --no-deps verl
    .venv/bin/python -m pytest tests/service/test_verl.py

`import verl` itself would load PyTorch and Ray. So `verl` and `verl.utils` are packages without their __init__ here;
what is below them is verl's, unchanged.
"""

from __future__ import annotations

import importlib
import json
import sys
import threading
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from service.conftest import Make, Running

_FOUND = find_spec("verl")
pytestmark = pytest.mark.skipif(
    _FOUND is None, reason="verl is not installed: pip install --no-deps verl (it is not part of the extra `test`)"
)

DOUBLE = "```python\nprint(2 * int(input()))\n```"
STDIN = {"inputs": ["1", "2", "3", "4"], "outputs": ["2", "4", "6", "8"]}


@pytest.fixture(scope="module")
def verl() -> Iterator[Any]:
    assert _FOUND is not None
    assert _FOUND.origin is not None
    home = Path(_FOUND.origin).parent
    before = {name: sys.modules.get(name) for name in ("verl", "verl.utils")}
    for name, path in (("verl", home), ("verl.utils", home / "utils")):
        bare = ModuleType(name)
        bare.__path__ = [str(path)]
        sys.modules[name] = bare
    yield importlib.import_module("verl.utils.reward_score")
    for name in [each for each in sys.modules if each == "verl" or each.startswith("verl.")]:
        del sys.modules[name]
    sys.modules.update({name: module for name, module in before.items() if module is not None})


@pytest.fixture
def fusion(verl: Any) -> Any:
    return importlib.import_module("verl.utils.reward_score.sandbox_fusion")


def scored(verl: Any, service: Running, completion: str, truth: Any, **options: Any) -> float:
    """As a run of verl calls it, for a data source of programs."""
    options = {"concurrent_semaphore": threading.Semaphore(64), "memory_limit_mb": 1024, **options}
    number: float = verl.default_compute_score(
        "codecontests", completion, json.dumps(truth), sandbox_fusion_url=f"{service.url}/run_code", **options
    )
    return number


@pytest.mark.parametrize(
    ("completion", "truth", "score"),
    [
        (DOUBLE, STDIN, 1.0),
        ("```\nprint(2 * int(input()))\n```", STDIN, 1.0),
        ("```python\nn = int(input())\nprint(2 * n if n < 3 else 0)\n```", STDIN, 0.5),
        ("```python\nprint(0)\n```", STDIN, 0.0),
        ("```python\nraise SystemExit(3)\n```", STDIN, 0.0),
        ("```python\nprint(2 * int(input())\n```", STDIN, 0.0),
        ("I do not know.", STDIN, 0.0),
        (
            "```python\ndef plus(a, b):\n    return a + b\n```",
            {"fn_name": "plus", "inputs": ["1\n2", "[1]\n[2]"], "outputs": ["3", "[1, 2]"]},
            1.0,
        ),
        (
            "```python\nclass Solution:\n    def plus(self, a, b):\n        return a - b\n```",
            {"fn_name": "plus", "inputs": ["2\n2", "5\n0"], "outputs": ["4", "5"]},
            0.5,
        ),
        (
            "```python\ndef plus(a, b):\n    return a + b\n```",
            {"assert_case": ["assert plus(1, 2) == 3", "assert plus(1, 1) == 3"]},
            0.5,
        ),
    ],
)
def test_scores(verl: Any, service: Running, completion: str, truth: Any, score: float) -> None:
    assert scored(verl, service, completion, truth) == score


@pytest.mark.parametrize(
    ("code", "language", "result", "status"),
    [
        ("print(input())", "python", True, "success"),
        ("print(8)", "python", False, "wrong_answer"),
        ("1 / 0", "python", -2, "runtime_error"),
        ("while True: pass", "python", -3, "timeout"),
        ("import time; time.sleep(60)", "python", -3, "timeout"),
        ("x = bytearray(600 << 20)", "python", -2, "runtime_error"),
        ("import os; os.kill(os.getpid(), 9)", "python", -2, "runtime_error"),
        ("int main() { return x; }", "cpp", -4, "compile_error"),
        ("#include <cstdio>\nint main() { std::puts(\"7\"); }", "cpp", True, "success"),
        ("print 7", "lean", -1, "sandbox_error"),
    ],
)  # fmt: skip
def test_what_it_takes_a_case_for(
    fusion: Any, service: Running, code: str, language: str, result: object, status: str
) -> None:
    cases = {"inputs": ["7"], "outputs": ["7"]}
    options = {"timeout": 1 if result == -3 else 20, "memory_limit_mb": 256, "language": language}
    results, metadata = fusion.check_correctness(f"{service.url}/run_code", cases, code, **options)
    assert results == [result]
    assert type(results[0]) is type(result)
    assert metadata[0]["status"] == status
    assert metadata[0]["api_request_error"] is None


def test_metadata_of_every_case(fusion: Any, service: Running) -> None:
    code = "import sys\nn = int(input())\nprint(2 * n)\nprint('said', file=sys.stderr)\nsys.exit(n == 3)"
    url = f"{service.url}/run_code"
    score, metadata = fusion.compute_score(url, None, 1024, f"```python\n{code}\n```", STDIN)
    assert score == 0.75
    assert [each["case_index"] for each in metadata] == [0, 1, 2, 3]
    assert [each["status"] for each in metadata] == ["success", "success", "runtime_error", "success"]
    assert [each["exit_code"] for each in metadata] == [0, 0, 1, 0]
    assert [each["stdout"] for each in metadata] == ["2\n", "4\n", "6\n", "8\n"]
    assert {each["stderr"] for each in metadata} == {"said\n"}
    assert {each["run_status"] for each in metadata} == {"Finished"}
    assert [each["api_status"] for each in metadata] == ["Success", "Success", "Failed", "Success"]
    assert all(0 < each["duration"] < 10 for each in metadata)


def test_a_large_output_is_whole(fusion: Any, service: Running) -> None:
    cases = {"inputs": [""], "outputs": ["x" * 1_000_000]}
    results, _ = fusion.check_correctness(f"{service.url}/run_code", cases, "print('x' * 1_000_000)", timeout=10)
    assert results == [True]


def test_many_samples_at_once(verl: Any, service: Running) -> None:
    """As verl's reward manager has them: threads that share one semaphore."""
    places, scores = threading.Semaphore(16), {}
    programs = [DOUBLE if n % 2 else "```python\nprint(int(input()) + 1)\n```" for n in range(24)]

    def one(n: int) -> None:
        scores[n] = scored(verl, service, programs[n], STDIN, concurrent_semaphore=places)

    threads = [threading.Thread(target=one, args=(n,)) for n in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert scores == {n: 1.0 if n % 2 else 0.25 for n in range(24)}  # 1 + 1 is 2 * 1


def test_what_was_not_served_in_time_is_tried_again(fusion: Any, make_service: Make) -> None:
    """The only worker is taken for longer than the client waits: a 504 before that, and then the answer."""
    service = make_service(workers=1)
    url = f"{service.url}/run_code"
    sleeper = threading.Thread(
        target=fusion.utils.call_sandbox_api, args=(url, "import time; time.sleep(12)", None, 5, 20, 1024)
    )
    sleeper.start()
    while not service.metric("codejury_running"):
        time.sleep(0.05)
    response, error = fusion.utils.call_sandbox_api(url, "print(input())", "7", 1, 1, 1024)
    sleeper.join()
    assert error is None
    assert response["run_result"]["stdout"] == "7\n"
    assert service.metric('codejury_requests_total{path="/run_code",status="504"}') == 1


def test_a_full_queue_is_no_wrong_answer_but_is_not_tried_again(fusion: Any, make_service: Make) -> None:
    """verl's own rule: -1, which it counts as not passed. So `max_concurrent` has to stay below --places."""
    service = make_service(workers=1, places=1)
    url = f"{service.url}/run_code"
    sleep = "import time; time.sleep(3)"
    others = [
        threading.Thread(target=fusion.utils.call_sandbox_api, args=(url, sleep, None, 5, 20, 1024), daemon=True)
        for _ in range(8)
    ]
    for each in others:
        each.start()
    while not service.metric("codejury_waiting"):
        time.sleep(0.02)
    found = []
    while not found or not found[-1][1]:  # until one meets a full queue
        found.append(fusion.utils.call_sandbox_api(url, sleep, None, 5, 20, 1024))
    assert "503" in found[-1][1]
    for each in others:
        each.join()
