"""The tree of errors, from `codejury.errors`."""

from __future__ import annotations

import inspect
from typing import get_args

from _made.markdown import block, code, plain, table
from codejury import errors


def classes() -> list[type[Exception]]:
    """In the order of the module."""
    found = [each for _, each in inspect.getmembers(errors, inspect.isclass) if each.__module__ == errors.__name__]
    return sorted(found, key=lambda each: inspect.getsourcelines(each)[1])


def exit_code(error: type[Exception]) -> int:
    return 2 if issubclass(error, errors.UsageError) else 3


def page() -> str:
    header = (errors.__doc__ or "").split("\n\n")
    tree = next(part for part in header if "├──" in part)
    return "\n".join(
        [
            "# Errors\n",
            "All that codejury raises on purpose. None of them is raised for what an untrusted program did: that is an "
            "[outcome or a verdict](../concepts/verdicts.md).\n",
            block(tree),
            table(
                ["error", "when", "a command ends with", "fields"],
                (
                    [code(each.__name__), plain(each.__doc__ or ""), str(exit_code(each)), _fields(each)]
                    for each in classes()
                ),
            ),
            "`ModelError.trouble` is one of " + ", ".join(code(word) for word in get_args(errors.ModelTrouble)) + ": "
            "[chat models](../models.md). The service answers with [refusals](../service.md#refusals) instead.\n",
        ]
    )


def _fields(error: type[Exception]) -> str:
    if "__init__" not in vars(error):
        return ""
    names = [name for name in inspect.signature(error).parameters if name != "message"]
    return ", ".join(code(name) for name in names)
