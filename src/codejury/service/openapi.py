"""The table of operations as an OpenAPI 3.1 document. The types are those that decode and encode the bodies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from codejury.service.operations import Operation
from codejury.service.refusals import ErrorBody

_REFUSALS = {
    "401": "no token, or a wrong one",
    "413": "larger than the service takes",
    "422": "a request that makes no sense",
    "503": "no room, or the service stops, or its sandbox failed; Retry-After says when to come again",
    "504": "the client's time was over",
}


def document(operations: Sequence[Operation]) -> bytes:
    from codejury import __version__

    types = [ErrorBody]
    for operation in operations:
        types += [each for each in (operation.takes, operation.gives) if each is not None]
    schemas, components = msgspec.json.schema_components(types, ref_template="#/components/schemas/{name}")
    refused, *rest = schemas
    described = iter(rest)
    paths: dict[str, Any] = {}
    for operation in operations:
        made: dict[str, Any] = {
            "operationId": operation.path.strip("/").replace("/", "_").replace(".", "_") or "dashboard",
            "summary": operation.summary,
            "tags": [operation.tag],
        }
        if operation.takes is not None:
            content = {"application/json": {"schema": next(described)}}
            made["requestBody"] = {"required": True, "content": content}
        schema = next(described) if operation.gives is not None else {"type": "string"}
        responses: dict[str, Any] = {
            "200": {"description": "the answer", "content": {operation.content_type: {"schema": schema}}}
        }
        for status, why in _REFUSALS.items():
            if operation.method == "POST" or status in ("401", "503"):
                responses[status] = {"description": why, "content": {"application/json": {"schema": refused}}}
        made["responses"] = responses
        if not (operation.open or operation.page):
            made["security"] = [{}, {"token": []}]
        paths.setdefault(operation.path, {})[operation.method.lower()] = made
    whole = {
        "openapi": "3.1.0",
        "info": {
            "title": "codejury",
            "version": __version__,
            "description": "Runs and judges programs that nobody trusts.",
        },
        "paths": paths,
        "components": {"schemas": components, "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    }
    return msgspec.json.encode(whole)
