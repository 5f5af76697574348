"""Every submission in the folders beside this file gets the verdict that its folder is named for, by `codejury.judge`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from problems.layout import NAMES, load, main_of, name_of, programs, submission
from sandbox.environment import only

import codejury
from codejury.languages.detect import detect
from codejury.model import Verdict

ALL = programs()


def test_the_folders_are_verdicts() -> None:
    assert {verdict for _, verdict, _ in ALL} <= set(get_args(Verdict))
    assert {name for name, _, _ in ALL} == set(NAMES)
    assert len(NAMES) >= 8


@pytest.mark.parametrize("name", NAMES)
def test_a_problem_has_cases_and_programs_of_both_sorts(name: str) -> None:
    problem = load(name)
    assert problem.cases
    assert all(case.output is not None for case in problem.cases)
    verdicts = {verdict for of, verdict, _ in ALL if of == name}
    assert {"success", "wrong_answer"} <= verdicts


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    found = getattr(codejury, "judge", None)
    if found is None:
        pytest.skip("this version of codejury has no judge")
    with only(CACHE=tmp_path_factory.mktemp("cache")):
        yield found


@pytest.fixture(scope="module")
def box() -> Iterator[codejury.Sandbox]:
    with codejury.Sandbox(1) as box:
        yield box


@pytest.mark.slow
@pytest.mark.parametrize("program", ALL, ids=name_of)
def test_verdict(judge: Any, box: codejury.Sandbox, program: tuple[str, str, Path]) -> None:
    name, verdict, path = program
    problem, main = load(name), main_of(path)
    language = detect(main.read_text(), main.name, box.catalog)
    try:
        box.toolchain(language)
    except codejury.LanguageUnavailable as error:
        pytest.skip(str(error))
    judgement = judge(
        submission(path, language.name) if path.is_dir() else path,
        problem.cases,
        language=language.name,
        checker=problem.checker,
        compare=problem.compare,
        limits=problem.limits,
        stop_on_first_failure=True,
    )
    assert judgement.verdict == verdict, judgement
