"""/judge, /judge_batch and /execute_batch; clients that leave, deadlines, the queue as they meet it."""

from __future__ import annotations

import json
import select
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from service.conftest import Make, Running
from service.wire import Answer, head, read, until

import codejury

DOUBLE = "print(int(input()) * 2)"
TESTS = [{"input": str(n), "output": str(2 * n)} for n in (1, 2, 3)]
FOREVER = {"code": "while True: pass", "language": "python", "run_timeout": 500}


def judge(service: Running, source: str, tests: Any, **more: Any) -> Answer:
    return service.client.post("/judge", {"source": source, "language": "python", "tests": tests, **more})


# --- verdicts --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "verdict"),
    [
        (DOUBLE, "success"),
        ("print(2)", "wrong_answer"),
        ("1/0", "runtime_error"),
        ("while True: pass", "time_limit_exceeded"),
    ],
)
def test_verdicts(service: Running, source: str, verdict: str) -> None:
    answer = judge(service, source, TESTS, limits={"cpu_s": 0.5}, id="mine")
    assert (answer.status, answer.json["verdict"], answer.json["id"]) == (200, verdict, "mine")
    assert len(answer.json["cases"]) == answer.json["total"] == 3


def test_the_same_as_the_library_says(service: Running) -> None:
    source = "def f(x):\n    return {'a': [x, 1.5, None]}"
    tests = {"inputs": [[1], [2]], "outputs": [{"a": [1, 1.5, None]}, {"a": [2, 1.5, 0]}], "fn_name": "f"}
    here = codejury.judge(source, tests, language="python")
    there = judge(service, source, tests).json
    assert (there["verdict"], there["passed"]) == (here.verdict, here.passed) == ("wrong_answer", 1)
    assert [case["message"] for case in there["cases"]] == [case.message for case in here.cases]


@pytest.mark.parametrize(
    ("source", "tests", "more"),
    [
        ("def f(x): return x + 1", "assert f(1) == 2\nassert f(2) == 3", {}),
        ("def f(x): return x + 1", ["assert f(1) == 2"], {}),
        ("def f(x): return x + 1", [{"input": [1], "output": 2}], {"fn_name": "f"}),
        ("print(0.1 + 0.2)", [{"input": "", "output": "0.3"}], {"compare": "floats"}),
        ("print('A')", [{"input": "", "output": "a"}], {"compare": {"ignore_case": True}}),
        ("print(open('d').read())", [{"input": "", "output": "x"}], {"files": {"d": "eA=="}}),
        ("print(5)", [{"input": "", "output": "any"}], {"checker": {"source": "import sys\nprint(True)"}}),
    ],
)
def test_every_kind_of_tests(service: Running, source: str, tests: Any, more: Any) -> None:
    assert judge(service, source, tests, **more).json["verdict"] == "success"


def test_early_stop(service: Running) -> None:
    found = judge(service, "print(2)", TESTS, stop_on_first_failure=True).json
    assert [case["verdict"] for case in found["cases"]] == ["success", "wrong_answer"]


def test_compile_errors(service: Running) -> None:
    body = {"source": "int main( {", "language": "cpp", "tests": TESTS}
    found = service.client.post("/judge", body).json
    assert found["verdict"] == "compile_error"
    assert "error" in found["compile_message"]


def test_bytes_that_are_no_text(service: Running) -> None:
    found = judge(service, "import sys; sys.stdout.buffer.write(b'\\xff')", [{"input": "", "output": "x"}])
    assert (found.status, found.json["cases"][0]["output"]) == (200, "\ufffd")


@pytest.mark.parametrize("tests", [[], {}, 3, None, "words", [{"input": "1"}], {"inputs": ["1"], "outputs": []}])
def test_tests_that_are_none(service: Running, tests: Any) -> None:
    answer = judge(service, DOUBLE, tests)
    assert (answer.status, answer.error) == (422, "invalid")


# --- many ------------------------------------------------------------------------------------------------------------


def test_a_batch(service: Running) -> None:
    sources = [DOUBLE, "print(1)", "1/0", DOUBLE] * 10
    items = [{"id": f"i{n}", "source": s, "language": "python", "tests": TESTS} for n, s in enumerate(sources)]
    items.append({"id": "bad", "source": DOUBLE, "language": "klingon", "tests": TESTS})
    answer = service.client.post("/judge_batch", {"items": items})
    assert (answer.status, answer.headers["content-type"]) == (200, "application/x-ndjson")
    lines = {line["index"]: line for line in answer.lines}
    assert sorted(lines) == list(range(41))
    verdicts = [lines[n]["judgement"]["verdict"] for n in range(40)]
    assert verdicts == ["success", "wrong_answer", "runtime_error", "success"] * 10
    assert {lines[n]["id"] for n in range(40)} == {f"i{n}" for n in range(40)}
    assert (lines[40]["judgement"], lines[40]["error"]["type"]) == (None, "invalid")


def test_a_batch_comes_as_it_ends(service: Running) -> None:
    """The quick one is there while the slow one runs."""
    slow = {"source": "import time; time.sleep(3)", "language": "python", "tests": [{"input": "", "output": "?"}]}
    quick = {"source": DOUBLE, "language": "python", "tests": TESTS}
    body = json.dumps({"items": [slow, quick]}).encode()
    with service.client.connect() as connection:
        connection.sendall(head("/judge_batch", length=len(body)) + body)
        raw = b""
        while raw.count(b'"index"') < 1:
            raw += connection.recv(1 << 16)
        assert b'{"index":1,"id"' in raw
        assert b'{"index":0,"id"' not in raw


def test_an_empty_batch(service: Running) -> None:
    assert service.client.post("/judge_batch", {"items": []}).lines == []
    assert service.client.post("/execute_batch", {"scripts": []}).json == []


def test_a_deadline_in_a_batch(service: Running) -> None:
    item = {"source": "while True: pass", "language": "python", "tests": TESTS, "limits": {"cpu_s": 500}}
    answer = service.client.post("/judge_batch", {"items": [item] * 3, "deadline_s": 1})
    assert [line["error"]["type"] for line in answer.lines] == ["deadline"] * 3


def test_open_r1s_router(service: Running) -> None:
    scripts = ["x = 0.25\nx * 2", "print('a')\nprint('0.75')", "1/0", "echo 1.0", "import time\ntime.sleep(99)"]
    body = {"scripts": scripts, "languages": ["python"] * 3 + ["bash", "python"], "timeout": 1, "request_timeout": 60}
    found = service.client.post("/execute_batch", body).json
    assert [each["text"] for each in found] == ["0.5", "0.75", None, "1.0", None]
    assert found[0]["execution"]["results"][0]["text"] == "0.5"
    assert found[2]["exception_str"] == "ZeroDivisionError: division by zero"
    assert "limit_exceeded" in found[4]["exception_str"]
    assert {"results", "logs", "error", "execution_count"} <= set(found[1]["execution"])


def test_a_router_script_that_runs_programs_itself(service: Running) -> None:
    script = (
        "import subprocess\n"
        "command = ['python3', '-c', 'print(int(input()) * 2)']\n"
        "done = subprocess.run(command, input='21', text=True, capture_output=True)\n"
        "float(done.stdout.strip() == '42')"
    )
    assert service.client.post("/execute_batch", {"scripts": [script], "timeout": 30}).json[0]["text"] == "1.0"


# --- clients that leave, and time that passes ------------------------------------------------------------------------


def test_a_client_that_leaves_ends_its_run(make_service: Make) -> None:
    service = make_service(workers=1)
    for path, body in (
        ("/run_code", FOREVER),
        ("/judge", {"source": FOREVER["code"], "language": "python", "tests": TESTS, "limits": {"cpu_s": 500}}),
        ("/execute_batch", {"scripts": [FOREVER["code"]], "timeout": 500}),
        ("/judge_batch", {"items": [{**FOREVER, "source": FOREVER["code"], "tests": TESTS, "limits": {"cpu_s": 500}}]}),
    ):
        raw = json.dumps(body).encode()
        with service.client.connect() as connection:
            connection.sendall(head(path, length=len(raw)) + raw)
            until(lambda: service.metric("codejury_running") > 0)
        until(lambda: service.metric("codejury_running") == 0)
        assert service.client.run("print(1)")["status"] == "Success"  # on the only worker


def test_a_client_that_leaves_the_queue(make_service: Make) -> None:
    service = make_service(workers=1)
    raw = json.dumps(FOREVER).encode()
    connections = [service.client.connect() for _ in range(6)]
    for connection in connections:
        connection.sendall(head("/run_code", length=len(raw)) + raw)
    until(lambda: service.metric("codejury_waiting") == 3)  # of one worker two run, and one is in hand
    for connection in connections:
        connection.close()
    until(lambda: service.metric("codejury_waiting") == service.metric("codejury_running") == 0)
    assert service.client.run("print(1)")["status"] == "Success"


def test_the_clients_deadline(service: Running) -> None:
    """By the header, for whatever is asked; the run is ended with it."""
    began = time.monotonic()
    answer = service.client.post("/run_code", FOREVER, X_Deadline_S="1")
    assert (answer.status, answer.error) == (504, "deadline")
    assert answer.headers["retry-after"]
    assert time.monotonic() - began < 300  # and not 500
    until(lambda: service.metric("codejury_running") == 0)


def test_a_full_queue(make_service: Make) -> None:
    service = make_service(workers=1, places=2)
    raw = json.dumps(FOREVER).encode()
    connections = [service.client.connect() for _ in range(5)]
    for connection in connections:
        connection.sendall(head("/run_code", length=len(raw)) + raw)
    until(lambda: service.metric("codejury_waiting") == 2)
    answer = service.client.post("/run_code", {"code": "print(1)", "language": "python"})
    assert (answer.status, answer.error) == (503, "overloaded")
    assert int(answer.headers["retry-after"]) >= 1
    assert service.client.get("/healthz").status == 200  # who asks how it is needs no place
    named = threading.Thread(
        target=lambda: service.client.post("/run_code", {"code": "", "language": "python"}, X_Client_Id="other")
    )
    named.start()  # another client takes one of the two
    displaced, _, _ = select.select(connections, [], [], 60)
    assert [read(connection).error for connection in displaced] == ["overloaded"]
    for connection in connections:
        connection.close()
    named.join(60)
    assert not named.is_alive()


def test_a_batch_waits_where_a_request_is_refused(make_service: Make) -> None:
    """Its parts are not failures of theirs, though others take all places meanwhile."""
    service = make_service(workers=1, places=2)
    item = {"source": DOUBLE, "language": "python", "tests": TESTS}
    with ThreadPoolExecutor(8) as threads:
        batches = [threads.submit(service.client.post, "/judge_batch", {"items": [item] * 8}) for _ in range(4)]
        scripts = [threads.submit(service.client.post, "/execute_batch", {"scripts": ["6 * 7"] * 8}) for _ in range(4)]
    for each in (future.result() for future in batches):
        if each.status == 200:
            assert [line["judgement"]["verdict"] for line in each.lines] == ["success"] * 8
        else:
            assert (each.status, each.error) == (503, "overloaded")  # at once, and whole
    for each in (future.result() for future in scripts):
        assert each.status == 503 or [one["text"] for one in each.json] == ["42"] * 8
    assert any(future.result().status == 200 for future in batches + scripts)


def test_a_crowd(make_service: Make) -> None:
    """Everybody gets an answer or a refusal, and the right one."""
    service = make_service(places=40)

    def one(number: int) -> tuple[int, str]:
        answer = service.client.post(
            "/run_code", {"code": f"print({number})", "language": "python"}, X_Client_Id=str(number % 5)
        )
        return answer.status, answer.json["run_result"]["stdout"] if answer.status == 200 else answer.error

    with ThreadPoolExecutor(100) as threads:
        found = list(threads.map(one, range(300)))
    for number, (status, what) in enumerate(found):
        assert (status, what) in ((200, f"{number}\n"), (503, "overloaded"))
    assert any(status == 200 for status, _ in found)
    assert service.metric("codejury_waiting") == service.metric("codejury_running") == 0
