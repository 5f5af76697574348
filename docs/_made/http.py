"""Every path of the service, from its OpenAPI document."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from _made.markdown import code, plain, prose, table


def document() -> dict[str, Any]:
    """As `/openapi.json` gives it. No server is started, and no program is run."""
    from codejury import Jury, Sandbox
    from codejury.service import openapi
    from codejury.service.app import ROOMS
    from codejury.service.operations import Service
    from codejury.service.options import Options

    async def made() -> bytes:
        with Sandbox(workers=1) as sandbox, Jury(sandbox) as jury:
            service = Service(Options(), sandbox, jury)
            for room in ROOMS:
                service.operations += room(service)
            return openapi.document(service.operations)

    found: dict[str, Any] = json.loads(asyncio.run(made()))
    return found


def page() -> str:
    whole = document()
    parts = [
        "# HTTP API\n",
        "Made from the service's own description, which it gives at `/openapi.json`. [The "
        "service](../service.md) says how requests "
        "wait, who may, and what a refusal means.\n",
    ]
    operations = [(path, method, each) for path, at in whole["paths"].items() for method, each in at.items()]
    parts.append(
        table(
            ["path", "", "token"],
            (
                [
                    f"[{code(f'{method.upper()} {path}')}](#{_anchor(method, path)})",
                    plain(each["summary"]),
                    "where one is set" if each.get("security") else "never",
                ]
                for path, method, each in operations
            ),
        )
    )
    for path, method, each in operations:
        parts += [f"## {method.upper()} {path} {{#{_anchor(method, path)}}}\n", plain(each["summary"]) + "\n"]
        body = each.get("requestBody")
        if body:
            parts.append("Takes " + _type(body["content"]["application/json"]["schema"]) + " as JSON.\n")
        for status, answer in each["responses"].items():
            ((kind, content),) = answer["content"].items()
            if status == "200":
                parts.append(f"Answers {_type(content['schema'])} as {code(kind)}.\n")
        refusals = ", ".join(status for status in each["responses"] if status != "200")
        if refusals:
            parts.append(f"Refuses with {refusals}: [refusals](../service.md#refusals).\n")
    parts.append("## Bodies\n")
    for name, schema in sorted(whole["components"]["schemas"].items()):
        parts += [f"### {name} {{#{name.lower()}}}\n", prose(schema.get("description"))]
        needed = set(schema.get("required", ()))
        if "properties" in schema:
            parts.append(
                table(
                    ["field", "type", "otherwise"],
                    (
                        [code(field), _type(of), "needed" if field in needed else _default(of)]
                        for field, of in schema["properties"].items()
                    ),
                )
            )
    return "\n".join(parts)


def _anchor(method: str, path: str) -> str:
    return f"{method}{path}".replace("/", "-").replace(".", "-").strip("-") or method


def _default(schema: dict[str, Any]) -> str:
    return code(json.dumps(schema["default"], ensure_ascii=False)) if "default" in schema else ""


def _type(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_type(each) for each in schema["anyOf"]))
    if "enum" in schema:
        return ", ".join(code(json.dumps(each)) for each in schema["enum"])
    match schema.get("type"):
        case "array":
            inner = schema.get("items", {})
            return "list of " + (_type(inner) if isinstance(inner, dict) and inner else "anything")
        case "object":
            inner = schema.get("additionalProperties", {})
            return "object of " + (_type(inner) if isinstance(inner, dict) and inner else "anything")
        case "string":
            return "text"
        case "null":
            return "null"
        case str(word):
            return word
    return "anything"
