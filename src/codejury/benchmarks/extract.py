"""A model's reply to a task -> the program that is judged.

Owns what `llm.replies` cannot know: which name the tests call, that a reply may be what follows the task's own code,
and how a peer finds code. Where there is no code at all the answer is wrong, and the reason is kept with it.

    reply ─► code that defines what is tested ─► code with a class Solution ─► prompt + reply, cut ─► any code ─► none
"""

from __future__ import annotations

import ast
import builtins
import re
import textwrap

import msgspec

from codejury.benchmarks.catalog import Benchmark, Strict
from codejury.llm import fences, syntax
from codejury.llm.replies import MAX_CHARS, Extracted, code_of
from codejury.model import Problem

# What a base model goes on with after the function that it was to complete.
STOPS = (
    "\nclass ",
    "\ndef ",
    "\nasync def ",
    "\n@",
    "\n#",
    "\nif ",
    "\nprint(",
    "\nassert ",
    "\nimport ",
    "\nfrom ",
    '\n"""',
    "\n'''",
    "\n```",
    "\n<",
    "<|endoftext|>",
    "<|im_end|>",
    "</s>",
)


class Program(msgspec.Struct, frozen=True, kw_only=True):
    """`source` is None where the reply has no code; then `why_none` and `detail` say so. `is_cut`: the server ended the
    reply before the model did."""

    source: str | None
    what_was_cut: tuple[str, ...] = ()
    why_none: str = ""
    detail: str = ""
    is_cut: bool = False


def program_of(
    reply: str, problem: Problem, benchmark: Benchmark, *, finish_reason: str = "", peer: Strict | None = None
) -> Program:
    if peer is not None and peer.extract == "evalscope":
        return Program(source=_as_evalscope(reply), is_cut=finish_reason == "length")
    if len(reply) > MAX_CHARS:  # long thoughts are no reason to miss the answer after them
        reply = fences.spoken(fences.tidy(reply)).text
    name = called_name(problem) if benchmark.language == "python" else None
    language = benchmark.language
    first = code_of(reply, language=language, wants=name, finish_reason=finish_reason)
    if first.code is not None:
        return _program(first)
    if name is not None:
        with_class = code_of(reply, language=language, wants="Solution", finish_reason=finish_reason)
        if problem.kind == "function" and with_class.code is not None:
            return _program(with_class)
        whole = completed(problem.starter_code, reply, name)
        if whole is not None:
            what = (*first.what_was_cut, "what follows the completion")
            return Program(source=whole, what_was_cut=what, is_cut=first.is_cut)
        second = code_of(reply, language=language, finish_reason=finish_reason)
        if second.code is not None:  # the judge says what is wrong with it
            return _program(second)
    return _program(first)


def _program(found: Extracted) -> Program:
    return Program(
        source=found.code,
        what_was_cut=found.what_was_cut,
        why_none=found.why_none if found.code is None else "",
        detail=found.detail if found.code is None else "",
        is_cut=found.is_cut,
    )


def called_name(problem: Problem) -> str | None:
    """The function that the tests call; None where there is none, or they call several."""
    if problem.kind == "stdin":
        return None
    if problem.fn_name:
        return problem.fn_name
    common: set[str] | None = None
    for case in problem.cases:
        if case.group == "plus":
            continue
        tree = syntax.parsed(f"{problem.setup}\n{case.input}")
        if isinstance(tree, str):
            return None
        called = {
            node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        called -= set(dir(builtins)) | syntax.bound(tree)
        common = called if common is None else common & called
    return next(iter(common)) if common and len(common) == 1 else None


def completed(start: str, reply: str, name: str, *, stops: tuple[str, ...] = STOPS) -> str | None:
    """The program of a base model, which goes on where the prompt ends: cut at the first of the words that begin
    something else. None where the reply is no continuation of it."""
    text = fences.tidy(reply)
    blocks = fences.fenced(text)
    body = next((block.code for block in blocks if block.code.strip()), text).strip("\n")
    if blocks and _returns(body):  # the fence took the blanks before its lines
        body = textwrap.indent(body, "    ")
    if not start.strip() or not body.startswith((" ", "\t")):
        return None
    ends = [at for stop in stops if (at := body.find(stop)) >= 0]
    body = body[: min(ends)] if ends else body
    source = start.rstrip("\n") + "\n" + body.rstrip() + "\n"
    tree = syntax.parsed(source)
    while isinstance(tree, str) and "\n" in body.strip("\n"):  # the last statement may be torn
        body = body.rstrip("\n").rpartition("\n")[0]
        source = start.rstrip("\n") + "\n" + body.rstrip() + "\n"
        tree = syntax.parsed(source)
    if isinstance(tree, str) or name not in syntax.defined(tree) or not body.strip():
        return None
    return source


def _returns(body: str) -> bool:
    """Outside of any function: it is the inside of one."""
    tree = syntax.parsed(body)
    waiting: list[ast.AST] = [] if isinstance(tree, str) else [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Return):
            return True
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            waiting += ast.iter_child_nodes(node)
    return False


def _as_evalscope(reply: str) -> str:
    """Up to [DONE]; the first block; up to the first of three signs that the answer is over."""
    text = reply.split("[DONE]", 1)[0]
    block = re.search(r"```(?:\w+)?\n(.*?)```", text, re.DOTALL)
    text = block[1] if block else text
    for sign in ("\nassert", '\n"""', "if __name__ =="):
        text = text.split(sign, 1)[0]
    return text.strip() + "\n"
