"""The public names, with signatures, fields and docstrings."""

from __future__ import annotations

import importlib
import inspect
from typing import Any

import msgspec

from _made.markdown import block, code, plain, prose, table

# Module -> what it is for. The names are those of its __all__.
MODULES = {
    "codejury": "Running and judging. Importing it costs a few milliseconds: names are loaded when they are used.",
    "codejury.reward": "Rewards for training: [Rewards](../rewards.md).",
    "codejury.dataset": "Files in and out: [Formats](formats.md).",
    "codejury.testgen": "What `codejury gen` does: [Making tests](../generation.md).",
    "codejury.report": "What `codejury report` does: [Reports](../reports.md).",
}
# Other names that pages of the documentation tell to use.
MORE = {
    "codejury.llm.client": ("Client", "Prices", "Reply"),
    "codejury.llm.store": ("Exchanges",),
    "codejury.llm.prompts": ("Prompts",),
    "codejury.llm.replies": ("code_of", "joined", "decision_of"),
    "codejury.testgen.trust": ("checker_trust", "chosen", "gold_outputs", "validator_trust"),
}


def names(module: str) -> list[str]:
    listed = MORE.get(module) or importlib.import_module(module).__all__
    return [name for name in listed if not name.startswith("__")]


def page() -> str:
    parts = [
        "# Python API\n",
        "What is listed here is what programs may lean on. Everything has types (`py.typed`).\n",
    ]
    for module, about in {**MODULES, **dict.fromkeys(MORE, "")}.items():
        parts += [f"## {module}\n", about + "\n" if about else ""]
        loaded = importlib.import_module(module)
        listed = names(module)
        errors = [name for name in listed if _is_error(getattr(loaded, name))]
        for name in listed:
            if name not in errors:
                parts += _entry(name, getattr(loaded, name), module)
        if errors:
            told = ", ".join(code(name) for name in errors)
            parts.append(
                f"Errors: {told}: "
                + ("[Errors](errors.md)." if module == "codejury" else "what is wrong with a row.")
                + "\n"
            )
    return "\n".join(parts)


def _is_error(value: Any) -> bool:
    return inspect.isclass(value) and issubclass(value, Exception)


def _entry(name: str, value: Any, module: str) -> list[str]:
    title = f"### {name} {{#{module}.{name}}}\n"
    if inspect.isclass(value) and issubclass(value, msgspec.Struct):
        fields = msgspec.structs.fields(value)
        rows = [[code(each.name), code(_written(value, each.name)), _default(each)] for each in fields]
        return [title, prose(value.__doc__), table(["field", "type", "default"], rows), *_methods(value)]
    if inspect.isclass(value):
        return [title, block(f"{name}{_signature(value)}", "python"), prose(value.__doc__), *_methods(value)]
    if callable(value):
        start = "async def" if inspect.iscoroutinefunction(value) else "def"
        return [title, block(f"{start} {name}{_signature(value)}", "python"), prose(value.__doc__)]
    return [title, code(repr(value)) + "\n"]


def _methods(owner: type) -> list[str]:
    made = []
    for name, value in vars(owner).items():
        if name.startswith("_") or not (
            inspect.isfunction(value) or isinstance(value, (property, classmethod, staticmethod))
        ):
            continue
        if isinstance(value, property):
            made.append([code(name), plain(_first(value.__doc__))])
        else:
            call = getattr(owner, name)
            made.append([code(f"{name}{_signature(call, short=True)}"), plain(_first(call.__doc__))])
    return [table(["method or property", ""], made)] if made else []


def _first(text: str | None) -> str:
    return " ".join(inspect.cleandoc(text or "").split("\n\n")[0].split())


def _written(owner: type, field: str) -> str:
    """The annotation as the code has it."""
    for base in owner.__mro__:
        if field in vars(base).get("__annotations__", {}):
            found = vars(base)["__annotations__"][field]
            return found if isinstance(found, str) else getattr(found, "__name__", str(found))
    return ""


def _default(field: Any) -> str:
    if field.default is not msgspec.NODEFAULT:
        return code(repr(field.default))
    if field.default_factory is not msgspec.NODEFAULT:
        return code(repr(field.default_factory()))
    return "needed"


def _signature(call: Any, *, short: bool = False) -> str:
    signature = inspect.signature(call)
    given = [each for each in signature.parameters.values() if each.name != "self"]
    whole = str(signature.replace(parameters=given)).replace("'", "")  # annotations are texts, and print as such
    if short or len(whole) < 100:
        return whole
    lines, seen_star = [], False
    for each in given:
        if each.kind is each.KEYWORD_ONLY and not seen_star:
            lines.append("    *,")
            seen_star = True
        seen_star = seen_star or each.kind is each.VAR_POSITIONAL
        lines.append(f"    {str(each).replace(chr(39), '')},")
    returns = signature.return_annotation
    end = "" if returns is inspect.Signature.empty else f" -> {returns}"
    return "(\n" + "\n".join(lines) + f"\n){end}"
