"""The benchmarks as values, and the prompt of a task.

Owns the reading of `sets/`: a benchmark is one file there, named for it. Adding one is adding a file, here or anywhere
(`--datasets my_set.toml`). What it says:

    title        how people call it
    formats      of its data files: evalplus calls a function, humaneval and mbpp run test scripts; "*": any
    base, plus   which groups of a file's cases make up the subset; "" is the group of files that have but one, "*" are
                 all. A sample passes plus where it passes base and plus
    id_prefix    what some write before a task's number, and others do not: Mbpp/2 and 2 are the same task
    language     of the programs that are asked for
    call_s       seconds for a call, or for a run of a program whose problem says nothing; at least, and
    gold_factor  as many times what the gold takes for it
    script_s     seconds for all tests of a subset that is a script
    memory_mb    megabytes for either
    [prompts]    kind of problem -> what a model is asked, in one message. {prompt} is the task's own text, {tests} the
                 asserts of base, one a line, {starter} the code that is given, {function}, {language}
    [hub]        where its data is: an id on each hub, and `files`: patterns, of which the first that some file of the
                 repository matches counts

A sample is a program as it is (`solution`), or goes right after the prompt of the row (`completion`).

    [strict.function], [strict.script]: with --strict-compat, by the kind of the data, the peer's scoring

    peer           whose
    without        rules for several right answers (calls.ORACLES) that it does not have
    leave_out      subsets that it does not look at
    same_type      it holds a tolerance only between values of one type, and NaN equals nothing
    late_is_fail   it calls a test that is out of time `fail`, not `timeout`
    every_task     it refuses samples that leave a task out
    extract        how it finds the code in a reply (extract.py), where that is not ours
    differs        what of its scoring is not reproduced

    [[earlier]]: the same for data of an earlier day, which is told by its hash; verdicts that were recorded with it
    followed the rules of that day.

    hashes         of the data, as evalplus' results give them
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Literal

import msgspec

from codejury.errors import UsageError
from codejury.model import Kind, Problem

Subset = Literal["base", "plus"]
SUBSETS: tuple[Subset, ...] = ("base", "plus")
HubName = Literal["modelscope", "huggingface"]
HUBS: tuple[HubName, ...] = ("modelscope", "huggingface")

_ALL = "*"
_OWN = "problems"  # for a file or a folder that is named instead of a benchmark


class Strict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A peer's scoring, as far as it differs from ours.

    call_s        what a call may take at least, where the gold is faster
    keeps_state   calls of a subset share a process, and one that fails there has failed: also for what calls before it
                  have left behind
    """

    peer: str
    hashes: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    leave_out: tuple[Subset, ...] = ()
    same_type: bool = False
    late_is_fail: bool = False
    every_task: bool = False
    call_s: float | None = None
    keeps_state: bool = False
    extract: Literal["", "evalscope"] = ""
    differs: str = ""


class Hub(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    files: tuple[str, ...]
    modelscope: str = ""
    huggingface: str = ""


class Benchmark(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: str
    title: str
    formats: tuple[str, ...]
    base: tuple[str, ...]
    plus: tuple[str, ...] = ()
    id_prefix: str = ""
    language: str = "python"
    prompts: dict[Kind, str] = {}
    call_s: float
    gold_factor: float
    script_s: float
    memory_mb: float
    hub: Hub | None = None
    strict: dict[Kind, Strict] = {}
    earlier: tuple[Strict, ...] = ()

    def subset_of(self, group: str) -> Subset | None:
        """None: tests that are no part of this benchmark."""
        for subset in SUBSETS:
            groups: tuple[str, ...] = getattr(self, subset)
            if group in groups or _ALL in groups:
                return subset
        return None

    @property
    def takes_all(self) -> bool:
        """All cases are of one subset."""
        return _ALL in self.base

    def takes(self, form: str) -> bool:
        """Data in this format."""
        return form == "codejury" or form in self.formats or _ALL in self.formats

    def peer(self, kind: Kind, data_hash: str = "") -> Strict:
        """Whose scoring `--strict-compat` is for data of this form; of data with this hash, as it was in its days."""
        for each in self.earlier:
            if data_hash in each.hashes:
                return each
        if kind not in self.strict:
            known = {"function": "calls of functions", "script": "test scripts", "stdin": "programs"}
            expected = " or ".join(known[each] for each in self.strict) or "another benchmark"
            raise UsageError(f"{self.name}: strict-compat: expected {expected}, as no peer scores its {known[kind]}")
        return self.strict[kind]

    def prompt_of(self, problem: Problem, *, template: str | None = None) -> str:
        """What a model is asked. `template` goes before the benchmark's own."""
        if template is None:
            if problem.kind not in self.prompts:
                raise UsageError(f"{self.name}: expected a prompt for tasks of the kind {problem.kind}, there is none")
            template = self.prompts[problem.kind]
        tests = [str(case.input) for case in problem.cases if self._is_shown(problem, case.group)]
        fields = {
            "prompt": problem.statement,
            "question": problem.statement,  # evalscope's word
            "tests": "\n".join(tests),
            "starter": problem.starter_code,
            "function": problem.fn_name or "",
            "language": {"python": "Python", "cpp": "C++"}.get(self.language, self.language),
        }
        try:
            return template.format_map(fields).rstrip("\n")
        except (KeyError, ValueError, IndexError, AttributeError) as error:
            told = ", ".join(f"{{{name}}}" for name in fields)
            raise UsageError(f"{self.name}: prompt: expected a text with {told}, got {error}") from None

    def _is_shown(self, problem: Problem, group: str) -> bool:
        return problem.kind == "script" and (group in self.base or _ALL in self.base)


@cache
def benchmarks() -> dict[str, Benchmark]:
    files = sorted(
        (each for each in resources.files(__package__).joinpath("sets").iterdir() if each.name.endswith(".toml")),
        key=lambda each: each.name,
    )
    return {name: _read(each.read_text(encoding="utf-8"), name, name) for each in files for name in [each.name[:-5]]}


def benchmark(name: str) -> Benchmark:
    """By its name; or by the path of a file that describes one; or by the path of a file or folder of problems."""
    known = benchmarks()
    if name in known:
        return known[name]
    path = Path(name)
    if path.suffix == ".toml" and path.is_file():
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"{path}: cannot be read: {error}") from None
        return _read(text, path.stem, str(path))
    if path.exists():
        return msgspec.structs.replace(known[_OWN], name=re.sub(r"\W+", "_", path.name.split(".")[0]) or _OWN)
    raise UsageError(f"datasets: expected one of {', '.join(known)}, or a path; got {name!r}")


def own_path(name: str) -> Path | None:
    """The data that a name stands for, where it is a path itself."""
    path = Path(name)
    return path if name not in benchmarks() and path.suffix != ".toml" and path.exists() else None


def _read(text: str, name: str, where: str) -> Benchmark:
    import tomllib

    try:
        table: dict[str, Any] = tomllib.loads(text)
        return msgspec.convert({"name": name, **table}, Benchmark)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise UsageError(f"{where}: expected a benchmark: {error}") from None
