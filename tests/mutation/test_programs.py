"""Mutants as a whole: deterministic, spread, in two families, and never a crash, whatever the source looks like."""

from __future__ import annotations

import ast
import itertools
import subprocess
import sys
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codejury.errors import UsageError
from codejury.mutation.programs import Mutant, mutants, supports
from codejury.mutation.programs.operators import OPERATORS, Change, Changes

PYTHON = """\
from functools import lru_cache
import sys

@lru_cache(maxsize=None)
def ways(n):
    if n <= 1:
        return 1
    return (ways(n - 1) + ways(n - 2)) % 1000007

def main():
    t = int(input())
    for _ in range(t):
        n, m = map(int, input().split())
        total = 0
        rows = sorted(list(map(int, input().split())))
        for i in range(n):
            if rows[i] > m and rows[i] % 2 == 0:
                continue
            total += max(rows[i], m) // 2
        else:
            total -= 1
        print(total, ways(n))

main()
"""
CPP = """\
#include <bits/stdc++.h>
using namespace std;
using ll = long long;
int memo[100];
int ways(int n, int k) {
    if (n <= 1) return 1;
    if (memo[n] != 0) return memo[n];
    return memo[n] = (ways(n - 1, k) + ways(k, n)) % 1007;
}
int main() {
    int n, m;
    cin >> n >> m;
    vector<ll> v(n);
    for (int i = 0; i < n; i++) { cin >> v[i]; }
    sort(v.begin(), v.end());
    ll sum = 0;
    while (m--) {
        int seen = 0;
        for (int i = 0; i < n; i++) {
            if (v[i] > 3 && v[i] < 100) { seen++; continue; }
            sum += max(v[i], (ll) 1) * m;
        }
        if (seen) cout << seen << endl; else cout << 0 << endl;
    }
    printf("%.6f %lld\\n", (double) sum / n, sum);
    return 0;
}
"""
C = """\
#include <stdio.h>
int main(void) {
    int n, m;
    long long sum = 0;
    scanf("%d %d", &n, &m);
    for (int i = 0; i < n; i++) {
        if (i % 2 == 0) break;
        sum += (long long) i * m;
    }
    printf("%lld\\n", sum);
    return 0;
}
"""
JAVA = """\
import java.util.*;
public class Main {
    static long ways(int n) { if (n <= 1) return 1; return ways(n - 1) + ways(n - 2); }
    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        int n = in.nextInt();
        int m = in.nextInt();
        int[] a = new int[n];
        for (int i = 0; i < n; i++) { a[i] = in.nextInt(); }
        Arrays.sort(a);
        long sum = 0;
        for (int i = 0; i < n; i++) {
            int part = 0;
            if (a[i] > m) { part = Math.max(a[i], m); }
            sum += (long) part * a[i];
        }
        System.out.println("sum " + sum + " " + ways(n));
    }
}
"""
SOURCES = {"python": PYTHON, "cpp17": CPP, "c": C, "java": JAVA}


@pytest.mark.parametrize("language", SOURCES)
def test_the_same_seed_gives_the_same_mutants(language: str) -> None:
    made = mutants(SOURCES[language], language, seed=3)
    assert made == mutants(SOURCES[language], language, seed=3)
    assert {each.source for each in made} == {each.source for each in mutants(SOURCES[language], language, seed=4)}
    assert made != mutants(SOURCES[language], language, seed=4)


@pytest.mark.parametrize("language", SOURCES)
def test_a_longer_list_begins_with_the_shorter_one(language: str) -> None:
    made = mutants(SOURCES[language], language)
    for limit in (0, 1, 7, 20):
        assert mutants(SOURCES[language], language, limit=limit) == made[:limit]


@pytest.mark.parametrize("language", SOURCES)
def test_a_few_are_spread_over_operators_and_lines(language: str) -> None:
    made = mutants(SOURCES[language], language)
    operators = {each.operator for each in made}
    few = mutants(SOURCES[language], language, limit=len(operators))
    assert {each.operator for each in few} == operators
    most = Counter(each.line for each in few).most_common(1)[0][1]
    assert most <= len(few) // 2


@pytest.mark.parametrize("language", SOURCES)
def test_mutants_differ_from_the_source_and_from_each_other(language: str) -> None:
    made = mutants(SOURCES[language], language)
    assert len(made) > 30
    assert len({each.source for each in made} | {SOURCES[language]}) == len(made) + 1


@pytest.mark.parametrize("language", SOURCES)
def test_all_but_the_changed_place_stays(language: str) -> None:
    """What is equal at the start and at the end, and what is said to have been replaced, make up the source."""
    source = SOURCES[language]
    for each in mutants(source, language):
        lines, changed = source.splitlines(), each.source.splitlines()
        ahead = each.line - 1
        if each.operator != "no_reset":  # which moves a statement to an earlier line
            assert changed[:ahead] == lines[:ahead], each


@pytest.mark.parametrize("language", SOURCES)
def test_the_families_share_no_operator_and_both_are_there(language: str) -> None:
    made = mutants(SOURCES[language], language)
    by_family = {family: {each.operator for each in made if each.family == family} for family in (0, 1)}
    assert not by_family[0] & by_family[1]
    assert min(map(len, by_family.values())) >= 5
    for family in (0, 1):
        only = mutants(SOURCES[language], language, family=family)
        assert {each.operator for each in only} == by_family[family]


def test_every_operator_has_a_place_in_some_language() -> None:
    more = """
def f(a, b, words):
    dp = [0] * (b + 1)
    dp[0] = 1
    names = ["one", "two"]
    best = a & b
    for x in words:
        if not x:
            break
        words[a] = dp[a] - ~b
        a = round(a / b, 3)
    return best ** 2
"""
    seen = {each.operator for language, source in SOURCES.items() for each in mutants(source, language)}
    seen |= {each.operator for each in mutants(more, "python")}
    assert seen == set(OPERATORS)


def test_slow_ones_are_marked_and_aim_at_large_inputs() -> None:
    slow = [each for each in mutants(PYTHON, "python") if each.slow]
    assert {each.operator for each in slow} == {"no_memo", "slow_scan", "copy_in_loop"}
    assert {each.aim for each in slow} == {"large"}


def test_a_compared_constant_is_what_the_mutant_aims_at() -> None:
    made = [each for each in mutants("n = int(input())\nprint(n < 17)\n", "python") if each.operator == "boundary"]
    assert [(each.after, each.aim) for each in made] == [("<=", "17")]


# ── Languages ────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("language", ["python3", "pypy3", "py2", "gcc", "c++", "g++", "C++20", "c++23", "java17"])
def test_aliases(language: str) -> None:
    assert supports(language)


@pytest.mark.parametrize("language", ["rust", "javascript", "no such", ""])
def test_a_language_without_operators_is_said(language: str) -> None:
    assert not supports(language)
    with pytest.raises(UsageError, match="language"):
        mutants("x", language)


def test_a_negative_limit_is_said() -> None:
    with pytest.raises(UsageError, match="limit"):
        mutants("x = 1", "python", limit=-1)


def test_python_needs_no_tree_sitter() -> None:
    child = (
        "import sys; from codejury.mutation.programs import mutants; assert mutants('x = 1 + 2', 'python');"
        "sys.exit(any(name.startswith('tree_sitter') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", child], check=False).returncode == 0


# ── Whatever a gold looks like ───────────────────────────────────────────────────────────────────────────────────────

HOSTILE = {
    "empty": "",
    "blank": " \n\t\n",
    "nul": "x = 1\0",
    "surrogate": "x = '\ud800' + 1",
    "too large": "x = 1 + 2\n" * 120_000,
    "brackets": "(" * 20_000 + "1" + ")" * 20_000,
    "minus": "x = " + "-" * 50_000 + "1",
    "not closed": "int main() { if (x { for (",
    "braces": "{" * 100_000,
    "words": "This is no program. It has < and > and + in it; and 'quotes",
    "only a comment": "// nothing\n# nothing\n",
}


@pytest.mark.parametrize("language", SOURCES)
@pytest.mark.parametrize("source", HOSTILE.values(), ids=HOSTILE)
def test_what_is_no_program_has_few_or_no_mutants(source: str, language: str) -> None:
    made = mutants(source, language, limit=5)
    assert len(made) <= 5
    if language == "python":
        assert made == []


@pytest.mark.parametrize(
    ("language", "source"),
    [
        ("python", "x = " + " + ".join(["y"] * 900) + "\n"),
        ("python", "x = [" + "1, 2, " * 20_000 + "]\n"),
        ("python", "if x:\n    pass\n" + "elif x > 1:\n    y = 2\n" * 80),
        ("c", "int a[] = {" + "1, 2, " * 20_000 + "};\nint main() { return a[0] + 1; }\n"),
        ("cpp", "int main() { int x = " + "(" * 3_000 + "1" + ")" * 3_000 + "; return x; }\n"),
        ("cpp", "int main() { int x = 0; " + "if (x < 1) " * 3_000 + "x++; }\n"),
        ("java", "class Main { int x = " + " + ".join(["x"] * 5_000) + "; }\n"),
        ("c", "int main() {" + "for (int i = 0; i < 9; i++) {" * 500 + "}" * 500 + "}\n"),
    ],
    ids=["sum", "table", "elif", "c table", "brackets", "ifs", "java sum", "loops"],
)
def test_large_and_deep_programs_have_mutants(language: str, source: str) -> None:
    assert 1 <= len(mutants(source, language, limit=3)) <= 3


def test_many_places_of_one_operator_are_thinned_evenly() -> None:
    found = Changes()
    for place in range(10_000):
        found.add(Change("constant", place, place + 1, b"0"))
    kept = [each.start for each in found.by_operator["constant"]]
    assert 100 < len(kept) <= 512
    assert kept[0] == 0
    assert kept[-1] > 9_000
    assert len({after - before for before, after in itertools.pairwise(kept)}) == 1


def test_python_2_is_read_where_it_is_python_3_too() -> None:
    assert mutants("print 1 + 2\n", "python2") == []
    assert {each.after for each in mutants("print(1 + 2)\n", "python2") if each.operator == "arithmetic"} == {"-"}


def test_a_macro_that_is_no_c_leaves_the_rest() -> None:
    source = (
        "#define rep(i, n) for (int i = 0; i < n; i++)\nint main() { int s = 0; rep(i, 9) { s += 2; } return s > 5; }\n"
    )
    made = mutants(source, "cpp")
    assert any(each.operator == "boundary" and "s >= 5" in each.source for each in made)
    assert not any("; {" in each.source and each.operator == "dropped_statement" for each in made)


@given(st.text(max_size=200), st.sampled_from(sorted(SOURCES)))
def test_any_text(source: str, language: str) -> None:
    for each in mutants(source, language, limit=4):
        assert each.source != source


@given(st.data(), st.sampled_from(sorted(SOURCES)))
def test_any_part_of_a_program(data: st.DataObject, language: str) -> None:
    source = SOURCES[language]
    start, end = data.draw(st.integers(0, len(source))), data.draw(st.integers(0, len(source)))
    for each in mutants(source[start:end], language, limit=4):
        assert isinstance(each, Mutant)
        if language == "python":
            ast.parse(each.source)
