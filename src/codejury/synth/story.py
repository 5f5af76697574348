"""A problem's records as a page that a person can read: what was asked, what came, what was wrong with it.

Owns the page (Markdown). The steps are the row's, the words the store's; nothing is run and nobody is asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from codejury.llm.prompts import fenced, shortened
from codejury.llm.store import Exchanges
from codejury.synth.asking import Request
from codejury.synth.dialogue import Step

_PROMPT_CHARS = 4000
_REPLY_CHARS = 8000


def page(
    name: str,
    told: Mapping[str, Any],
    exchanges: Exchanges,
    *,
    error_info: str | None = None,
    waiting: Sequence[Request] = (),
) -> str:
    """`told`: the row's `synthesis`; `waiting`: what is still to be answered."""
    return "\n".join(_lines(name, told, exchanges, error_info, waiting)) + "\n"


def _lines(
    name: str,
    told: Mapping[str, Any],
    exchanges: Exchanges,
    error_info: str | None,
    waiting: Sequence[Request],
) -> Iterator[str]:
    steps = [msgspec.convert(step, Step) for step in told.get("steps", [])]
    yield f"# {name}"
    yield ""
    yield f"State: **{told.get('state', 'not finished')}**; model `{told.get('model', '?')}`; {len(steps)} questions."
    if error_info:
        yield from ("", fenced(error_info))
    yield from _outline(told)
    for number, step in enumerate(steps, 1):
        yield from _step(number, step, exchanges)
    for request in waiting:
        yield from ("", f"## Waiting for an answer: `{request.custom_id}`", "")
        yield fenced(shortened(_question(request.body), _PROMPT_CHARS))


def _outline(told: Mapping[str, Any]) -> Iterator[str]:
    rows = []
    for each in told.get("generators", []):
        rows.append(
            (
                f"input_generator[{each['index']}]",
                f"{each.get('stage', '')}, round {each.get('round')}: "
                f"{each.get('tests')} tests, {each.get('killed')} mutants killed",
                each,
            )
        )
    for what in ("validator", "checker"):
        if what in told:
            each = told[what]
            rows.append((what, "trusted" if each.get("trusted") else f"not used: {each.get('why', '')}", each))
    for each in told.get("against", []):
        rows.append((f"against {each['program']}", "killed" if each["killed"] else "still passes", each))
    if rows:
        yield from ("", "| artifact | | from |", "|---|---|---|")
    for name, words, each in rows:
        words = " ".join(words.split()).replace("|", "\\|")
        source = (
            f"{each['prompt']} {each['version']}, `{each['request'][:12]}`, {each['source']}"
            if "request" in each
            else ""
        )
        yield f"| {name} | {words} | {source} |"


def _step(number: int, step: Step, exchanges: Exchanges) -> Iterator[str]:
    sample = f", sample {step.sample}" if step.sample else ""
    yield from ("", f"## {number}. {step.stage}, round {step.round}{sample}", "")
    yield f"Prompt `{step.prompt}` ({step.version}); request `{step.request}`; {step.source}."
    exchange = exchanges.get(step.request)
    if exchange is None:
        yield from ("", "The store has no such exchange any more.")
    else:
        yield from ("", "Asked:", "", fenced(shortened(_question(exchange.request), _PROMPT_CHARS)), "")
        ended = f" (ended by {exchange.finish_reason})" if exchange.finish_reason not in ("", "stop") else ""
        yield f"Answered{ended}:"
        yield from ("", fenced(shortened(exchange.text, _REPLY_CHARS) or "(nothing)"))
    if step.fault:
        yield from ("", f"**{step.fault}**")
    if step.told:
        yield from ("", step.told)
    if step.evidence:
        yield from ("", "Evidence:", "", fenced(step.evidence))


def _question(body: Mapping[str, Any]) -> str:
    """The last turn: what comes before is the same in every question of its kind, or was told before."""
    messages = body.get("messages") or [{}]
    return str(messages[-1].get("content", ""))
