"""open-r1: its reward function, a provider for its own one, and the body of its router's /execute_batch.

    code_reward(completions, verification_info=[…])          in place of open-r1's
    Provider().execute_scripts(scripts, languages)           what open-r1's code_reward calls with its scripts
    execute_batch({"scripts": […], "languages": […], "timeout": 30, "request_timeout": 28})   one answer a script

open-r1 puts the candidate and its tests into one script, which says itself what it is worth. Such a script is taken
apart here, not run: the candidate is judged by the tests in boxes of its own, where it can neither see nor say its
score. Any other script is run as it is, and what its last expression comes to is its answer, as in a notebook.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from codejury import runners
from codejury.dataset.rows import json_of
from codejury.errors import CodejuryError, InternalError, UsageError
from codejury.judging.jury import Jury, shared
from codejury.languages.execute import Job
from codejury.model import Limits, Outcome
from codejury.reward import score

_TIMEOUT_S = 30.0
_OPTIONS = ("rule", "limits", "max_tests", "retries", "jury", "runner", "ray_address")
# What a notebook does: all but the last expression is run, and that one's value is the answer.
_NOTEBOOK = """\
import ast
tree = ast.parse(open("script.txt", encoding="utf-8").read())
last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
names = {"__name__": "__main__"}
exec(compile(tree, "script", "exec"), names)
if last is not None:
    value = eval(compile(ast.Expression(last.value), "script", "eval"), names)
    if value is not None:
        with open("answer.txt", "w", encoding="utf-8") as file:
            file.write(repr(value))
"""


def code_reward(
    completions: Sequence[Any], verification_info: Sequence[Any] = (), **options: Any
) -> list[float | None]:
    """The share of tests that pass; None where nobody could judge."""
    known = {name: options[name] for name in _OPTIONS if name in options}
    said = score(completions, list(verification_info), **{"rule": "pass_rate", **known})
    return [each.score for each in said]


class Provider:
    """open-r1's CodeExecutionProvider. `timeout_s`: CPU seconds of a script, or of each test of a candidate; `runner`,
    `ray_address`: as `codejury.reward.score` has them, where no jury is given."""

    def __init__(
        self,
        *,
        timeout_s: float = _TIMEOUT_S,
        jury: Jury | None = None,
        runner: str = "local",
        ray_address: str | None = None,
    ) -> None:
        self._timeout_s, self._jury, self._runner = timeout_s, jury, (runner, ray_address)

    def execute_scripts(self, scripts: Sequence[str], languages: Sequence[str]) -> list[float | None]:
        jury = self._jury or runners.jury(*self._runner)
        answers = _answers(scripts, languages, self._timeout_s, jury)
        return [None if each.failure else _number(each.text) for each in answers]


def execute_batch(body: Mapping[str, Any], *, jury: Jury | None = None) -> list[dict[str, Any]]:
    """The answer to a request of the router. Of E2B's router a client reads `execution`, of Morph's `text`; a script
    that nobody could judge has neither, which open-r1 takes for None."""
    scripts, languages = body.get("scripts"), body.get("languages", body.get("language"))
    if not isinstance(scripts, list) or not all(isinstance(each, str) for each in scripts):
        raise UsageError("scripts: expected a list of texts")
    if languages is None or isinstance(languages, str):
        languages = [languages or "python"] * len(scripts)
    if not isinstance(languages, list) or not all(isinstance(each, str) for each in languages):
        raise UsageError("languages: expected a list of names, one a script")
    timeout_s = body.get("timeout", _TIMEOUT_S)
    if isinstance(timeout_s, bool) or not isinstance(timeout_s, (int, float)) or not 0 < timeout_s < 2**20:
        raise UsageError(f"timeout: expected a positive number of seconds, got {timeout_s!r}")
    return [_row(each) for each in _answers(scripts, languages, float(timeout_s), jury)]


class _Answer(msgspec.Struct, frozen=True, kw_only=True):
    """text: what the script came to; error: why it did not; failure: why nobody can say."""

    text: str | None = None
    stdout: str = ""
    stderr: str = ""
    error: str = ""
    failure: str = ""


def _answers(scripts: Sequence[str], languages: Sequence[str], timeout_s: float, jury: Jury | None) -> list[_Answer]:
    if len(scripts) != len(languages):
        raise UsageError(f"languages: expected one for each of {len(scripts)} scripts, got {len(languages)}")
    jury = jury or shared()
    limits = Limits(cpu_s=timeout_s)
    judged: dict[int, tuple[str, Any]] = {}
    for place, script in enumerate(scripts):
        parts = _taken_apart(script)
        if parts is not None:
            judged[place] = parts
    truths = [{"language": languages[at], "test_cases": tests} for at, (_, tests) in judged.items()]
    codes = [code for code, _ in judged.values()]
    answers: dict[int, _Answer] = {}
    rewards = score(codes, truths, rule="pass_rate", extract=False, limits=limits, jury=jury)
    for at, said in zip(judged, rewards, strict=True):
        answers[at] = (
            _Answer(failure=said.message or said.trouble) if said.score is None else _Answer(text=repr(said.score))
        )
    others = [at for at in range(len(scripts)) if at not in judged]
    for at, answer in zip(others, _run([(scripts[at], languages[at]) for at in others], limits, jury), strict=True):
        answers[at] = answer
    return [answers[at] for at in range(len(scripts))]


def _taken_apart(script: str) -> tuple[str, Any] | None:
    """The candidate and its tests, where the script is one of open-r1's own."""
    if "code_snippet" not in script or "test_cases" not in script:
        return None
    try:
        tree = ast.parse(textwrap.dedent(script))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    found: dict[str, Any] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            value = node.value
            loads = isinstance(value, ast.Call) and ast.unparse(value.func) == "json.loads" and len(value.args) == 1
            held = value.args[0] if loads and isinstance(value, ast.Call) else value
            if isinstance(held, ast.Constant) and isinstance(held.value, str):
                found[node.targets[0].id] = (held.value, loads)
    code, tests = found.get("code_snippet"), found.get("test_cases")
    if code is None or code[1] or tests is None or not tests[1]:
        return None
    try:
        return code[0], json_of(tests[0], where="script", field="test_cases")
    except UsageError:
        return None


def _run(work: Sequence[tuple[str, str]], limits: Limits, jury: Jury) -> list[_Answer]:
    answers = []
    for script, language in work:
        try:
            name = jury.sandbox.catalog.get(language).name
            if name == "python":
                job = Job(
                    source=_NOTEBOOK,
                    language=name,
                    data={"script.txt": textwrap.dedent(script)},
                    limits=limits,
                    fetch=("answer.txt",),
                )
            else:
                job = Job(source=script, language=name, limits=limits)
            answers.append(_of_outcome(jury.sandbox.run_job(job), is_notebook=name == "python"))
        except (InternalError, UsageError) as error:
            answers.append(_Answer(failure=_said(error)))
    return answers


def _said(error: CodejuryError) -> str:
    return f"{type(error).__name__}: {error}"


def _of_outcome(outcome: Outcome, *, is_notebook: bool) -> _Answer:
    stdout, stderr = outcome.stdout.decode(errors="replace"), outcome.stderr.decode(errors="replace")
    if not outcome.ok:
        return _Answer(stdout=stdout, stderr=stderr, error=outcome.status)
    if is_notebook:
        held = outcome.fetched.get("answer.txt")
        return _Answer(text=None if held is None else held.decode(errors="replace"), stdout=stdout, stderr=stderr)
    lines = stdout.strip().splitlines()
    return _Answer(text=lines[-1] if lines else None, stdout=stdout, stderr=stderr)


def _number(text: str | None) -> float:
    """What a script says that it is worth: nothing where it says none, for then it failed."""
    try:
        return float(text or "")
    except ValueError:
        return 0.0


def _row(answer: _Answer) -> dict[str, Any]:
    if answer.failure:
        return {"execution": None, "text": None, "exception_str": answer.failure}
    results = [] if answer.text is None else [{"text": answer.text, "is_main_result": True}]
    error = None
    if answer.error:
        error = {"name": answer.error, "value": answer.error, "traceback": answer.stderr}
    logs = {"stdout": [answer.stdout] if answer.stdout else [], "stderr": [answer.stderr] if answer.stderr else []}
    return {
        "execution": {"results": results, "logs": logs, "error": error, "execution_count": 1},
        "text": answer.text,
        "exception_str": None,
    }
