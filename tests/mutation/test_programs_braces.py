"""Operators on C, C++ and Java sources: what each puts where, and that types are minded."""

from __future__ import annotations

import pytest

from codejury.mutation.programs import mutants


def c(body: str, *, ahead: str = "") -> str:
    return f"{ahead}int main() {{ int a, b, n; long long s; double d; int v[9]; {body} }}\n"


def made(source: str, language: str, operator: str) -> list[str]:
    """What an operator makes, cut to what differs."""
    found = []
    for each in mutants(source, language):
        if each.operator == operator:
            found.append(each.source.replace(source[: source.index("{ ", source.index("main")) + 2], ""))
    return sorted(found)


@pytest.mark.parametrize(
    ("operator", "body", "expected"),
    [
        ("arithmetic", "n = a + b;", ["n = a - b;"]),
        ("arithmetic", "n--;", ["n++;"]),
        ("assignment", "s += a;", ["s = (a);"]),
        ("bits", "n = a << 1;", ["n = a >> 1;"]),
        ("bits", "n = a & b;", ["n = a | b;"]),
        ("boundary", "n = a <= 5;", ["n = a < 5;"]),
        ("comparison", "n = a == b;", ["n = a != b;"]),
        ("logic", "n = a && b;", ["n = a || b;"]),
        ("lost_condition", "n = a && b;", ["n = 1 && b;", "n = a && 1;"]),
        ("constant", "n = 5;", ["n = (-5);", "n = 0;", "n = 4;", "n = 6;"]),
        ("constant", "n = a / 1;", ["n = a / (-1);", "n = a / 2;"]),
        ("constant", "return 0;", []),
        ("range", "for (n = 0; n < a; n++) {}", [
            "for (n = (0) + 1; n < a; n++) {}", "for (n = (0) - 1; n < a; n++) {}",
            "for (n = 0; n < (a) + 1; n++) {}", "for (n = 0; n < (a) - 1; n++) {}",
        ]),
        ("index", "n = v[0];", ["n = v[(0) + 1];"]),
        ("index", "n = v[a];", ["n = v[(a) + 1];", "n = v[(a) - 1];"]),
        ("negation", "if (a < b) n = 1;", ["if (!(a < b)) n = 1;"]),
        ("swapped_branch", "if (a) n = 1; else n = 2;", ["if (!(a)) n = 1; else n = 2;"]),
        ("swapped_branch", "n = a ? 1 : 2;", ["n = a ? 2 : 1;"]),
        ("dropped_branch", "if (a) n = 1;", ["if ((a) && 0) n = 1;", "if ((a) || 1) n = 1;"]),
        ("division", "n = a / b;", ["n = ((a) + (b) - 1) / (b);"]),
        ("division", "d = (double) a / b;", ["d = (a) / b;"]),
        ("modulo", "n = a % 7;", ["n = (a);"]),
        ("modulo", "n %= 7;", [";"]),
        ("narrow", "s = (long long) a * b;", ["s = (a) * b;", "s = (int) ((long long) a * b);"]),
        ("narrow", "s += a;", ["s = (int) (s + (a));"]),
        ("narrow", "n = a * b;", ["n = (short) (a * b);"]),
        ("precision", "d = a * 0.5;", ["d = (float) (a * 0.5);"]),
        ("precision", 'printf("%.6f", d);', ['printf("%.3f", d);']),
        ("swapped_operands", "n = a - b;", ["n = (b) - (a);"]),
        ("break", "while (a) { break; }", ["while (a) { ; }", "while (a) { continue; }"]),
        ("break", "while (a) { switch (b) { case 1: break; } }", []),
        ("early_break", "while (a) { a--; }", ["while (a) { a--; break; }"]),
        ("no_reset", "while (a) { int q = 0; b += q; }", ["{ int q = 0; while (a) { ; b += q; } }"]),
        ("no_reset", "while (a) { n = 0; b += n; }", ["while (a) { ; b += n; }"]),
        ("no_reset", "while (a) { int q = a; b += q; }", []),
        ("ignored_field", 'scanf("%d", &n);', ['scanf("%d", &n); n = 0;', 'scanf("%d", &n); n = 1;']),
        ("shifted_field", 'scanf("%d", &n);', ['scanf("%d", &n); n = n + 1;', 'scanf("%d", &n); n = n - 1;']),
        ("neighbour_field", 'scanf("%d %lld %d", &a, &s, &b);', []),
        ("neighbour_field", 'scanf("%d %d", &a, &b);', [
            'scanf("%d %d", &a, &b); a = b;', 'scanf("%d %d", &a, &b); b = a;',
        ]),
        ("base_case", "v[0] = 1;", ["v[0] = 0;", "v[0] = 2;"]),
        ("no_sort", "qsort(v, 9, 4, by);", [";"]),
        ("dropped_statement", "v[a] = b;", [";"]),
        ("dropped_statement", "n = b;", []),  # its value would be anybody's guess
    ],
)  # fmt: skip
def test_operator_of_c(operator: str, body: str, expected: list[str]) -> None:
    start = "int a, b, n; long long s; double d; int v[9]; "
    found = [each.removeprefix(start).removesuffix(" }\n") for each in made(c(body), "c", operator)]
    assert found == sorted(expected)


@pytest.mark.parametrize(
    ("operator", "body", "expected"),
    [
        ("bits", "cout << a << b;", []),
        ("bits", "cout << (a << b);", ["cout << (a >> b);"]),
        ("arithmetic", 't = t + "x";', []),
        ("arithmetic", "n = w.end() - w.begin();", []),
        ("index", "m[t] = 1;", []),
        ("min_max", "n = std::max(a, b);", ["n = std::min(a, b);"]),
        ("sort_order", "sort(w.begin(), w.end());", [
            "{ sort(w.begin(), w.end()); std::reverse(w.begin(), w.end()); }",
        ]),
        ("sort_order", "sort(all(w), by);", ["{ sort(all(w), by); std::reverse(all(w)); }"]),
        ("ignored_field", "cin >> t;", ['cin >> t; t = "";']),
        ("shifted_field", "cin >> t;", []),
        ("ignored_field", "for (;;) cin >> w[a];", [
            "for (;;) { cin >> w[a]; w[a] = 0; }", "for (;;) { cin >> w[a]; w[a] = 1; }",
        ]),
        ("precision", "cout << setprecision(9);", ["cout << setprecision((9) / 3);"]),
        ("copy_in_loop", "while (a) { b = w[0]; }", [
            'while (a) { { auto copy_ = w; asm volatile("" : : "r"(&copy_) : "memory"); } b = w[0]; }',
        ]),
        ("no_reset", "while (a) { vector<int> q; q.push_back(1); }", [
            "{ vector<int> q; while (a) { ; q.push_back(1); } }",
        ]),
    ],
)  # fmt: skip
def test_operator_of_cpp(operator: str, body: str, expected: list[str]) -> None:
    start = "int a, b, n; string t; vector<int> w; map<string, int> m; "
    source = f"#define all(x) x.begin(), x.end()\nint main() {{ {start}{body} }}\n"
    found = [each.removeprefix(start).removesuffix(" }\n") for each in made(source, "cpp", operator)]
    assert found == sorted(expected)


@pytest.mark.parametrize(
    "head", ["#define ll long long", "typedef long long ll;", "using ll = long long;", "using ll = int64_t;"]
)
def test_a_short_name_for_a_wide_type_is_narrowed(head: str) -> None:
    source = f"{head}\nint main() {{ ll x = 1; return x > 2; }}\n"
    found = [each.source for each in mutants(source, "cpp") if each.operator == "narrow"]
    assert [each.splitlines()[0] for each in found] == [head.replace("long long", "int").replace("int64_t", "int")]


def test_scanf_keeps_the_width_of_what_it_writes_to() -> None:
    source = 'typedef long long ll;\nint main() { ll x; scanf("%lld", &x); return x > 2; }\n'
    assert [each for each in mutants(source, "c") if each.operator == "narrow"] == []


def test_a_size_of_an_array_stays() -> None:
    source = "const int N = 100;\nint v[N + 5];\nint main() { return v[1]; }\n"
    assert [each for each in mutants(source, "cpp") if each.operator == "constant"] == []


def test_arguments_of_own_functions_are_swapped_where_the_types_are_one() -> None:
    source = "int f(int a, int b, char c) { return a; }\nint main() { return f(1, 2, 3) + g(4, 5); }\n"
    found = [each.after for each in mutants(source, "cpp") if each.operator == "swapped_arguments"]
    assert found == ["2, 1"]


@pytest.mark.parametrize(
    ("language", "source"),
    [
        ("c", 'int v[] = {1, 2, /* a */ 2, x, 3};\nconst char *w[] = {"a", "b"};\n'),
        ("cpp", 'std::vector<int> v{1, 2};\nstd::string w[] = {"a", "b", c};\n'),
        ("java", 'class A { int[] v = {1, 2};\n String[] w = {"a", "b"}; }\n'),
    ],
)
def test_constants_side_by_side_in_a_table_change_places(language: str, source: str) -> None:
    found = {each.after for each in mutants(source, language) if each.operator == "swapped_entries"}
    assert found == {"2, 1", '"b", "a"'}


def test_of_a_long_table_three_pairs_are_enough() -> None:
    source = f"int v[] = {{{', '.join(map(str, range(40)))}}};\n"
    found = {each.after for each in mutants(source, "c") if each.operator == "swapped_entries"}
    assert found == {"1, 0", "20, 19", "39, 38"}


MEMO = "int memo[9];\nint f(int n) {{ {guard} return memo[n]; return memo[n] = f(n - 1); }}\n"


@pytest.mark.parametrize("guard", ["if (memo[n] != -1)", "if (memo.count(n))"])
def test_a_memo_that_is_not_looked_up_is_slow(guard: str) -> None:
    (found,) = [each for each in mutants(MEMO.format(guard=guard), "cpp") if each.operator == "no_memo"]
    assert found.slow
    assert found.after == f"({guard[4:-1]}) && 0"


def test_recursion_of_java() -> None:
    source = "class Main { static int f(int n) { if (n < 2) return n; return f(n - 1) + f(n - 2); } }\n"
    found = {each.after for each in mutants(source, "java") if each.operator == "base_case"}
    assert found == {"(n < 2) && false", "(n) + 1"}


JAVA = 'class Main {{ static void main(String[] x) {{ int a = 1, n = 2; long s = 3; String t = ""; {body} }} }}\n'


@pytest.mark.parametrize(
    ("operator", "body", "expected"),
    [
        ("arithmetic", 't = "a" + n + a;', set()),
        ("arithmetic", "n = n + a;", {"-"}),
        ("assignment", "s += a;", {"= (long) (a)"}),
        ("break", "while (true) { break; }", set()),
        ("break", "while (n < a) { break; }", {"continue;", ";"}),
        ("early_break", "while (n < a) { n++; }", {"if (true) break;"}),
        ("narrow", "s = (long) n * a;", {"(n)", "(int) ((long) n * a)"}),
        ("narrow", "s = (long) (n * 0.5);", {"(int) ((long) (n * 0.5))"}),
        ("constant", "n = 2147483647;", {
            "2147483646", "0", "(-2147483647)", "2", "3", "(-1)", "(-2)", "(-3)", "1", "4",
        }),
        ("ignored_field", "int q = in.nextInt();", {"q = 0;", "q = 1;"}),
        ("shifted_field", "int q = in.nextInt();", {"q = q + 1;", "q = q - 1;"}),
        ("ignored_field", "final int q = in.nextInt();", set()),
        ("neighbour_field", "int p = in.nextInt(); int q = in.nextInt();", {"q = p;"}),
        ("sort_order", "Collections.sort(list);", {"{ Collections.sort(list); java.util.Collections.reverse(list); }"}),
        ("no_sort", "Arrays.sort(v);", {";"}),
        ("dropped_statement", "t = in.readLine();", set()),
        ("slow_scan", "for (int i = 0; i < n; i++) { a++; }", {
            "for (long turn_ = 0; turn_ < (long) (n); turn_++) Thread.onSpinWait();",
        }),
    ],
)  # fmt: skip
def test_operator_of_java(operator: str, body: str, expected: set[str]) -> None:
    found = {each.after for each in mutants(JAVA.format(body=body), "java") if each.operator == operator}
    assert found == expected


def test_bytes_that_are_no_utf_8_stay() -> None:
    source = b"// caf\xe9\nint main() { int n = 1; return n < 2; /* \xff */ }\n".decode(errors="surrogateescape")
    (found,) = [each for each in mutants(source, "c") if each.operator == "boundary"]
    assert found.source == source.replace("n < 2", "n <= 2")
