"""The description of the service, and what comes of requests that are made by it: right ones, nearly right ones, and
others.

No request, whatever is in it, may end as anything but an answer of the described shape or a typed refusal.
CODEJURY_FUZZ is how many requests there are (250 unless it says more).
"""

from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Iterator
from typing import Any

import pytest
from service.conftest import Running
from service.wire import head, read

from codejury.service.refusals import STATUS

REQUESTS = int(os.environ.get("CODEJURY_FUZZ", "250"))
TEXTS = [
    "",
    "python",
    "print(1)",
    "x = 1",
    "cpp",
    "a/b",
    "../x",
    "eA==",
    "\0",
    "\ud800",
    "é🎉",
    "assert True",
    "1 2\n",
    "f",
    "-1",
    "A" * 5000,
    "def f(x): return x",
]
NUMBERS = [0, 1, -1, 2, 0.5, 10, 1e308, -1e308, 2**63, 2**64, 10**40, 1e-300]


@pytest.fixture(scope="module")
def fuzzed() -> Iterator[Running]:
    """A service that gives programs little time."""
    running = Running(timeout_s=1.0, items=50, files=20, memory_mb=256)
    yield running
    running.stop()


@pytest.fixture(scope="module")
def described(fuzzed: Running) -> Any:
    answer = fuzzed.client.get("/openapi.json")
    assert answer.status == 200
    return answer.json


def test_the_document_names_every_path(described: Any) -> None:
    assert described["openapi"].startswith("3.")
    assert set(described["paths"]) == {
        "/run_code",
        "/submit",
        "/v1/ping",
        "/judge",
        "/judge_batch",
        "/execute_batch",
        "/healthz",
        "/readyz",
        "/metrics",
        "/openapi.json",
        "/",
        "/events",
        "/languages",
        "/try",
    }
    text = json.dumps(described)
    for name in re.findall(r"#/components/schemas/([\w.]+)", text):
        assert name in described["components"]["schemas"]


def test_what_is_answered_has_the_described_shape(fuzzed: Running, described: Any) -> None:
    found = fuzzed.client.run("print(1)", run_timeout=1, compile_timeout=1)
    assert shape_faults(described, {"$ref": "#/components/schemas/RunCodeResponse"}, found) == []
    assert shape_faults(described, {"$ref": "#/components/schemas/RunCodeResponse"}, {"status": 3}) != []


@pytest.mark.timeout(3600)
def test_whatever_is_asked(fuzzed: Running, described: Any) -> None:
    dice = random.Random(20261115)
    operations = [(path, operation["post"]) for path, operation in described["paths"].items() if "post" in operation]
    statuses: dict[int, int] = {}
    connection = fuzzed.client.connect()
    for number in range(REQUESTS):
        path, operation = dice.choice(operations)
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        body = json.dumps(made(described, schema, dice, 0)).encode()
        if dice.random() < 0.15:
            body = mangled(body, dice)
        method = "POST" if dice.random() < 0.97 else dice.choice(["GET", "PUT", "DELETE"])
        more = {"Content_Encoding": "gzip"} if dice.random() < 0.02 else {}
        try:
            connection.sendall(head(path, method, None, Content_Length=str(len(body)), **more) + body)
            answer = read(connection)
        except ConnectionError:
            raise AssertionError(f"request {number}: no answer to {method} {path} {body[:500]!r}") from None
        if answer.headers.get("connection") == "close":
            connection.close()
            connection = fuzzed.client.connect()
        what = f"request {number}: {method} {path} {body[:500]!r}: {answer.status} {answer.body[:500]!r}"
        statuses[answer.status] = statuses.get(answer.status, 0) + 1
        if answer.status == 200:
            kind, content = next(iter(operation["responses"]["200"]["content"].items()))
            for each in answer.lines if kind == "application/x-ndjson" else [answer.json]:
                assert shape_faults(described, content["schema"], each) == [], what
                assert '"internal"' not in json.dumps(each), what
        else:
            assert answer.status != 500, what
            assert STATUS[answer.json["error"]["type"]] == answer.status, what
    connection.close()
    assert statuses.get(200, 0) > REQUESTS // 50
    assert statuses.get(422, 0) > REQUESTS // 50
    assert fuzzed.client.run("print(42)", run_timeout=1, compile_timeout=1)["run_result"]["stdout"] == "42\n"


def resolved(described: Any, schema: Any) -> Any:
    while "$ref" in schema:
        schema = described["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return schema


def made(described: Any, schema: Any, dice: random.Random, depth: int) -> Any:
    """A value of the schema; now and then, anything."""
    schema = resolved(described, schema)
    if dice.random() < 0.03 or depth > 8 or not ({"type", "anyOf", "enum"} & set(schema)):
        return anything(dice, 0)
    if "enum" in schema:
        return dice.choice(schema["enum"])
    if "anyOf" in schema:
        return made(described, dice.choice(schema["anyOf"]), dice, depth + 1)
    kind = schema["type"]
    if kind == "object":
        properties = schema.get("properties", {})
        required = schema.get("required", [])
        value = {
            name: made(described, each, dice, depth + 1)
            for name, each in properties.items()
            if (name in required and dice.random() < 0.98) or dice.random() < 0.4
        }
        extra = schema.get("additionalProperties")
        if isinstance(extra, dict):
            value |= {dice.choice(TEXTS): made(described, extra, dice, depth + 1) for _ in range(dice.randrange(4))}
        return typical(value, dice)
    if kind == "array":
        items = schema.get("items", {})
        return [
            made(described, items if isinstance(items, dict) else {}, dice, depth + 1) for _ in range(dice.randrange(4))
        ]
    if kind in ("number", "integer"):
        return dice.choice([0.3, 0.5, 1, *NUMBERS])
    return {"string": lambda: dice.choice(TEXTS), "boolean": lambda: dice.random() < 0.5}.get(kind, lambda: None)()


def typical(value: dict[str, Any], dice: random.Random) -> dict[str, Any]:
    """Languages and tests are mostly such as there are: else nothing would come further than to be checked."""
    usual: dict[str, list[Any]] = {
        "language": ["python", "bash", "lean", None],
        "languages": [["python"], None],
        "tests": [[{"input": "1", "output": "1"}], "assert True", {"inputs": [[1]], "outputs": [1], "fn_name": "f"}],
        "code": ["print(1)", "print(input())", "while 1: pass", "open('f','w').write('1')"],
        "source": ["print(1)", "def f(x): return x", "1/0"],
        "scripts": [["1"], ["print(1)", "1/0"]],
        "files": [{"a.txt": "eA=="}, {}],
        "fetch_files": [["f"], []],
        "run_timeout": [0.3],
        "compile_timeout": [0.5],
        "timeout": [0.3],
        "limits": [{"cpu_s": 0.2}],
    }
    return {
        key: dice.choice(usual[key]) if key in usual and dice.random() < 0.8 else each for key, each in value.items()
    }


def anything(dice: random.Random, depth: int) -> Any:
    choice = dice.randrange(8 if depth < 4 else 6)
    if choice < 2:
        return dice.choice(TEXTS)
    if choice < 4:
        return dice.choice(NUMBERS)
    if choice < 6:
        return dice.choice([None, True, False, [], {}])
    if choice == 6:
        return [anything(dice, depth + 1) for _ in range(dice.randrange(4))]
    return {dice.choice(TEXTS): anything(dice, depth + 1) for _ in range(dice.randrange(4))}


def mangled(body: bytes, dice: random.Random) -> bytes:
    spoilt = bytearray(body)
    for _ in range(dice.randrange(1, 4)):
        at = dice.randrange(len(spoilt) + 1)
        if dice.random() < 0.5:
            spoilt[at:at] = dice.choice([b"\xff", b"[" * 2000, b'"', b"\\u", b",", b"NaN", b"1e999"])
        else:
            del spoilt[at : at + dice.randrange(20)]
    return bytes(spoilt)


def shape_faults(described: Any, schema: Any, value: Any) -> list[str]:
    """How a value differs from its schema; the few words of JSON Schema that the document uses."""
    schema = resolved(described, schema)
    if "anyOf" in schema:
        tried = [shape_faults(described, each, value) for each in schema["anyOf"]]
        return [] if [] in tried else [f"{value!r:.100} fits none of {len(tried)}"]
    if "enum" in schema:
        return [] if value in schema["enum"] else [f"{value!r:.100} is none of {schema['enum']}"]
    types = {
        "object": dict,
        "array": list,
        "string": str,
        "boolean": bool,
        "null": type(None),
        "number": (int, float),
        "integer": int,
    }
    if "type" not in schema:
        return []
    if not isinstance(value, types[schema["type"]]):
        return [f"{value!r:.100} is no {schema['type']}"]
    faults: list[str] = []
    if isinstance(value, dict):
        faults += [f"{name} is missing" for name in schema.get("required", []) if name not in value]
        for name, each in value.items():
            within = schema.get("properties", {}).get(name, schema.get("additionalProperties", {}))
            faults += shape_faults(described, within if isinstance(within, dict) else {}, each)
    if isinstance(value, list) and isinstance(schema.get("items"), dict):
        faults += [fault for each in value for fault in shape_faults(described, schema["items"], each)]
    return faults
