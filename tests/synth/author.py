"""A scripted author: what a model would say, by the prompt it is asked with. Served by llm/chat_server over real HTTP.

    Author(regular_generator=GOOD, generator_repair_error=when("ZeroDivisionError", GOOD, otherwise=CRASHES))
    Author({"sum": {"regular_generator": GOOD}})         by problem, whose statement begins with `Problem sum.`

An answer is a text, a step of the server (Say, Raw, …), or a function of the last message that gives one. What is not
scripted is answered with words and no code. What it says depends on the question alone, as a run that goes on wants it.
"""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from llm.chat_server import ChatServer, Say

import codejury.llm.prompts
from codejury import Sandbox
from codejury.llm.client import Client
from codejury.llm.prompts import Prompts
from codejury.llm.store import Exchanges
from codejury.synth.asking import Live
from codejury.synth.options import Options
from codejury.synth.run import Summary, synthesise

_MARKS = (  # the first that is in the last message
    ("again", "That answer cannot be used"),
    ("afresh", "An earlier answer was refused"),
    ("go_on", "Your answer was cut off"),
    ("adversarial_generator", "A wrong program that passes all tests so far"),
    ("generator_repair_error", "is to print test inputs for the problem, and failed"),
    ("generator_repair_outputs", "The script below made this input:"),
    ("regular_generator", "valid random inputs for this problem"),
    ("corner_generator", "corner cases for this problem"),
    ("function_seeds", "Do not call the function."),
    ("input_validator_repair", "Write the whole validator again"),
    ("input_validator", "Write is_valid_input for this problem"),
    ("checker_decision", "Are there inputs with several right outputs"),
    ("checker_review", "Review this checker"),
    ("checker_repair", "This checker is wrong"),
    ("checker", "Write is_valid_output for this problem"),
)


def kind_of(body: Any) -> str:
    last = body["messages"][-1]["content"]
    return next(kind for kind, mark in _MARKS if mark in last)


def problem_of(body: Any) -> str:
    text = "\n".join(message["content"] for message in body["messages"])
    found = re.search(r"^Problem ([\w-]+)\.", text, re.MULTILINE)
    return found[1] if found else ""


def fenced(code: str) -> str:
    return f"Here it is.\n```python\n{code}\n```\n"


def when(evidence: str, answer: Any, *, otherwise: Any) -> Callable[[str], Any]:
    """An author who can repair only what it is told about."""
    return lambda last: answer if evidence in last else otherwise


class Author:
    def __init__(self, by_problem: dict[str, dict[str, Any]] | None = None, **answers: Any) -> None:
        self.by_problem = by_problem or {}
        self.answers = answers
        self.asked: dict[str, Counter[str]] = {}
        self.bodies: dict[str, Any] = {}  # the last request of each prompt
        self._lock = threading.Lock()

    def __call__(self, body: Any) -> Any:
        kind = kind_of(body)
        problem = problem_of(body)
        with self._lock:
            self.asked.setdefault(problem, Counter())[kind] += 1
            self.bodies[kind] = body
        answer = self.by_problem.get(problem, self.answers).get(kind, "I have no idea.")
        if callable(answer) and not hasattr(answer, "answer"):
            answer = answer(body["messages"][-1]["content"])
        if isinstance(answer, str):
            is_code = "\n" in answer and "```" not in answer
            answer = Say(fenced(answer) if is_code else answer)
        return answer


QUICK = Options(regular=8, corner=0, mutants=0, budget=0, survivors=0, only="generators")


def run(
    folder: Path,
    rows: Path,
    server: ChatServer,
    options: Options = QUICK,
    *,
    prompts: Prompts | None = None,
    mode: Any = "cache",
    workers: int = 4,
    sandbox: Sandbox | None = None,
    **more: Any,
) -> Summary:
    """One run against the server; output and store in the folder."""
    exchanges = Exchanges(folder / "exchanges", mode=mode)
    settings = {"backoff_s": 0.01, "retries": 2, "total_s": 20.0, **more}
    with Client(server.url, "scripted", exchanges=exchanges, max_tokens=500, temperature=0.0, **settings) as client:
        return synthesise(
            rows,
            folder / "T.jsonl",
            Live(client, exchanges),
            options,
            model="scripted",
            prompts=prompts,
            workers=workers,
            sandbox=sandbox,
            note=print,
        )


def prompts_without(folder: Path, **fields: tuple[str, ...]) -> Prompts:
    """The prompts, but those named say nothing of these fields."""
    folder.mkdir(exist_ok=True)
    for name, left_out in fields.items():
        text = (Path(codejury.llm.prompts.__file__).with_name("prompts") / f"{name}.md").read_text()
        for field in left_out:
            text = re.sub(rf"^{field} = .*\n", "", text, flags=re.MULTILINE)
            text = re.sub(rf"\{{\{{#{field}\}}\}}.*?\{{\{{/{field}\}}\}}\n?", "", text, flags=re.DOTALL)
            text = re.sub(rf"\{{\{{(fence )?{field}\}}\}}", "", text)
        (folder / f"{name}.md").write_text(text)
    return Prompts(folder)
