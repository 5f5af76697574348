"""Problem packages: what is read, how lazily, and what a hostile package does not get."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from codejury.dataset import BadRow, read_cases, read_problems, read_submissions
from codejury.dataset.formats import kattis
from codejury.errors import UsageError
from codejury.model import Comparison, Limits, TestCase


def write(base: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = base / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return base


BASE: dict[str, str | bytes] = {
    "problem.yaml": "name: Add\nlicense: cc by\n",
    "problem_statement/problem.en.tex": "Add them.",
    "problem_statement/problem.is.tex": "Annað.",
    "data/sample/1.in": "1 2\n",
    "data/sample/1.ans": "3\n",
    "data/secret/b/02.in": "4 5\n",
    "data/secret/b/02.ans": "9\n",
    "data/secret/a/10.in": b"\xff 1\r\n",
    "data/secret/a/10.ans": "0\n",
    "data/secret/a/10.desc": "not a case",
    "submissions/accepted/ok.py": "print(sum(map(int, input().split())))\n",
    "submissions/accepted/ok.py.bak": "old",
    "submissions/accepted/both/main.cpp": '#include "add.h"\nint main () {}\n',
    "submissions/accepted/both/add.h": "int add(int, int);\n",
    "submissions/wrong_answer/bad.py": "print(0)\n",
    "submissions/run_time_error/crash.c": "int main(){return 1;}\n",
    "submissions/partially_accepted/half.java": "class half { public static void main(String[] a) {} }\n",
}


@pytest.fixture
def package(tmp_path: Path) -> Path:
    return write(tmp_path / "add", BASE)


def test_a_package(package: Path) -> None:
    problem = kattis.read(package)
    assert (problem.id, problem.kind, problem.statement) == ("add", "stdin", "Add them.")
    assert list(problem.cases) == [
        TestCase(input="1 2\n", output="3\n", provenance="sample/1", group="sample"),
        TestCase(input="\udcff 1\r\n", output="0\n", provenance="secret/a/10", group="secret/a"),
        TestCase(input="4 5\n", output="9\n", provenance="secret/b/02", group="secret/b"),
    ]
    assert problem.compare == Comparison(by="tokens", ignore_case=True)
    assert problem.checker is None
    assert problem.limits == Limits(memory_mb=2048, output_mb=8)
    assert sorted(gold.id for gold in problem.golds) == ["accepted/both", "accepted/ok.py"]
    assert problem.extra["kattis"]["time_limit_known"] is False


def test_bytes_come_back_as_they_were(package: Path) -> None:
    case = kattis.read(package).cases[1]
    assert case.input.encode("utf-8", "surrogateescape") == b"\xff 1\r\n"


def test_cases_are_read_when_asked_for(package: Path) -> None:
    cases = kattis.read(package).cases
    assert isinstance(cases, Sequence)
    (package / "data/sample/1.in").write_text("8 8\n")
    assert cases[0].input == "8 8\n"
    assert cases[-1].input == "4 5\n"
    assert [case.provenance for case in cases[1:]] == ["secret/a/10", "secret/b/02"]
    (package / "data/sample/1.in").unlink()
    assert len(cases[1:]) == 2
    with pytest.raises(BadRow, match="what can be read"):
        cases[0]
    with pytest.raises(IndexError):
        cases[3]


def test_a_case_without_an_answer(package: Path) -> None:
    (package / "data/sample/1.ans").unlink()
    assert kattis.read(package).cases[0].output is None


def test_packages_go_where_files_go(package: Path) -> None:
    assert [problem.id for problem in read_problems(package)] == ["add"]
    assert [problem.id for problem in read_problems(package.parent)] == ["add"]
    assert [problem.id for problem in read_problems(package.parent, format="kattis")] == ["add"]
    assert len(read_cases(package)) == 3
    with pytest.raises(UsageError, match="expected a file"):
        list(read_problems(package, format="klear"))
    with pytest.raises(UsageError, match="expected a problem package"):
        kattis.read(package.parent)


def test_one_bad_package_does_not_end_the_others(package: Path) -> None:
    write(package.parent / "zzz", {**BASE, "problem.yaml": "limits: [1\n"})
    errors: list[BadRow] = []
    assert [problem.id for problem in read_problems(package.parent, on_error=errors.append)] == ["add"]
    assert len(errors) == 1
    assert "expected YAML" in str(errors[0])


# --- limits and comparison


@pytest.mark.parametrize(
    ("yaml", "expected"),
    [
        ("limits: {time_limit: 3, memory: 512, output: 16}", Limits(cpu_s=3, memory_mb=512, output_mb=16)),
        ("limits: {time_multiplier: 2}", Limits(memory_mb=2048, output_mb=8)),
    ],
)
def test_limits(package: Path, yaml: str, expected: Limits) -> None:
    (package / "problem.yaml").write_text(yaml)
    assert kattis.read(package).limits == expected


def test_a_measured_time_limit(package: Path) -> None:
    (package / ".timelimit").write_text("2.5\n")
    problem = kattis.read(package)
    assert problem.limits == Limits(cpu_s=2.5, memory_mb=2048, output_mb=8)
    assert problem.extra["kattis"]["time_limit_known"] is True


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ("", Comparison(by="tokens", ignore_case=True)),
        ("case_sensitive", Comparison(by="tokens")),
        ("space_change_sensitive", Comparison(by="exact", ignore_case=True)),
        ("case_sensitive space_change_sensitive", Comparison(by="exact")),
        ("float_tolerance 1e-6", Comparison(by="floats", ignore_case=True, absolute=1e-6, relative=1e-6)),
        ("float_absolute_tolerance 0.01", Comparison(by="floats", ignore_case=True, absolute=0.01)),
        ("float_relative_tolerance 1e-9", Comparison(by="floats", ignore_case=True, relative=1e-9)),
        (
            "float_absolute_tolerance 1e-2 float_relative_tolerance 1e-4 case_sensitive",
            Comparison(by="floats", absolute=1e-2, relative=1e-4),
        ),
    ],
)
def test_flags_of_the_default_validator(package: Path, flags: str, expected: Comparison) -> None:
    (package / "problem.yaml").write_text(f"validator_flags: {flags}\n")
    assert kattis.read(package).compare == expected
    (package / "problem.yaml").write_text("name: x\n")
    write(package, {"data/testdata.yaml": f"output_validator_flags: {flags}\n"})
    assert kattis.read(package).compare == expected


@pytest.mark.parametrize(
    ("yaml", "field"),
    [
        ("validator_flags: float_tolerance", "validator_flags.float_tolerance"),
        ("validator_flags: float_tolerance nan", "validator_flags.float_tolerance"),
        ("validator_flags: be_nice", "validator_flags"),
        ('validator_flags: "\'"', "problem.yaml: validator_flags"),
        ("limits: {memory: lots}", "limits.memory"),
        ("limits: {memory: 0}", "limits.memory"),
        ("limits: 7", "limits"),
        ("validation: 3", "validation"),
        ("validation: custom interactive", "type"),
        ("type: [pass-fail, multi-pass]", "type"),
        ("- a", ""),
        ("a: [", ""),
        ("a: 2024-99-99", ""),
        ("? [a]\n: b", ""),
        ("[" * 5000, ""),
    ],
)
def test_bad_packages(package: Path, yaml: str, field: str) -> None:
    (package / "problem.yaml").write_text(yaml)
    with pytest.raises(BadRow) as caught:
        kattis.read(package)
    assert caught.value.field == field
    assert "problem.yaml" in caught.value.where


def test_groups_with_flags_of_their_own_are_refused(package: Path) -> None:
    write(package, {"data/secret/a/testdata.yaml": "output_validator_flags: case_sensitive\n"})
    with pytest.raises(BadRow, match="the same flags for all groups"):
        kattis.read(package)


def test_grading_of_groups_is_kept(package: Path) -> None:
    write(package, {"data/secret/a/testdata.yaml": "accept_score: 30\nrange: 0 30\non_reject: break\n"})
    groups = kattis.read(package).extra["kattis"]["groups"]
    assert groups == {"secret/a": {"accept_score": 30, "range": "0 30", "on_reject": "break"}}


# --- validators


def test_a_custom_validator_with_its_headers(package: Path) -> None:
    write(
        package,
        {
            "problem.yaml": "validation: custom\nvalidator_flags: -t '1 2'\n",
            "output_validators/check/validate.cc": '#include "validate.h"\nint main(int c, char **v) {}\n',
            "output_validators/check/validate.h": "// header\n",
            "output_validators/check/validate.bin": b"\x7fELF left behind",
            "output_validators/old.cpp": "int main() {}\n",
        },
    )
    checker = kattis.read(package).checker
    assert checker is not None
    assert (checker.kind, checker.language, checker.args) == ("kattis", "cpp", ("-t", "1 2"))
    assert checker.source.startswith('#include "validate.h"')
    assert checker.files == {"validate.h": b"// header\n"}


def test_a_validator_in_one_file(package: Path) -> None:
    write(package, {"problem.yaml": "validation: custom\n", "output_validators/v.py": "import sys\nsys.exit(42)\n"})
    checker = kattis.read(package).checker
    assert checker is not None
    assert (checker.language, checker.files, checker.args) == ("python", {}, ())


def test_a_validator_that_is_promised_and_missing(package: Path) -> None:
    (package / "problem.yaml").write_text("validation: custom\n")
    with pytest.raises(BadRow, match="output_validators: expected a validator"):
        kattis.read(package)


def test_a_validator_that_nobody_asked_for_does_not_count(package: Path) -> None:
    write(package, {"output_validators/v.py": "import sys\nsys.exit(42)\n"})
    assert kattis.read(package).checker is None


# --- submissions


def test_submissions_with_labels(package: Path) -> None:
    found = {each.id: each for each in kattis.submissions(package)}
    assert {name: (each.language, each.label) for name, each in found.items()} == {
        "accepted/ok.py": ("python", "success"),
        "accepted/both": ("cpp", "success"),
        "wrong_answer/bad.py": ("python", "wrong_answer"),
        "run_time_error/crash.c": ("c", "runtime_error"),
        "partially_accepted/half.java": ("java", "partially_accepted"),
    }
    assert found["accepted/both"].source == BASE["submissions/accepted/both/main.cpp"]
    assert found["accepted/both"].files == {"add.h": b"int add(int, int);\n"}


def test_submissions_as_entries(package: Path) -> None:
    entries = list(read_submissions(package))
    assert {entry.problem for entry in entries} == {"add"}
    assert len(entries) == 5


@pytest.mark.parametrize(
    ("files", "main", "language"),
    [
        ({"a.py": "import lib\n", "lib.py": "x = 1\n"}, "import lib\n", "python"),
        ({"lib.py": "x = 1\n", "z.py": "from lib import x\nif __name__ == '__main__': pass\n"}, None, "python"),
        ({"A.java": "class A {}", "B.java": "class B { static void main(String[] a) {} }"}, None, "java"),
        ({"a.pl": "main :- write(1).\n", "kattio.pl": ":- module(kattio).\n"}, None, "prolog"),
        ({"a.pl": "use strict;\nprint 1;\n"}, "use strict;\nprint 1;\n", "perl"),
        ({"a.py": "#!/usr/bin/env python2\nprint 1\n"}, None, "python2"),
        ({"a.C": "int main() {}"}, None, "cpp"),
    ],
)
def test_the_file_that_is_started(tmp_path: Path, files: dict[str, str], main: str | None, language: str) -> None:
    write(tmp_path, {f"submissions/accepted/dir/{name}": text for name, text in files.items()})
    (found,) = kattis.submissions(tmp_path)
    assert found.language == language
    expected = main or next(text for text in files.values() if "main" in text or "python2" in text)
    assert found.source == expected
    assert len(found.files) == len(files) - 1


# --- a package from a stranger


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    return write(tmp_path, {"secret.txt": "the host's own"}) / "secret.txt"


def test_a_linked_input_does_not_leave_the_package(package: Path, secret: Path) -> None:
    (package / "data/secret/b/02.in").unlink()
    (package / "data/secret/b/02.in").symlink_to(secret)
    assert (package / "data/secret/b/02.in").read_text() == "the host's own", "the attack works on read_text"
    with pytest.raises(BadRow, match="a link that leads out of it"):
        kattis.read(package)


def test_a_link_that_is_made_later_does_not_either(package: Path, secret: Path) -> None:
    cases = kattis.read(package).cases
    (package / "data/sample/1.ans").unlink()
    (package / "data/sample/1.ans").symlink_to(secret)
    with pytest.raises(BadRow, match="a link that leads out of it"):
        cases[0]


def test_linked_directories_do_not_leave_the_package(package: Path, secret: Path) -> None:
    away = write(secret.parent / "away", {"x.in": "1", "x.ans": "1", "x.py": "print()"})
    (package / "data/secret/c").symlink_to(away)
    assert len(kattis.read(package).cases) == 3
    (package / "submissions/accepted/c").symlink_to(away)
    with pytest.raises(BadRow, match="a link that leads out of it"):
        kattis.read(package)


@pytest.mark.parametrize("name", ["problem.yaml", "problem_statement/problem.en.tex", "submissions/accepted/ok.py"])
def test_no_other_file_is_read_through_a_link(package: Path, secret: Path, name: str) -> None:
    (package / name).unlink()
    (package / name).symlink_to(secret)
    with pytest.raises(BadRow, match="a link that leads out of it"):
        kattis.read(package)


def test_links_inside_the_package_are_fine(package: Path) -> None:
    (package / "data/secret/b/02.in").unlink()
    (package / "data/secret/b/02.in").symlink_to("../../sample/1.in")
    assert kattis.read(package).cases[2].input == "1 2\n"


@pytest.mark.parametrize("target", ["02.in", "nowhere"])
def test_links_to_nowhere_and_in_circles(package: Path, target: str) -> None:
    (package / "data/secret/b/02.in").unlink()
    (package / "data/secret/b/02.in").symlink_to(target)
    with pytest.raises(BadRow, match="what can be read"):
        kattis.read(package)


def test_a_pipe_as_input_does_not_hang(package: Path) -> None:
    (package / "data/sample/1.in").unlink()
    os.mkfifo(package / "data/sample/1.in")
    with pytest.raises(BadRow, match="a plain file"):
        kattis.read(package).cases[0]


def test_yaml_makes_no_objects(package: Path, tmp_path: Path) -> None:
    target = tmp_path / "made"
    (package / "problem.yaml").write_text(f"name: !!python/object/apply:os.mkdir ['{target}']\n")
    with pytest.raises(BadRow, match="expected YAML"):
        kattis.read(package)
    assert not target.exists()


def test_yaml_that_multiplies_itself_stays_small(package: Path) -> None:
    steps = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    steps += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    (package / "problem.yaml").write_text("\n".join(steps))
    write(package, {"data/testdata.yaml": "\n".join(steps)})
    problem = kattis.read(package)
    assert len(repr(problem.extra)) < 10_000
    (package / "problem.yaml").write_text("\n".join([*steps, "validator_flags: *a11"]))
    with pytest.raises(BadRow):
        kattis.read(package)
