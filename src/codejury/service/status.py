"""What the service says of itself: that it lives, that it takes requests, its numbers, its description."""

from __future__ import annotations

import os
import resource

from codejury.service import openapi
from codejury.service.operations import Exchange, Operation, Reply, Service
from codejury.service.turns import stopping


def operations(service: Service) -> list[Operation]:
    service.metrics.gauge(
        "codejury_resident_bytes", "Memory of the service itself, without the sandbox.", resident_bytes
    )
    service.metrics.gauge("codejury_cpu_seconds", "CPU time of the service itself.", _cpu)
    return [
        Operation(path="/healthz", method="GET", summary="The service lives.", answer=_alive, gives=str, open=True),
        Operation(
            path="/readyz", method="GET", summary="The service takes requests.", answer=_ready, gives=str, open=True
        ),
        Operation(
            path="/metrics",
            method="GET",
            summary="Numbers, in the text format of Prometheus.",
            answer=_metrics,
            content_type="text/plain; version=0.0.4",
        ),
        Operation(path="/openapi.json", method="GET", summary="This document.", answer=_described, gives=dict),
    ]


async def _alive(exchange: Exchange) -> Reply:
    return Reply(b'"ok"')


async def _ready(exchange: Exchange) -> Reply:
    if not exchange.service.ready:
        raise stopping()
    return Reply(b'"ready"')


async def _metrics(exchange: Exchange) -> Reply:
    return Reply(exchange.service.metrics.text().encode(), content_type=b"text/plain; version=0.0.4")


async def _described(exchange: Exchange) -> Reply:
    return Reply(openapi.document(exchange.service.operations))


def resident_bytes() -> float:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
