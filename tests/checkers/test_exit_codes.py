"""codejury.checkers.program: checkers that tell by their exit code, testlib's and Kattis's, in C++ and others."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from checkers.jury import Jury

import codejury
from codejury import Limits, UsageError
from codejury.checkers.program import Answer, CheckResult, check_many
from codejury.model import Checker

LITTLE = Limits(cpu_s=2, wall_s=3, memory_mb=128, disk_mb=16, output_mb=1)

# A sum that is split in two: any two numbers that add up to the input.
TESTLIB_CPP = r"""
#include <cstdio>
#include <cstdlib>
#include <fstream>

int main(int argc, char **argv) {
    if (argc < 4) return 3;
    std::ifstream in(argv[1]), out(argv[2]), ans(argv[3]);
    long long sum, a, b, c, d;
    if (!(in >> sum)) return 3;
    if (!(ans >> c >> d) || c + d != sum) { std::fprintf(stderr, "the answer does not add up\n"); return 3; }
    if (!(out >> a >> b)) { std::fprintf(stderr, "expected two numbers\n"); return 2; }
    if (a + b != sum) { std::fprintf(stderr, "%lld is not %lld\n", a + b, sum); return 1; }
    std::fprintf(stderr, "%s\n", argc > 4 ? argv[4] : "fine");
    return 0;
}
"""

TESTLIB_PYTHON = """
import sys
sum_ = int(open(sys.argv[1]).read())
a, b = map(int, open(sys.argv[2]).read().split())
sys.exit(0 if a + b == sum_ else "not the sum" if len(sys.argv) > 4 else 1)
"""

KATTIS_CPP = r"""
#include <fstream>
#include <iostream>
#include <string>
#include "verdicts.h"

int main(int argc, char **argv) {
    std::ifstream in(argv[1]), ans(argv[2]);
    std::ofstream message(std::string(argv[3]) + "judgemessage.txt");
    long long sum, a, b;
    in >> sum;
    if (!(std::cin >> a >> b)) { message << "no two numbers"; message.close(); return WRONG; }
    if (argc > 4 && std::string(argv[4]) == "positive" && (a < 0 || b < 0)) { message << "negative"; return WRONG; }
    if (a + b != sum) { message << a + b << " is not " << sum; return WRONG; }
    return RIGHT;
}
"""
VERDICTS_H = b"enum { RIGHT = 42, WRONG = 43 };\n"

KATTIS_PYTHON = """
import sys
wanted, (a, b) = int(open(sys.argv[1]).read()), map(int, sys.stdin.read().split())
print("seen", a, b)
sys.exit(42 if a + b == wanted else 43)
"""


def of_testlib(box: codejury.Sandbox, source: str, **more: object) -> Jury:
    return Jury(box, Checker(kind="testlib", source=source, **more))  # type: ignore[arg-type]


def of_kattis(box: codejury.Sandbox, source: str, **more: object) -> Jury:
    return Jury(box, Checker(kind="kattis", source=source, **more))  # type: ignore[arg-type]


def exiting(code: int, words: str = "") -> str:
    return f"import sys\nsys.stderr.write({words!r})\nsys.exit({code})\n"


# --- testlib ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["cpp17", None])
def test_testlib_in_cpp(box: codejury.Sandbox, language: str | None) -> None:
    jury = of_testlib(box, TESTLIB_CPP, language=language)
    assert jury("2 3", "1 4", "5") == CheckResult(accepted=True, message="fine")
    assert jury("2 4", "1 4", "5") == CheckResult(accepted=False, message="6 is not 5")
    assert jury("two", "1 4", "5") == CheckResult(accepted=False, message="expected two numbers")
    assert "jury's own answer or input is at fault: the answer does not add up" in jury.failure("2 3", "1 5", "5")


def test_arguments_come_behind_the_files(box: codejury.Sandbox) -> None:
    assert of_testlib(box, TESTLIB_CPP, language="cpp17", args=("strict",))("2 3", "1 4", "5").message == "strict"


def test_testlib_in_python(box: codejury.Sandbox) -> None:
    jury = of_testlib(box, TESTLIB_PYTHON, language="python")
    assert jury("2 3", "", "5").accepted
    assert not jury("2 4", "", "5").accepted
    assert of_testlib(box, TESTLIB_PYTHON, args=("x",))("2 4", "", "5") == CheckResult(
        accepted=False, message="not the sum"
    )


def test_a_crash_in_python_is_no_wrong_answer(box: codejury.Sandbox) -> None:
    words = of_testlib(box, TESTLIB_PYTHON, language="python").failure("two", "", "5")
    assert "exit code 70" in words
    assert "ValueError" in words
    assert "line 4" in words


@pytest.mark.parametrize(
    ("language", "source"),
    [
        ("javascript", "const [, , a] = process.argv; null.x"),
        ("java", "class Main { public static void main(String[] a) { throw new IllegalStateException(); } }"),
        ("go", 'package main\nimport "os"\nfunc main() { var a []string; os.Stderr.WriteString(a[1]) }'),
        ("ruby", "raise 'oh'"),
        ("lua", "error('oh')"),
    ],
)
def test_a_crash_in_another_language_is_no_wrong_answer(box: codejury.Sandbox, language: str, source: str) -> None:
    try:
        box.toolchain(box.catalog.get(language))
    except codejury.LanguageUnavailable as error:
        pytest.skip(str(error))
    assert "the checker failed" in of_testlib(box, source, language=language).failure("1")


def test_a_wrong_answer_that_reads_like_a_crash_stays_one(box: codejury.Sandbox) -> None:
    for words in ("\nTraceback (most recent call last):\n", "No space left on device", "Too many open files", "EAGAIN"):
        assert not of_testlib(box, exiting(1, words), language="python")("1").accepted


@pytest.mark.parametrize(
    ("words", "points", "accepted"), [("points 0.5 half", 0.5, False), ("1", 1.0, True), ("100 all", 100.0, True)]
)
def test_points(box: codejury.Sandbox, words: str, points: float, accepted: bool) -> None:
    result = of_testlib(box, exiting(7, words), language="python")("1")
    assert result == CheckResult(accepted=accepted, message=words, points=points)


def test_points_without_a_number_are_a_failure(box: codejury.Sandbox) -> None:
    assert "says not how many" in of_testlib(box, exiting(7, "some"), language="python").failure("1")


@pytest.mark.parametrize("code", [5, 6, 9, 42, 43, 99, 126, 127, 255])
def test_other_codes_are_failures(box: codejury.Sandbox, code: int) -> None:
    assert f"exit code {code}" in of_testlib(box, exiting(code), language="python").failure("1")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("for (;;) ;", "more than 2 s of CPU time"),
        ("char *p; while ((p = (char *)malloc(1 << 20))) memset(p, 1, 1 << 20); return 0;", "MB of memory"),
        ("abort();", "signal 6"),
        ("*(volatile int *)8 = 1;", "signal 11"),
        ('for (;;) puts("0123456789");', "printed more than 1 MB"),
        ("return 17;", "exit code 17"),
    ],
    ids=["slow", "hungry", "abort", "crash", "chatty", "nonsense"],
)
@pytest.mark.parametrize("kind", ["testlib", "kattis"])
def test_failures_in_cpp(box: codejury.Sandbox, kind: str, body: str, words: str) -> None:
    source = f"#include <cstdio>\n#include <cstdlib>\n#include <cstring>\nint main() {{ {body} }}\n"
    checker = Checker(kind=kind, source=source, language="cpp17")  # type: ignore[arg-type]
    assert re.search(words, Jury(box, checker).failure("1", limits=LITTLE))


@pytest.mark.parametrize("kind", ["testlib", "kattis"])
def test_a_checker_that_does_not_compile(box: codejury.Sandbox, kind: str) -> None:
    checker = Checker(kind=kind, source="int main() { return nothing; }", language="cpp17")  # type: ignore[arg-type]
    words = Jury(box, checker).failure("1")
    assert "does not compile" in words
    assert "nothing" in words


def test_a_checker_is_compiled_once_for_all_cases(box: codejury.Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = []
    compile_anew = box._compile_anew
    monkeypatch.setattr(box, "_compile_anew", lambda *given: compiled.append(1) or compile_anew(*given))  # type: ignore[func-returns-value]
    jury = of_testlib(box, TESTLIB_CPP + "// once\n", language="cpp17")
    for number in range(5):
        assert jury(f"{number} 3", f"{number} 3", str(number + 3)).accepted
    assert compiled == [1]


def test_files_that_do_not_fit_are_a_failure(box: codejury.Sandbox) -> None:
    """The sandbox says so with exit code 1, which is a checker's word for wrong."""
    words = of_testlib(box, exiting(0), language="python").failure("x" * (32 << 20), limits=LITTLE)
    assert "more than 16 MB for files" in words


@pytest.mark.parametrize("name", ["codejury-case/input.txt", "codejury-case"])
def test_a_checkers_files_keep_clear_of_the_cases(box: codejury.Sandbox, name: str) -> None:
    with pytest.raises(UsageError, match="choose another folder"):
        of_testlib(box, exiting(0), language="python", files={name: b""})("1")


# --- Kattis ----------------------------------------------------------------------------------------------------------


def test_kattis_in_cpp_with_a_header(box: codejury.Sandbox) -> None:
    files = {"verdicts.h": VERDICTS_H}
    jury = of_kattis(box, KATTIS_CPP, language="cpp17", files=files)
    assert jury("2 3", "1 4", "5") == CheckResult(accepted=True)
    assert jury("7 -2", "1 4", "5").accepted
    assert jury("2 4", "1 4", "5") == CheckResult(accepted=False, message="6 is not 5")
    assert jury("", "1 4", "5") == CheckResult(accepted=False, message="no two numbers")
    flagged = of_kattis(box, KATTIS_CPP, language="cpp17", files=files, args=("positive",))
    assert flagged("7 -2", "1 4", "5") == CheckResult(accepted=False, message="negative")


def test_kattis_in_several_sources(box: codejury.Sandbox) -> None:
    source = "bool right(int);\n#include <iostream>\nint main() { int a; std::cin >> a; return right(a) ? 42 : 43; }"
    files = {
        "rule.cpp": b'#include "limit.h"\nbool right(int a) { return a < LIMIT; }',
        "limit.h": b"#define LIMIT 5\n",
    }
    jury = of_kattis(box, source, language="cpp17", files=files)
    assert jury("4").accepted
    assert not jury("5").accepted


def test_kattis_in_python(box: codejury.Sandbox) -> None:
    jury = of_kattis(box, KATTIS_PYTHON, language="python")
    assert jury("2 3", "", "5") == CheckResult(accepted=True, message="seen 2 3")
    assert not jury("2 4", "", "5").accepted
    assert "expected exit code 42 or 43" in jury.failure("two", "", "5")


def test_kattis_score(box: codejury.Sandbox) -> None:
    source = "import sys\nopen(sys.argv[3] + 'score.txt', 'w').write(sys.stdin.read())\nsys.exit(42)"
    jury = of_kattis(box, source, language="python")
    assert jury("12.5\n") == CheckResult(accepted=True, points=12.5)
    assert "no number" in jury.failure("many")
    assert "no number" in jury.failure("nan")


def test_kattis_judge_error_is_told(box: codejury.Sandbox) -> None:
    source = "import sys\nopen(sys.argv[3] + '/judgeerror.txt', 'w').write('bad data')\nsys.exit(1)"
    assert "it says: bad data" in of_kattis(box, source, language="python").failure("1")


@pytest.mark.parametrize("code", [0, 1, 2, 41, 44])
def test_kattis_knows_two_codes(box: codejury.Sandbox, code: int) -> None:
    assert f"exit code {code}" in of_kattis(box, exiting(code), language="python").failure("1")


def test_kattis_need_not_read_the_output(box: codejury.Sandbox) -> None:
    assert not of_kattis(box, exiting(43), language="python")("x" * 5_000_000).accepted
    assert of_kattis(box, "int main() { return 42; }", language="cpp17")("x" * 5_000_000).accepted


def test_words_of_limits_do_not_hide_an_acceptance(box: codejury.Sandbox) -> None:
    assert of_kattis(box, exiting(42, "ENOSPC EMFILE EAGAIN"), language="python")("1").accepted


@pytest.mark.parametrize("name", ["build", "run"])
def test_kattis_scripts_are_refused(box: codejury.Sandbox, name: str) -> None:
    with pytest.raises(UsageError, match=f"script '{name}' is not supported"):
        of_kattis(box, exiting(42), language="python", files={name: b"#!/bin/sh\n"})("1")


# --- real packages ---------------------------------------------------------------------------------------------------


def validator_of(package: Path) -> Checker:
    """The package's output validator: a folder with its headers, or a single file."""
    folder = package / "output_validators"
    folders = sorted(path for path in folder.iterdir() if path.is_dir())
    files = sorted(path for path in (folders[0] if folders else folder).iterdir() if path.is_file())
    (main,) = [
        path for path in files if path.suffix in (".cpp", ".cc", ".py") and re.search(r"\bmain\b", path.read_text())
    ]
    beside = {path.name: path.read_bytes() for path in files if path != main and path.suffix != ".bin"}
    return Checker(kind="kattis", source=main.read_text(), language="cpp17", files=beside)


PACKAGES = """climbing dryicecream dulmal4 espressobucks falling jatten laki lyklabordskappi symmetricpolynomials"""
EACH = 2  # submissions of a label that are tried
LARGEST = 1 << 20  # bytes of a case's input: the large ones take the submissions long


@pytest.mark.slow
@pytest.mark.parametrize("name", PACKAGES.split())
def test_real_output_validators(box: codejury.Sandbox, shared: Path, name: str) -> None:
    """Outputs of accepted submissions are accepted, and each wrong one's is rejected for some case."""
    package = shared / "data" / "kattis" / name
    if not package.is_dir():
        pytest.skip("the contest packages are not there")
    checker = validator_of(package)
    labels = [json.loads(line) for line in (package.parent / "labels.jsonl").read_text().splitlines()]
    cases = [path for path in sorted(package.glob("data/**/*.in")) if path.stat().st_size < LARGEST]
    tried: Counter[str] = Counter()
    for label in labels:
        path = package / label["sub"]
        known = label["keep"] or label["verified"] == "SKIP"  # where whoever made the labels had no validator
        if label["id"] != name or not known or label["label"] not in ("accepted", "wrong_answer"):
            continue
        if tried[label["label"]] == EACH or not path.is_file():
            continue
        answers = []
        for case in cases:
            outcome = box.run(path, stdin=case.read_bytes(), limits=Limits(cpu_s=20))
            if outcome.ok:
                expected = case.with_suffix(".ans").read_text()
                answers.append(Answer(input=case.read_text(), output=outcome.stdout.decode(), expected=expected))
        assert answers
        results = list(check_many(box, checker, answers))
        verdicts = [result.accepted for result in results if isinstance(result, CheckResult)]
        assert len(verdicts) == len(results), [each for each in results if not isinstance(each, CheckResult)]
        if label["label"] == "accepted":
            assert all(verdicts), label["sub"]
            assert len(verdicts) == len(cases)
        else:
            assert not all(verdicts), label["sub"]
        tried[label["label"]] += 1
    assert tried["accepted"]
