"""The benchmarks as values, and the prompt of a task.

Owns the reading of benchmarks.toml, where the words are explained. Adding a benchmark is adding a table there.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Literal

import msgspec

from codejury.errors import UsageError
from codejury.model import Kind, Problem

Subset = Literal["base", "plus"]
SUBSETS: tuple[Subset, ...] = ("base", "plus")


class Strict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A peer's scoring, as far as it differs from ours."""

    peer: str
    hashes: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    leave_out: tuple[Subset, ...] = ()
    same_type: bool = False
    late_is_fail: bool = False
    every_task: bool = False
    differs: str = ""


class Benchmark(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: str
    title: str
    formats: tuple[str, ...]
    base: tuple[str, ...]
    plus: tuple[str, ...] = ()
    id_prefix: str = ""
    prompt: str
    call_s: float
    gold_factor: float
    script_s: float
    memory_mb: float
    strict: dict[Kind, Strict] = {}
    earlier: tuple[Strict, ...] = ()

    def subset_of(self, group: str) -> Subset | None:
        """None: tests that are no part of this benchmark."""
        return "base" if group in self.base else "plus" if group in self.plus else None

    def peer(self, kind: Kind, data_hash: str = "") -> Strict:
        """Whose scoring `--strict-compat` is for data of this form; of data with this hash, as it was in its days."""
        for each in self.earlier:
            if data_hash in each.hashes:
                return each
        if kind not in self.strict:
            raise UsageError(f"{self.name}: expected data with calls of functions, as no peer scores its test scripts")
        return self.strict[kind]

    def prompt_of(self, problem: Problem) -> str:
        """What a model is asked."""
        tests = [str(case.input) for case in problem.cases if problem.kind == "script" and case.group in self.base]
        return self.prompt.format(prompt=problem.statement, tests="\n".join(tests))


@cache
def benchmarks() -> dict[str, Benchmark]:
    import tomllib

    tables = tomllib.loads(resources.files(__package__).joinpath("benchmarks.toml").read_text(encoding="utf-8"))
    return {name: msgspec.convert({"name": name, **table}, Benchmark) for name, table in tables.items()}


def benchmark(name: str) -> Benchmark:
    known = benchmarks()
    if name not in known:
        raise UsageError(f"datasets: expected one of {', '.join(known)}, got {name!r}")
    return known[name]
