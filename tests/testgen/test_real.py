"""Klear's two published rows, unmodified. Skips where they are absent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from testgen.rows import pairs_of

from codejury import Jury, Sandbox
from codejury.dataset.problems import problem_of
from codejury.testgen import Options, Quorum, generate
from codejury.testgen.options import UseOfChecker

SEED_FIELDS = [
    "custom_id",
    "question",
    "starter_code",
    "solutions",
    "input_generator",
    "type",
    "error_info",
    "input_output",
]
SEED_FIELDS += ["reward", "time-limit", "memory-limit"]


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    ("file", "checker", "quorum", "tests"),
    [("sample.jsonl", "where_given", "first-last", 19), ("spj_sample.jsonl", "demanded", "all", 100)],
)
def test_the_samples(klear: Path, tmp_path: Path, file: str, checker: UseOfChecker, quorum: str, tests: int) -> None:
    output = tmp_path / "T.jsonl"
    options = Options(checker=checker, quorum=Quorum.of(quorum))
    assert generate(klear / file, output, options).complete
    (row,) = [json.loads(line) for line in output.read_text().splitlines()]
    (before,) = [json.loads(line) for line in (klear / file).read_text().splitlines()]
    assert {name: row[name] for name in before} == before
    assert set(SEED_FIELDS) <= set(row)
    pairs = pairs_of(row)
    assert len(pairs) == len({text for text, _ in pairs}) == tests
    published = {"sample.jsonl": "sample_with_generated_testcases.jsonl"}.get(file)
    if published:
        (theirs,) = [json.loads(line) for line in (klear / published).read_text().splitlines()]
        known = dict(pairs_of(theirs))
        assert {text: known[text].split() for text, _ in pairs} == {text: answer.split() for text, answer in pairs}
    provenance = row["test_provenance"]["tests"]
    few = {0, tests // 2, tests - 1}  # each is a run of each gold that set it
    problem = problem_of({**row, "input_output": ""})
    with Sandbox() as box, Jury(box) as jury:
        for gold in {gold for at in few for gold in provenance[at]["golds"]}:
            said = jury.judge(problem.golds[gold], problem)
            assert said.verdict == "success", gold
