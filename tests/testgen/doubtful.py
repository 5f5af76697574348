"""Two problems with checkers, and one with validators: a right one each, and wrong ones that look right.

subset   n, s and n numbers: YES, how many, and places (from 1) of numbers whose sum is s; or NO. Many answers.
mean     of n numbers, with an error of at most 10^-6.
list     n from 1 to 100, then n numbers from 0 to 1000.
"""

from __future__ import annotations

import itertools

from codejury.model import Checker, TestCase

# ── subset ───────────────────────────────────────────────────────────────────────────────────────────────────────────

SUBSET_INPUTS = [
    "4 7\n3 4 2 5\n",
    "5 9\n1 8 4 5 9\n",
    "6 10\n1 2 3 4 6 7\n",
    "3 100\n1 2 3\n",
    "5 15\n5 10 7 8 15\n",
    "4 2\n4 4 4 4\n",
    "7 12\n3 9 2 10 5 7 12\n",
    "6 6\n1 5 2 4 6 3\n",
]


def subset(text: str, *, backwards: bool) -> str:
    n, s, *values = map(int, text.split())
    sizes = range(n, 0, -1) if backwards else range(1, n + 1)
    for size in sizes:
        for places in itertools.combinations(range(n), size):
            if sum(values[at] for at in places) == s:
                order = reversed(places) if backwards else places
                return f"YES\n{size}\n{' '.join(str(at + 1) for at in order)}\n"
    return "NO\n"


SUBSET_OUTPUTS = [[subset(text, backwards=backwards) for text in SUBSET_INPUTS] for backwards in (False, True)]
SUBSET_CASES = [
    TestCase(input=text, output=output) for text, output in zip(SUBSET_INPUTS, SUBSET_OUTPUTS[0], strict=True)
]

_READ = """
def is_valid_output(input_str, output_str, reference_output_str):
    n, s, *values = map(int, input_str.split())
    words = output_str.split()
    expected = reference_output_str.split()
    try:
        if words[0] != expected[0]:
            return False
        if words[0] == "NO":
            return len(words) == 1
        places = [int(word) for word in words[2:]]
        if int(words[1]) != len(places):
            return False
"""
_END = """
    except (ValueError, IndexError):
        return False
"""
_RANGE = """
        if min(places) < 1 or max(places) > n:
            return False
"""
_DISTINCT = """
        if len(set(places)) != len(places):
            return False
"""
_SUM = """
        return sum(values[at - 1] for at in places) == s
"""

SUBSET_RIGHT = _READ + _RANGE + _DISTINCT + _SUM + _END
# Name -> source, and a word of the reason for which it must be refused.
SUBSET_WRONG = {
    "always True": ("def is_valid_output(a, b, c):\n    return True\n", "surely wrong"),
    "always False": ("def is_valid_output(a, b, c):\n    return False\n", "right outputs"),
    "the reference alone": ("def is_valid_output(a, b, c):\n    return b.split() == c.split()\n", "right outputs"),
    "the end of the last line": ("def is_valid_output(a, b, c):\n    return b == c or len(b) > 8\n", "right outputs"),
    "no range": (_READ + _DISTINCT + _SUM + _END, "counted from the other end"),
    "ignores the last line": (_READ.replace("int(words[1])", "len(places)") + "        return True\n" + _END, "last"),
    "the first word alone": (
        "def is_valid_output(a, b, c):\n    return b.split()[:1] == c.split()[:1]\n",
        "behind the end",
    ),
    "ignores what is behind": (
        _READ.replace("words[2:]", "words[2:2 + int(words[1])]").replace("len(words) == 1", "True")
        + _RANGE
        + _DISTINCT
        + _SUM
        + _END,
        "behind the end",
    ),
    "crashes on junk": (_READ + _RANGE + _DISTINCT + _SUM + _END.replace("ValueError", "KeyError"), "fails"),
    "has moods": ("import random\n" + _READ + _RANGE + _DISTINCT + _SUM + "\n    except (ValueError, IndexError):\n"
                  "        return random.random() < 0.5\n", "asked twice"),
    "NO is always right": (
        _READ.replace("words[0] != expected[0]", "words[0] not in ('YES', 'NO')") + _RANGE + _DISTINCT + _SUM + _END,
        "the output of another test",
    ),
    "forgets to return": (_READ + _RANGE + _DISTINCT + _SUM.replace("return", "found =") + _END, "fails"),
    "does not parse": ("def is_valid_output(a, b, c)\n    return True\n", "fails"),
}  # fmt: skip

# ── mean ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

MEAN_STATEMENT = "Print the mean. The absolute or relative error may be at most $10^{-6}$."
MEAN_INPUTS = ["3\n1 2 4\n", "2\n5 6\n", "4\n-1 2 7 3\n", "1\n900\n", "3\n10 20 31\n", "6\n1 1 1 1 1 2\n"]
MEAN_OUTPUTS = [
    [f"{sum(map(int, text.split()[1:])) / int(text.split()[0]):.{digits}f}\n" for text in MEAN_INPUTS]
    for digits in (7, 12)
]
MEAN_CASES = [TestCase(input=text, output=output) for text, output in zip(MEAN_INPUTS, MEAN_OUTPUTS[0], strict=True)]

_MEAN = """
def is_valid_output(input_str, output_str, reference_output_str):
    words = output_str.split()
    if len(words) != 1:
        return False
    try:
        given, expected = float(words[0]), float(reference_output_str)
    except ValueError:
        return False
    return %s
"""
MEAN_RIGHT = _MEAN % "abs(given - expected) <= 1e-6 * max(1, abs(expected))"
MEAN_WRONG = {
    "tolerance 1e-1": (_MEAN % "abs(given - expected) <= 1e-1 * max(1, abs(expected))", "surely wrong"),
    "nan": (_MEAN % "not abs(given - expected) > 1e-6 * max(1, abs(expected))", "nan in place of a number"),
    "signs": (
        _MEAN % "abs(abs(given) - abs(expected)) <= 1e-6 * max(1, abs(expected)) or given > 1e9",
        "far too large",
    ),
}

# ── list ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

LIST_STATEMENT = (
    "Input\nThe first line has an integer $n$ ($1 \\le n \\le 100$). The second line has $n$ integers $a_i$ "
    "($0 \\le a_i \\le 1000$).\n"
)
LIST_INPUTS = ["3\n5 0 7\n", "1\n1000\n", "5\n1 2 3 4 5\n", "2\n40 30\n", "6\n0 0 0 1 0 999\n"]

_LIST = """
def is_valid_input(input_str):
    lines = input_str.split("\\n")
    if len(lines) != 3 or lines[2]:
        return False
    try:
        n = int(lines[0])
        values = [int(word) for word in lines[1].split(" ")]
    except ValueError:
        return False
    return 1 <= n <= 100 and len(values) == n and all(0 <= value <= 1000 for value in values)
"""
LIST_RIGHT = _LIST
# One that raises has not accepted: the input is dropped all the same.
LIST_RAISES = """
def is_valid_input(input_str):
    n, *values = map(int, input_str.split())
    assert len(values) == n and input_str.count("\\n") == 2
    return 1 <= n <= 100 and all(0 <= value <= 1000 for value in values)
"""
LIST_WRONG = {
    "anything": ("def is_valid_input(input_str):\n    return True\n", "a word in place of a number"),
    "nothing": ("def is_valid_input(input_str):\n    return False\n", "valid inputs"),
    "no upper bound": (_LIST.replace(" <= 1000 for", " for"), "above its upper bound"),
    "no bounds of n": (_LIST.replace("1 <= n <= 100 and ", ""), "upper bound"),
    "no count": (_LIST.replace("len(values) == n and ", ""), "off by one"),
    "fractions": (_LIST.replace("int(word)", "float(word)"), "a fraction"),
    "the first lines": (_LIST.replace("len(lines) != 3 or lines[2]", "len(lines) < 3"), "behind the end"),
    "numbers alone": (
        "def is_valid_input(input_str):\n    return all(word.isdigit() for word in input_str.split())\n",
        "nothing at all",
    ),
}


def klear(source: str) -> Checker:
    return Checker(kind="klear", source=source, language="python")
