"""The SandboxFusion protocol, field by field: what its clients send, what they look at."""

from __future__ import annotations

import base64
import re
from typing import Any

import pytest
from service.conftest import Running

from codejury.service.fusion import LANGUAGES

PEERS_LANGUAGES = re.findall(
    r"\w+",
    "python cpp nodejs go go_test java php csharp bash typescript sql rust cuda lua R perl D_ut ruby scala julia "
    "pytest junit kotlin_script jest verilog python_gpu lean swift racket",
)


def b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def test_a_program_that_ends_well(service: Running) -> None:
    found = service.client.run("import sys; print(input()); print('e', file=sys.stderr)", stdin="hello\n")
    result = found.pop("run_result")
    assert found == {
        "status": "Success",
        "message": "",
        "compile_result": None,
        "executor_pod_name": None,
        "files": {},
    }
    assert isinstance(result.pop("execution_time"), float)
    assert result == {"status": "Finished", "return_code": 0, "stdout": "hello\n", "stderr": "e\n"}


def test_only_code_and_language_are_needed(service: Running) -> None:
    assert service.client.run("print(1)")["run_result"]["stdout"] == "1\n"


def test_null_for_stdin_is_an_empty_one(service: Running) -> None:
    assert service.client.run("import sys; print(repr(sys.stdin.read()))", stdin=None)["run_result"]["stdout"] == "''\n"


@pytest.mark.parametrize(
    ("code", "return_code"),
    [("raise SystemExit(3)", 3), ("1/0", 1), ("import os; os.kill(os.getpid(), 15)", -15), ("x =", 1)],
)
def test_a_program_that_fails(service: Running, code: str, return_code: int) -> None:
    found = service.client.run(code)
    assert (found["status"], found["run_result"]["status"]) == ("Failed", "Finished")
    assert found["run_result"]["return_code"] == return_code


@pytest.mark.parametrize("code", ["while True: pass", "import time; time.sleep(60)"])
def test_a_time_out(service: Running, code: str) -> None:
    found = service.client.run(f"print('before', flush=True)\n{code}", run_timeout=0.5)
    result = found["run_result"]
    assert found["status"] == "Failed"
    assert (result["status"], result["return_code"]) == ("TimeLimitExceeded", None)
    assert result["stdout"] == "before\n"


def test_a_compiled_program(service: Running) -> None:
    found = service.client.run('#include <cstdio>\nint main() { puts("c"); return 4; }', "cpp")
    assert found["status"] == "Failed"
    assert (found["compile_result"]["status"], found["compile_result"]["return_code"]) == ("Finished", 0)
    assert (found["run_result"]["stdout"], found["run_result"]["return_code"]) == ("c\n", 4)


def test_a_failed_compile_leaves_no_run(service: Running) -> None:
    found = service.client.run("int main() { return undeclared; }", "cpp")
    assert (found["status"], found["run_result"]) == ("Failed", None)
    assert found["compile_result"]["status"] == "Finished"
    assert found["compile_result"]["return_code"] == 1
    assert "undeclared" in found["compile_result"]["stderr"]


def test_a_compile_that_takes_too_long(service: Running) -> None:
    found = service.client.run('#include "/dev/zero"\nint main() {}', "cpp", compile_timeout=0.05)
    assert (found["status"], found["run_result"]) == ("Failed", None)
    assert found["compile_result"]["status"] == "TimeLimitExceeded"
    assert found["compile_result"]["return_code"] is None


def test_files_go_in_and_come_out(service: Running) -> None:
    found = service.client.run(
        "import os\n"
        "text = open('data/in.txt').read()\n"
        "open('out.txt', 'w').write(text.upper())\n"
        "open('o*t.txt', 'w').write('star')\n"
        "print(sorted(os.listdir('data')))",
        files={"data/in.txt": b64("some text"), "data/none.txt": None},
        fetch_files=["out.txt", "missing.txt"],
    )
    assert found["run_result"]["stdout"] == "['in.txt']\n"
    assert found["files"] == {"out.txt": b64("SOME TEXT")}


def test_a_path_to_fetch_is_no_pattern(service: Running) -> None:
    code = "for name in ('a*', 'ab', '[ab]', 'b\\\\c'): open(name, 'w').write(name)"
    found = service.client.run(code, fetch_files=["a*", "[ab]", "b\\c", "?b"])
    assert found["files"] == {name: b64(name) for name in ("a*", "[ab]", "b\\c")}


def test_files_of_a_failed_run_come_out_too(service: Running) -> None:
    found = service.client.run("open('log', 'w').write('x')\n1/0", fetch_files=["log"])
    assert (found["status"], found["files"]) == ("Failed", {"log": b64("x")})


def test_headers_beside_the_source(service: Running) -> None:
    code = '#include <cstdio>\n#include "n.h"\nint main() { printf("%d", N); }'
    assert service.client.run(code, "cpp", files={"n.h": b64("#define N 42\n")})["run_result"]["stdout"] == "42"


def test_large_output_is_whole(service: Running) -> None:
    found = service.client.run("print('x' * 3_000_000)")
    assert (found["status"], len(found["run_result"]["stdout"])) == ("Success", 3_000_001)


def test_bytes_that_are_no_text_are_replaced(service: Running) -> None:
    found = service.client.run("import sys; sys.stdout.buffer.write(b'a\\xffb')")
    assert found["run_result"]["stdout"] == "a\ufffdb"


def test_memory_is_the_programs_own(service: Running) -> None:
    """numpy and threads fit where the peer's address space limit kills them; what is too much is told."""
    code = "import threading, numpy\nthreading.Thread(target=print, args=[numpy.ones(9).sum()]).start()"
    assert service.client.run(code, memory_limit_MB=512)["run_result"]["stdout"] == "9.0\n"
    found = service.client.run("x = bytearray(400 << 20)\nprint(len(x))", memory_limit_MB=128)
    assert (found["status"], found["message"]) == ("Failed", "memory_limit_exceeded")
    assert found["run_result"]["return_code"] != 0


@pytest.mark.parametrize("name", PEERS_LANGUAGES)
def test_every_language_of_the_peer_is_known(service: Running, name: str) -> None:
    """What this host has not is a SandboxError that says so, and no 422."""
    assert name in LANGUAGES
    if LANGUAGES[name] is None:
        found = service.client.run("x", name)
        assert found["status"] == "SandboxError"
        assert name in found["message"]


def test_pytest(service: Running) -> None:
    code = "def test_it(): assert 1 + 1 == 2\ndef test_not(): assert 1 + 1 == 3\n"
    found = service.client.run(code, "pytest", run_timeout=100)
    assert (found["status"], found["run_result"]["return_code"]) == ("Failed", 1)
    assert "1 failed, 1 passed" in found["run_result"]["stdout"]


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({"language": "python"}, []),
        ({"code": "x"}, []),
        ({"code": "x", "language": "klingon"}, ["language"]),
        ({"code": 3, "language": "python"}, ["code"]),
        ({"code": "x", "language": "python", "run_timeout": "soon"}, ["run_timeout"]),
        ({"code": "x", "language": "python", "run_timeout": 0}, ["run_timeout"]),
        ({"code": "x", "language": "python", "compile_timeout": 1e9}, ["compile_timeout"]),
        ({"code": "x", "language": "python", "files": {"a": "%%%"}}, ["files"]),
        ({"code": "x", "language": "python", "files": [1]}, ["files"]),
        ({"code": "x", "language": "python", "fetch_files": [1]}, ["fetch_files[0]"]),
        ([], []),
        (None, []),
    ],
)
def test_what_makes_no_sense_is_a_422(service: Running, body: Any, place: list[str]) -> None:
    answer = service.client.post("/run_code", body)
    assert (answer.status, answer.error) == (422, "invalid")
    assert answer.json["detail"][0]["loc"] == ["body", *place]


def test_fields_that_nobody_knows_are_passed_over(service: Running) -> None:
    assert service.client.run("print(1)", unknown=[1])["status"] == "Success"


def test_ping(service: Running) -> None:
    assert service.client.get("/v1/ping").json == "pong"


# --- submit ----------------------------------------------------------------------------------------------------------


def submit(service: Running, completion: str, tests: list[Any], **config: Any) -> Any:
    row = {"id": 7, "content": "Double it.", "test": tests}
    body = {
        "dataset": "mine",
        "id": 7,
        "completion": completion,
        "config": {"language": "python", "dataset_type": "CommonOJDataset", "provided_data": row, **config},
    }
    answer = service.client.post("/submit", body)
    assert answer.status == 200, answer
    return answer.json


TESTS = [{"input": {"stdin": str(n)}, "output": {"stdout": f"{2 * n}\n"}} for n in (1, 2, 3)]


def test_submit_a_right_answer(service: Running) -> None:
    found = submit(service, "So:\n```python\nprint(int(input()) * 2)\n```\n", TESTS)
    assert (found["id"], found["accepted"], found["extracted_type"]) == (7, True, "fenced")
    assert found["extracted_code"].strip() == "print(int(input()) * 2)"
    assert [test["passed"] for test in found["tests"]] == [True] * 3
    assert found["tests"][1]["exec_info"]["run_result"]["stdout"] == "4\n"
    assert found["tests"][1]["test_info"] == TESTS[1]


def test_submit_a_wrong_answer(service: Running) -> None:
    code = "```python\nn = int(input())\nprint(n * 2 if n != 2 else 5)\n```"
    found = submit(service, code, TESTS)
    assert (found["accepted"], [test["passed"] for test in found["tests"]]) == (False, [True, False])
    found = submit(service, code, TESTS, extra={"run_all_cases": True})
    assert (found["accepted"], [test["passed"] for test in found["tests"]]) == (False, [True, False, True])


def test_submit_words_without_code(service: Running) -> None:
    found = submit(service, "", TESTS)
    assert (found["accepted"], found["extracted_code"], found["extracted_type"]) == (False, "", "empty")


def test_submit_files(service: Running) -> None:
    tests = [{"input": {"in.txt": "abc"}, "output": {"out.txt": "cba"}}]
    code = "```python\nopen('out.txt', 'w').write(open('in.txt').read()[::-1])\n```"
    assert submit(service, code, tests)["accepted"]
    assert not submit(service, "```python\nprint('cba')\n```", tests)["accepted"]


def test_submit_a_language_that_is_not_here_is_no_wrong_answer(service: Running) -> None:
    body = {"dataset": "d", "id": 1, "completion": "```\nx\n```"}
    config = {"language": "lean", "provided_data": {"id": 1, "test": TESTS}}
    answer = service.client.post("/submit", {**body, "config": config})
    assert (answer.status, answer.error) == (503, "infrastructure")


def test_submit_without_data(service: Running) -> None:
    answer = service.client.post("/submit", {"dataset": "d", "id": 1, "completion": "x", "config": {}})
    assert (answer.status, answer.error) == (422, "invalid")
    assert "provided_data" in answer.body.decode()
