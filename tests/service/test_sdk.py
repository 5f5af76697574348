"""The peer's own client, unchanged, against the service."""

from __future__ import annotations

import asyncio
import base64

import pytest
from service.conftest import Make, Running

sandbox_fusion = pytest.importorskip("sandbox_fusion")
from sandbox_fusion import RunCodeRequest, SubmitRequest, SummaryMapping, TestConfig  # noqa: E402

SUMMARY = SummaryMapping(CompileFailed="compile", CompileTimeout="compile-late", RunFailed="run", RunTimeout="late")


def run(service: Running, attempts: int = 1, **fields: object) -> sandbox_fusion.RunCodeResponse:
    return sandbox_fusion.run_code(RunCodeRequest(**fields), endpoint=service.url, max_attempts=attempts)


def summary(service: Running, **fields: object) -> str:
    return sandbox_fusion.summary_run_code_result(run(service, **fields), SUMMARY)


def test_run_code(service: Running) -> None:
    found = run(service, code="print(input())", language="python", stdin="hello")
    assert found.status == sandbox_fusion.RunStatus.Success
    assert found.run_result.stdout == "hello\n"


def test_files_and_fetch_files(service: Running) -> None:
    found = run(
        service,
        code="open('b', 'wb').write(open('d/a', 'rb').read()[::-1])",
        language="python",
        files={"d/a": base64.b64encode(b"\x00\xff1").decode()},
        fetch_files=["b"],
    )
    assert base64.b64decode(found.files["b"]) == b"1\xff\x00"


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"code": "print(1)", "language": "python"}, "Success"),
        ({"code": "1/0", "language": "python"}, "run"),
        ({"code": "while True: pass", "language": "python", "run_timeout": 0.5}, "late"),
        ({"code": "int main() { return x; }", "language": "cpp"}, "compile"),
        ({"code": '#include "/dev/zero"', "language": "cpp", "compile_timeout": 0.05}, "compile-late"),
        ({"code": "int main() { return 0; }", "language": "cpp"}, "Success"),
        ({"code": "console.log(1)", "language": "nodejs"}, "Success"),
        ({"code": "x = bytearray(400 << 20); 1/0", "language": "python"}, "run"),
    ],
)
def test_its_own_summary_of_results(service: Running, fields: dict[str, object], word: str) -> None:
    assert summary(service, **fields).split(".")[-1] == word


def test_what_is_not_here_raises(service: Running) -> None:
    with pytest.raises(Exception, match=r"Sandbox responded with error.*lean"):
        run(service, code="x", language="lean")


def test_many_at_a_time(service: Running) -> None:
    requests = [{"code": f"print({n} * 2)", "language": "python"} for n in range(40)]
    found = sandbox_fusion.run_concurrent(run, args=[[service]] * 40, kwargs=requests, concurrency=20)
    assert [each.run_result.stdout for each in found] == [f"{n * 2}\n" for n in range(40)]


def test_coroutines(service: Running) -> None:
    async def all_of_them() -> list[sandbox_fusion.RunCodeResponse]:
        requests = [RunCodeRequest(code=f"print({n})", language="python") for n in range(20)]
        return await asyncio.gather(*(sandbox_fusion.run_code_async(each, service.url, 1) for each in requests))

    assert [each.run_result.stdout for each in asyncio.run(all_of_them())] == [f"{n}\n" for n in range(20)]


def test_submit(service: Running) -> None:
    tests = [{"input": {"stdin": "4"}, "output": {"stdout": "8"}}]
    config = TestConfig(language="python", provided_data={"id": "a", "test": tests}, extra={})
    asked = SubmitRequest(dataset="d", id="a", completion="```python\nprint(int(input()) * 2)\n```", config=config)
    found = sandbox_fusion.submit(asked, service.url, 1)
    assert found.accepted
    assert found.tests[0].exec_info.run_result.stdout == "8\n"


def test_a_token_in_the_address_is_enough(make_service: Make) -> None:
    """Its client can set no header."""
    from codejury.settings import Secret

    service = make_service(token=Secret("a-secret-of-this-test"), workers=1)
    asked = RunCodeRequest(code="print(1)", language="python")
    address = f"http://codejury:a-secret-of-this-test@127.0.0.1:{service.port}"
    assert sandbox_fusion.run_code(asked, address, 1).run_result.stdout == "1\n"
    with pytest.raises(Exception, match="401"):
        sandbox_fusion.run_code(asked, address.replace("secret", "guess"), 1)
