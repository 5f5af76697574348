"""Comparison and checkers on the programs of tests/problems: what the right ones print is accepted, and something of
what each wrong one prints is not. The judge's verdicts on all of them are tests/problems's own."""

from __future__ import annotations

from pathlib import Path

import pytest
from problems.layout import load, main_of, name_of, programs, submission

import codejury
from codejury.checkers.compare import compare
from codejury.checkers.program import check
from codejury.languages.detect import detect


@pytest.mark.slow
@pytest.mark.parametrize("program", programs("success", "wrong_answer"), ids=name_of)
def test_answers(box: codejury.Sandbox, program: tuple[str, str, Path]) -> None:
    name, verdict, path = program
    problem, main = load(name), main_of(path)
    language = detect(main.read_text(), main.name, box.catalog)
    given = submission(path, language.name)
    accepted = []
    for case in problem.cases:
        try:
            outcome = box.run(
                given.source, language=language.name, files=given.files, stdin=case.input, limits=problem.limits
            )
        except codejury.LanguageUnavailable as error:
            pytest.skip(str(error))
        assert outcome.ok, outcome
        output = outcome.stdout.decode()
        if problem.checker is None:
            accepted.append(compare(case.output, output, problem.compare) is None)
        else:
            result = check(box, problem.checker, input=case.input, output=output, expected=case.output)
            accepted.append(result.accepted)
    assert all(accepted) == (verdict == "success"), accepted
