"""The mutation operators as data: what each imitates, which family it belongs to, which input would show it.

Owns the table, `Change` (one edit that an operator proposes) and `Changes`, which gathers them within bounds. How an
operator finds its places is the business of the rules of each language (`python_rules`, `brace_rules`, `c_rules`,
`java_rules`).

The two families are disjoint and alike in kind, so that mutants of one can select tests and those of the other score
them: what was selected for is then never what is measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeVar

import msgspec

Family = Literal[0, 1]

T = TypeVar("T")

_MOST = 512  # changes kept of one operator
_LONG = 12  # places in a table from which on a few are enough


class Operator(msgspec.Struct, frozen=True):
    """family: 0 or 1. aim: the inputs that show most of its mutants. slow: its mutants are right but slower."""

    family: Family
    what: str
    aim: str | None = None
    slow: bool = False


OPERATORS: dict[str, Operator] = {
    # family 0
    "arithmetic": Operator(0, "another arithmetic operator: + for -, + for *, no minus sign"),
    "assignment": Operator(0, "x = e for x += e: the sum is not kept"),
    "base_case": Operator(0, "a wrong or missing base case of a recursion or table", "small"),
    "boundary": Operator(0, "< for <=, > for >=, and the other way round", "small"),
    "break": Operator(0, "break for continue, or neither"),
    "copy_in_loop": Operator(0, "a container is copied in each turn of a loop", "large", slow=True),
    "dropped_branch": Operator(0, "a condition that always, or never, holds"),
    "ignored_field": Operator(0, "a value that was read is replaced by a constant"),
    "lost_condition": Operator(0, "one half of an and, or an or, is forgotten"),
    "min_max": Operator(0, "min for max, and the other way round"),
    "narrow": Operator(0, "an integer is cut to 32 bits, or 16 where it had 32", "large"),
    "no_memo": Operator(0, "what was computed is computed again", "large", slow=True),
    "no_reset": Operator(0, "what is set anew in each turn of a loop, or before use, is not"),
    "range": Operator(0, "a loop that starts or ends one too early or too late", "small"),
    "shifted_field": Operator(0, "a value that was read is taken for one more, or one less"),
    "sort_order": Operator(0, "sorted the other way round"),
    "swapped_entries": Operator(0, "two constants that stand side by side in a table change places"),
    # family 1
    "bits": Operator(1, "another bit operator: & for |, << for >>, no ~"),
    "comparison": Operator(1, "== for !=, < for >, in for not in"),
    "constant": Operator(1, "a constant one higher or lower, zero, or of the other sign"),
    "division": Operator(1, "a division rounded the other way, or in floating point", "large"),
    "dropped_statement": Operator(1, "a statement is forgotten"),
    "early_break": Operator(1, "a loop ends after its first turn"),
    "early_return": Operator(1, "a function returns after the first turn of its loop"),
    "index": Operator(1, "the element, or the end of a slice, beside the right one", "small"),
    "logic": Operator(1, "and for or, and the other way round; no not"),
    "modulo": Operator(1, "a remainder is not taken", "large"),
    "negation": Operator(1, "a condition is negated"),
    "neighbour_field": Operator(1, "a value that was read is replaced by the one read beside it"),
    "no_sort": Operator(1, "not sorted"),
    "precision": Operator(1, "float for double, or fewer digits in the output"),
    "slow_scan": Operator(1, "the range of a loop is walked again in each turn", "large", slow=True),
    "swapped_arguments": Operator(1, "two arguments of a call change places"),
    "swapped_branch": Operator(1, "then and else change places"),
    "swapped_operands": Operator(1, "b - a for a - b"),
}


def spread(places: Sequence[T]) -> Sequence[T]:
    """Of a long table's places the first, the middle one and the last: they stand for the others."""
    return places if len(places) < _LONG else (places[0], places[len(places) // 2], places[-1])


class Change(msgspec.Struct, frozen=True):
    """One edit: `text` for the bytes from `start` to `end` of the source.

    aim    "small", "large", or a numeral: a value that the changed place compares with; None: nobody knows
    at     the byte that the change is about, where that is not `start`
    """

    operator: str
    start: int
    end: int
    text: bytes
    aim: str | None = None
    at: int | None = None

    @property
    def place(self) -> int:
        return self.start if self.at is None else self.at


class Changes:
    """Changes by operator. Of an operator with very many places every second is let go, and again: what stays is
    spread over the source, and a table of a million constants costs no memory."""

    def __init__(self) -> None:
        self.by_operator: dict[str, list[Change]] = {}
        self._step: dict[str, int] = {}
        self._seen: dict[str, int] = {}

    def add(self, change: Change) -> None:
        name = change.operator
        kept = self.by_operator.setdefault(name, [])
        step = self._step.setdefault(name, 1)
        seen = self._seen[name] = self._seen.get(name, -1) + 1
        if seen % step:
            return
        kept.append(change)
        if len(kept) > _MOST:
            del kept[1::2]
            self._step[name] = 2 * step
