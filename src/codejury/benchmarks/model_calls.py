"""Calls of a function that a model thinks of.

    prompt `function_seeds` ─► script ─► run in the sandbox ─► a printed list of argument lists

Owns the question and the way from its answer to values. The script is a program of a stranger like any other. What a
model gets wrong costs its calls and nothing else: the task goes on without.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from codejury.dataset.literal import literal_of
from codejury.errors import ModelError
from codejury.languages.execute import Sandbox
from codejury.llm.client import Client
from codejury.llm.prompts import Prompts
from codejury.llm.replies import code_of
from codejury.model import Limits, Problem

_LIMITS = Limits(cpu_s=10.0, output_mb=8)
_EXAMPLES = 6
_ENDS = ("refused", "spent")  # no later task would fare better


class ModelCalls:
    """What `augment` asks: called with a problem and how many calls are wanted."""

    def __init__(
        self,
        client: Client,
        sandbox: Sandbox,
        *,
        prompts: Prompts | None = None,
        note: Callable[[str], None] | None = None,
    ) -> None:
        self._client, self._sandbox = client, sandbox
        self._prompts = prompts or Prompts()
        self._note = note or (lambda text: None)

    def __call__(self, problem: Problem, count: int) -> list[list[Any]]:
        """An empty list where the model was of no help; ModelError where it never will be."""
        asked = self._prompts.render(
            "function_seeds",
            statement=problem.statement,
            function=problem.fn_name or "",
            gold=problem.golds[0].source,
            examples="\n".join(repr(case.input)[:200] for case in problem.cases[:_EXAMPLES]),
            count=str(count),
        )
        try:
            reply = self._client.ask(asked.messages)
        except ModelError as error:
            if error.trouble in _ENDS:
                raise
            self._note(f"{problem.id}: {error}")
            return []
        found = code_of(reply.text, language="python", prints=True, finish_reason=reply.finish_reason)
        if not found.code:
            self._note(f"{problem.id}: the model's answer holds no script: {found.detail}")
            return []
        outcome = self._sandbox.run(found.code, language="python", limits=_LIMITS)
        if not outcome.ok:
            self._note(f"{problem.id}: the model's script ended with {outcome.status}")
            return []
        arity = {len(case.input) for case in problem.cases}
        try:
            told = literal_of(outcome.stdout.decode("utf-8", "replace").strip())
        except (ValueError, RecursionError) as error:
            self._note(f"{problem.id}: the model's script printed no list of calls: {error}")
            return []
        rows = told if isinstance(told, list) else []
        return [list(row) for row in rows if isinstance(row, (list, tuple)) and len(row) in arity]
