"""The problems of examples/ are what they claim to be: proven by running everything in the sandbox.

Golds answer what every generator makes and agree; validators take all of it and refuse what is not an input; checkers
take what is right and refuse what is not; each wrong program gets the verdict that its folder is named for.

One sandbox with one worker serves all. Inputs and outputs are made once a problem, when first asked for.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from sandbox.environment import only

import codejury
from codejury.checkers import program
from codejury.dataset import problem_of, read_problems, read_submissions
from codejury.dataset.literal import literal_of
from codejury.judging.calls import gold_answers
from codejury.languages.catalog import Catalog
from codejury.languages.detect import detect
from codejury.model import Judgement, Problem, Submission, TestCase, Verdict

ROOT = Path(__file__).resolve().parent.parent.parent


def _module(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location("examples_build", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


build = _module(ROOT / "examples" / "build.py")
NAMES: list[str] = build.names()
FOLDERS: dict[str, Path] = {name: build.PROBLEMS / name for name in NAMES}
ROWS: dict[str, dict[str, Any]] = {name: build.row(name) for name in NAMES}
CHECKED = [name for name in NAMES if "checker" in ROWS[name]]
VALIDATED = [name for name in NAMES if "input_validator" in ROWS[name]]
CALLS = [name for name in NAMES if ROWS[name]["type"] == "function_call"]
WRONG = [(name, verdict, path) for name in NAMES for verdict, path in build.wrongs(FOLDERS[name])]
SLOW = [each for each in WRONG if each[1] == "time_limit_exceeded"]
QUICK = [each for each in WRONG if each not in SLOW]


def name_of(each: Any) -> str:
    if isinstance(each, tuple):
        return "-".join((each[0], each[1], each[2].name))
    return str(each)


class Material(msgspec.Struct, frozen=True):
    """What came out of a problem's generators.

    inputs    of each generator
    texts     all of them, each once
    problem   with a case for each text: its output is the first gold's
    """

    inputs: list[list[str]]
    texts: list[str]
    problem: Problem


class Court:
    """A sandbox, the jury on it, and what was made so far."""

    def __init__(self) -> None:
        self.box = codejury.Sandbox(workers=1)
        self.jury = codejury.Jury(self.box, kept=None, run_only=True)
        self._made: dict[str, Material] = {}

    def made(self, name: str) -> Material:
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def _make(self, name: str) -> Material:
        inputs = [self.generate(source) for source in ROWS[name]["input_generator"]]
        every = list(dict.fromkeys(each for made in inputs for each in made))
        problem = problem_of(ROWS[name])
        if problem.kind == "function":
            # as rows of generated tests have them: an argument a line
            cases = problem_of({**ROWS[name], "input_output": json.dumps({"inputs": every})}).cases
            assert problem.fn_name is not None
            answers = gold_answers(
                self.box,
                problem.golds[0].source,
                problem.fn_name,
                [case.input for case in cases],
                limits=problem.limits,
            )
            assert [answer.message for answer in answers if answer.verdict is not None] == []
            cases = tuple(
                msgspec.structs.replace(case, output=answer.value) for case, answer in zip(cases, answers, strict=True)
            )
        else:
            unknown = msgspec.structs.replace(
                problem, checker=None, cases=tuple(TestCase(input=each, output=None) for each in every)
            )
            judgement = self.judge(unknown, problem.golds[0].source, stop=False)
            assert judgement.verdict == "success", first_failure(judgement)
            cases = tuple(
                TestCase(input=each, output=result.output) for each, result in zip(every, judgement.cases, strict=True)
            )
        return Material(inputs, every, msgspec.structs.replace(problem, cases=cases, outputs="given"))

    def generate(self, source: str, *args: str) -> list[str]:
        outcome = self.box.run(source, language="python", args=args, limits=codejury.Limits(cpu_s=30))
        assert outcome.ok, outcome.stderr.decode()
        text = outcome.stdout.decode()
        return [text] if args else literal_of(text)

    def speaks(self, path: Path) -> bool:
        """Whether this host has the language of the program. C++ and Python are needed for all of the tests."""
        language = build.LANGUAGES[path.suffix]
        try:
            self.box.toolchain(self.box.catalog.get(language))
        except codejury.LanguageUnavailable:
            if language in ("cpp17", "python"):
                raise
            return False
        return True

    def judge(self, problem: Problem, source: str, *, language: str | None = None, stop: bool = True) -> Judgement:
        submission = Submission(source=source, language=language)
        (judgement,) = self.jury.judge_many([(submission, problem)], stop_on_first_failure=stop)
        return judgement

    def is_valid(self, name: str, text: str) -> bool:
        source = ROWS[name]["input_validator"][-1]
        outcome = self.box.run(source, language="python", stdin=text, limits=codejury.Limits(cpu_s=10))
        assert outcome.ok, outcome.stderr.decode()
        said = outcome.stdout.decode().strip()
        assert said in ("True", "False")
        return said == "True"

    def is_accepted(self, name: str, *, input: str, output: str, reference: str) -> bool:
        checker = problem_of(ROWS[name]).checker
        assert checker is not None
        return program.check(self.box, checker, input=input, output=output, expected=reference).accepted


def first_failure(judgement: Judgement) -> str:
    failed = next((case for case in judgement.cases if case.verdict != "success"), None)
    return f"{judgement.verdict}: {judgement.compile_message}{failed and (failed.index, failed.message)}"


def probes(name: str, part: str) -> list[dict[str, Any]]:
    file = FOLDERS[name] / "probes.json"
    found = json.loads(file.read_text()) if file.exists() else {}
    return list(found.get(part, []))


@pytest.fixture(scope="module")
def court(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Court]:
    with only(CACHE=tmp_path_factory.mktemp("cache")):
        court = Court()
        with court.box, court.jury:
            yield court


# --- what lies in the folders ----------------------------------------------------------------------------------------


def test_the_rows_are_those_of_the_folders() -> None:
    stale = [path.name for path, content in build.files().items() if path.read_text(encoding="utf-8") != content]
    assert stale == [], "run examples/build.py"


def run_build(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(folder / "build.py"), *args]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_build_says_what_is_stale_and_makes_it_anew(tmp_path: Path) -> None:
    folder = tmp_path / "examples"
    shutil.copytree(ROOT / "examples", folder)
    assert run_build(folder, "--check").returncode == 0
    (folder / "problems" / NAMES[0] / "golds" / "another.py").write_text("print('none')\n")
    stale = run_build(folder, "--check")
    assert stale.returncode == 1
    assert "problems.jsonl is not what problems/ says" in stale.stderr
    assert "submissions.jsonl is not what problems/ says" in stale.stderr
    assert run_build(folder).returncode == 0
    assert run_build(folder, "--check").returncode == 0
    (first,) = [
        row
        for row in map(json.loads, (folder / "problems.jsonl").read_text().splitlines())
        if row["custom_id"] == NAMES[0]
    ]
    assert "print('none')\n" in first["solutions"]


@pytest.mark.parametrize(
    ("head", "message"),
    [
        ("title: No lines around it", "expected a head between two lines ---"),
        ("---\ntitle: T\ntype: stdin\ntime-limit: 1\n---\n", "expected memory-limit in the head"),
        ("---\ntitle: T\ntype: function_call\ntime-limit: 1\nmemory-limit: 1\n---\n", "expected fn_name"),
    ],
)
def test_build_names_the_file_that_is_not_as_it_should_be(tmp_path: Path, head: str, message: str) -> None:
    folder = tmp_path / "examples"
    shutil.copytree(ROOT / "examples", folder)
    (folder / "problems" / NAMES[0] / "problem.md").write_text(head)
    done = run_build(folder)
    assert done.returncode == 1
    assert f"{NAMES[0]}/problem.md: {message}" in done.stderr
    assert "Traceback" not in done.stderr


def test_there_is_enough_of_everything() -> None:
    assert len(NAMES) >= 12
    assert len(CALLS) >= 3
    assert len(CHECKED) >= 3
    assert len(VALIDATED) >= 5
    assert {verdict for _, verdict, _ in WRONG} <= set(get_args(Verdict)) - {"success"}


@pytest.mark.parametrize("name", NAMES)
def test_a_problem_is_whole(name: str) -> None:
    endings = [path.suffix for path in build.golds(FOLDERS[name])]
    wrong = [path.suffix for of, verdict, path in WRONG if of == name and verdict != "time_limit_exceeded"]
    assert 2 <= len(endings) <= 4
    assert len(wrong) >= 4
    assert any(of == name for of, _, _ in SLOW)
    if name in CALLS:  # only Python functions can be called
        assert {*endings, *wrong} == {".py"}
    else:
        assert {".cpp", ".py"} < set(endings)
        assert len(set(wrong)) >= 2
    assert [path.stem for path in build.generators(FOLDERS[name])][:2] == ["regular", "corner"]
    assert bool(probes(name, "inputs")) == (name in VALIDATED)
    assert bool(probes(name, "outputs")) == (name in CHECKED)


def test_the_files_are_read_by_codejury() -> None:
    problems = list(read_problems(ROOT / "examples" / "problems.jsonl"))
    assert [problem.id for problem in problems] == NAMES
    assert all(problem.cases and problem.statement and problem.limits for problem in problems)
    entries = list(read_submissions(ROOT / "examples" / "submissions.jsonl"))
    assert {entry.problem for entry in entries} == set(NAMES)
    assert len(entries) == len(WRONG) + sum(len(problem.golds) for problem in problems)


def test_the_language_of_a_gold_is_told_from_its_text() -> None:
    catalog = Catalog.load()
    found = {
        path: detect(path.read_text(), None, catalog).name for name in NAMES for path in build.golds(FOLDERS[name])
    }
    assert found == {path: build.LANGUAGES[path.suffix] for path in found}


# --- generators, golds, validators, checkers -------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_generators_make_different_inputs_and_the_first_one_takes_a_seed(court: Court, name: str) -> None:
    made = court.made(name).inputs
    for inputs in made:
        assert inputs
        assert all(isinstance(each, str) for each in inputs)
    everything = [each for inputs in made for each in inputs]
    assert len(set(everything)) >= 0.9 * len(everything)
    source = ROWS[name]["input_generator"][0]
    assert court.generate(source) == made[0]
    assert [court.generate(source, str(seed))[0] for seed in (0, 1, 1000)][:2] == made[0][:2]


@pytest.mark.parametrize("name", NAMES)
def test_golds_agree_on_samples_and_on_some_inputs_of_each_generator(court: Court, name: str) -> None:
    first, corner, *others = court.made(name).inputs
    few = {*first[:3], *corner[:4], *(inputs[0] for inputs in others)}
    assert_that_golds_agree(court, name, few)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_golds_agree_on_all_that_the_generators_make(court: Court, name: str) -> None:
    everything = {each for inputs in court.made(name).inputs for each in inputs}
    assert_that_golds_agree(court, name, everything)


def assert_that_golds_agree(court: Court, name: str, inputs: set[str]) -> None:
    made, public = court.made(name), problem_of(ROWS[name])
    cases = [case for case, text in zip(made.problem.cases, made.texts, strict=True) if text in inputs]
    assert len(cases) == len(inputs)
    problem = msgspec.structs.replace(made.problem, cases=(*public.cases, *cases))
    for gold in filter(court.speaks, build.golds(FOLDERS[name])):
        judgement = court.judge(problem, gold.read_text(), language=build.LANGUAGES[gold.suffix])
        assert judgement.verdict == "success", f"{gold.name}: {first_failure(judgement)}"


@pytest.mark.parametrize("name", NAMES)
def test_outputs_vary(court: Court, name: str) -> None:
    outputs = {str(case.output) for case in court.made(name).problem.cases}
    assert len(outputs) >= 5


@pytest.mark.parametrize("name", VALIDATED)
def test_the_validator_takes_what_the_generators_make(court: Court, name: str) -> None:
    samples = json.loads(ROWS[name]["input_output"])["inputs"]
    everything = [*samples, *(each for inputs in court.made(name).inputs for each in inputs)]
    assert [each[:200] for each in everything if not court.is_valid(name, each)] == []


@pytest.mark.parametrize("name", VALIDATED)
def test_the_validator_takes_and_refuses_what_it_should(court: Court, name: str) -> None:
    cases = probes(name, "inputs")
    assert {case["valid"] for case in cases} == {True, False}
    assert [case for case in cases if court.is_valid(name, case["input"]) != case["valid"]] == []


@pytest.mark.parametrize("name", CHECKED)
def test_the_checker_takes_and_refuses_what_it_should(court: Court, name: str) -> None:
    cases = probes(name, "outputs")
    assert {case["accepted"] for case in cases} == {True, False}
    wrong = [
        case
        for case in cases
        if court.is_accepted(name, input=case["input"], output=case["output"], reference=case["reference"])
        != case["accepted"]
    ]
    assert wrong == []


@pytest.mark.parametrize("name", CHECKED)
def test_the_checker_refuses_junk(court: Court, name: str) -> None:
    for case in court.made(name).problem.cases[:2]:
        words = case.output.split()
        junk = ["", "\n", "True", "0", "-1", "nan", "\0", "é", "1" * 5000, "9 " * 500, case.input, f"{case.output} 0"]
        junk += [" ".join(words[:-1]), " ".join([*words, words[-1]]), case.output + case.output]
        for output in junk:
            accepted = court.is_accepted(name, input=case.input, output=output, reference=case.output)
            right = output.split() == words
            assert not accepted or right, (case.input[:200], output[:200])


# --- wrong programs --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wrong", QUICK, ids=name_of)
def test_a_wrong_program_gets_its_verdict(court: Court, wrong: tuple[str, str, Path]) -> None:
    name, verdict, path = wrong
    if not court.speaks(path):
        pytest.skip(f"there is no {build.LANGUAGES[path.suffix]} on this host")
    judgement = court.judge(court.made(name).problem, path.read_text(), language=build.LANGUAGES[path.suffix])
    assert judgement.verdict == verdict, first_failure(judgement)


@pytest.mark.slow
@pytest.mark.parametrize("wrong", SLOW, ids=name_of)
def test_a_slow_program_is_right_until_it_is_too_slow(court: Court, wrong: tuple[str, str, Path]) -> None:
    name, verdict, path = wrong
    if not court.speaks(path):
        pytest.skip(f"there is no {build.LANGUAGES[path.suffix]} on this host")
    judgement = court.judge(court.made(name).problem, path.read_text(), language=build.LANGUAGES[path.suffix])
    assert judgement.verdict == verdict, first_failure(judgement)
    assert judgement.passed >= 3
