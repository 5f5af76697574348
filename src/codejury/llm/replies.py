"""A model's reply -> code that parses and defines what was asked for, or the reason why there is none.

Owns the choice among the blocks of a reply, and going on where one was cut off. Nothing runs: for Python the check is
the syntax tree, so that what cannot work does not cost a run, and the reason can go back in the next message.

    reply ─► thoughts and end tokens off ─► blocks (fences.py) ─► those that pass the check ─► one, or several joined
                                              └─ none ─► the text itself: the longest run of lines that is code

Which of several that pass: those tagged with the language before others; then the last one that is not much shorter
than the longest. Models correct themselves further down, and add short examples of use.
"""

from __future__ import annotations

import ast
import builtins
import json
import re
from collections.abc import Sequence
from typing import Literal

import msgspec

from codejury.llm import fences, syntax
from codejury.llm.fences import Block

MAX_CHARS = 256 << 10  # of a reply: no generator or checker is longer, and parsing takes memory
_MAX_BLOCKS = 200  # that are looked at
_MAX_TRIES = 200  # parses of text without fences, and
_MAX_PARSED = 1 << 20  # the characters of all of them
_CIRCLES = (400, 1200, 3600)  # characters at the end of a reply, of which there are
_ROUNDS = 5  # rounds of the same, at least
_MOST_LINES = 20  # of a round that is nearly the same as the one before, and
_ALIKE = 0.75  # the share of lines that are
_IN_CIRCLES = "The answer said the same again and again, and came to no end. Write it shorter, with loops."

WhyNone = Literal[
    "",  # there is code
    "empty",  # nothing was said
    "thoughts",  # only thoughts, which came to no end
    "refusal",  # the model will not
    "no code",  # words, and no code among them
    "does not parse",
    "does not define",  # the function that was asked for
    "does not print",  # though a script was asked for that prints
    "too long",
    "in circles",  # the same again and again, until it was cut off
]

_ALIASES = {
    "python": {"python", "py", "python3", "py3", "python2", "gen", "pycon", "ipython", "repl"},
    "cpp": {"cpp", "c++", "cxx", "cc", "c"},
    "java": {"java"},
    "javascript": {"javascript", "js", "node", "nodejs"},
    "json": {"json", "jsonc", "json5"},
}
_REFUSAL = re.compile(
    r"\b(?:i(?:'|\u2019)?m (?:very |so |really )?sorry|i(?:'m| am)? (?:unable|not able) to"
    r"|i (?:cannot|can(?:'|\u2019)t|can not|won(?:'|\u2019)t|will not) (?:\w+ ){0,2}"
    r"(?:help|assist|provide|create|write|do|fulfil|fulfill|comply|generate|answer|continue|support)"
    r"|as an ai\b|i must decline|not (?:appropriate|able) for me to|against my (?:guidelines|policy))",
    re.IGNORECASE,
)
_STARTS = re.compile(
    r"^(?:import |from \w|def |class |@|#|print\(|if |for |while |try:|with |async |[A-Za-z_]\w*\s*[=(\[])"
)
_C_STARTS = re.compile(
    r"^(?:#include|#define|using namespace|int main|import java|public (?:final )?class|package )", re.M
)


class Extracted(msgspec.Struct, frozen=True, kw_only=True):
    """What was found.

    code           None where there is none
    what_was_cut   what was left out or put right on the way, in words
    why_none       the reason;  detail: the same for the model: what to do about it
    is_cut         the end of the reply is missing: ask to go on (`joined`), also where there is some code
    tag            the language as the model wrote it
    """

    code: str | None = None
    what_was_cut: tuple[str, ...] = ()
    why_none: WhyNone = ""
    detail: str = ""
    is_cut: bool = False
    tag: str = ""


class _Wanted(msgspec.Struct, frozen=True, kw_only=True):
    language: str | None
    name: str | None
    prints: bool

    @property
    def aliases(self) -> set[str]:
        return _ALIASES.get(self.language or "", {self.language or ""})


class _Candidate(msgspec.Struct, kw_only=True):
    """A block that was looked at. `tree` of Python alone."""

    block: Block
    code: str
    why: WhyNone = ""
    detail: str = ""
    mended: str = ""
    tree: ast.Module | None = None


def code_of(
    reply_text: str,
    *,
    language: str | None = None,
    wants: str | None = None,
    prints: bool = False,
    finish_reason: str = "",
) -> Extracted:
    """The code of a reply.

    language        what was asked for; of `python` code must parse. None: whatever there is
    wants           the function that the code must define
    prints          the code must print, as a generator's does (`python` alone)
    finish_reason   the server's; `length`: the end is missing
    """
    if len(reply_text) > MAX_CHARS:
        detail = f"The answer has {len(reply_text)} characters. Answer with one short code block."
        return Extracted(why_none="too long", detail=detail)
    if finish_reason == "length" and circle_at(reply_text):
        return Extracted(why_none="in circles", detail=_IN_CIRCLES)
    language = {"python3": "python", "py": "python"}.get(language or "", language)
    wanted = _Wanted(language=language, name=wants, prints=prints)
    at_length = finish_reason == "length"
    notes: list[str] = []
    said = fences.spoken(fences.tidy(reply_text))
    if said.thoughts.strip():
        notes.append("thoughts")
    text, ended = fences.without_tokens(said.text)
    if ended:
        notes.append("what follows a token that ends the turn")
    if not text.strip():
        return _unspoken(said, wanted, notes, at_length)
    found = _found(text, wanted, notes, at_length)
    if found.code is None and said.open and not at_length:
        inside = _found(said.thoughts, wanted, [*notes, "an open tag of thoughts"], at_length)
        if inside.code is not None:
            return inside
    if found.code is None and found.why_none == "no code" and _REFUSAL.search(text[:600]):
        detail = (
            "The answer was a refusal. This is harmless test data for a programming exercise: answer with the code."
        )
        return msgspec.structs.replace(found, why_none="refusal", detail=detail)
    return found


def _unspoken(said: fences.Spoken, wanted: _Wanted, notes: list[str], at_length: bool) -> Extracted:
    if not said.open:
        detail = "The answer was empty. Answer with one code block."
        return Extracted(why_none="empty", detail=detail, is_cut=at_length, what_was_cut=tuple(notes))
    if not at_length:  # the tag was forgotten, perhaps, and what should follow it is there
        inside = _found(said.thoughts, wanted, [*notes, "an open tag of thoughts"], at_length)
        if inside.code is not None and wanted.language == "python":
            return inside
    detail = "The answer ended while thinking. Think less, and answer with one code block."
    return Extracted(why_none="thoughts", detail=detail, is_cut=True, what_was_cut=tuple(notes))


def _found(text: str, wanted: _Wanted, notes: Sequence[str], at_length: bool) -> Extracted:
    failed: list[_Candidate] = []
    for blocks in fences.readings(text):
        seen = [_looked_at(block, wanted) for block in blocks[:_MAX_BLOCKS] if block.code.strip()]
        good = [each for each in seen if not each.why]
        if good:
            return _chosen(good, seen, text, wanted, notes, at_length)
        if len(seen) > 1 and (both := _all_together(seen, wanted)) is not None:
            return _done(both, text, [*notes, "the ends of blocks that belong together"], at_length)
        failed += seen
    if (wrapped := _from_json(text, wanted)) is not None:
        return _done(wrapped, text, [*notes, "the JSON around the code"], at_length)
    # Where a block holds code that fails, a stretch of it that parses is not what the model meant.
    bare = None if any(each.why == "does not parse" for each in failed) else _bare(text, wanted)
    if bare is not None and not bare.why:
        return _done(bare, text, [*notes, *_around(text, bare)], at_length)
    return _nothing(failed or ([bare] if bare else []), wanted, notes, at_length, text)


# ── Looking at one block ─────────────────────────────────────────────────────────────────────────────────────────────


def _looked_at(block: Block, wanted: _Wanted) -> _Candidate:
    if wanted.language == "python":
        return _python(block, wanted)
    each = _Candidate(block=block, code=_ending(block.code))
    if wanted.name and not re.search(rf"\b{re.escape(wanted.name)}\s*\(", each.code):
        each.why, each.detail = "does not define", f"The code does not define {wanted.name}."
    elif wanted.language and block.tag and block.tag not in wanted.aliases and _known(block.tag):
        each.why, each.detail = "no code", f"The code block is {block.tag}, expected {wanted.language}."
    return each


def _known(tag: str) -> bool:
    return any(tag in names for names in _ALIASES.values()) or tag in (
        "bash",
        "sh",
        "shell",
        "console",
        "text",
        "output",
    )


def _python(block: Block, wanted: _Wanted) -> _Candidate:
    each = _Candidate(block=block, code=_ending(block.code))
    tree = syntax.parsed(each.code)
    if isinstance(tree, str):
        for code, what in fences.mended(each.code):
            again = syntax.parsed(code)
            if not isinstance(again, str):
                each.code, each.mended, tree = _ending(code), what, again
                break
    if isinstance(tree, str):
        other = f" (the block is tagged {block.tag})" if block.tag and block.tag not in wanted.aliases else ""
        each.why, each.detail = "does not parse", f"The code is no valid Python{other}: {tree}"
        return each
    each.tree = tree
    each.why, each.detail = _lacking(tree, wanted)
    return each


def _lacking(tree: ast.Module, wanted: _Wanted) -> tuple[WhyNone, str]:
    if wanted.name and wanted.name not in syntax.defined(tree):
        others = sorted(syntax.defined(tree))[:5]
        instead = f" It defines {', '.join(others)}." if others else ""
        return "does not define", f"The code does not define a function {wanted.name}.{instead}"
    if wanted.prints and not syntax.prints(tree):
        return "does not print", "The code prints nothing. It must print the list at the end: print(tests)"
    if not syntax.is_program(tree):
        return "no code", "The answer holds no program."
    return "", ""


def _ending(code: str) -> str:
    return code.strip("\n").rstrip() + "\n"


# ── Choosing ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def _chosen(
    good: list[_Candidate], seen: list[_Candidate], text: str, wanted: _Wanted, notes: Sequence[str], at_length: bool
) -> Extracted:
    tagged = [each for each in good if each.block.tag in wanted.aliases] if wanted.language else []
    pool = tagged or good
    longest = max(len(each.code) for each in pool)
    best = [each for each in pool if 2 * len(each.code) >= longest][-1]
    more = list(notes)
    if len(seen) > 1:
        more.append(f"{len(seen) - 1} other blocks" if len(seen) > 2 else "another block")
    helped = _with_helpers(best, seen)
    if helped is not best:
        best, more = helped, [*notes, "the ends of blocks that belong together"]
    return _done(best, text, [*more, *_around(text, best)], at_length)


def _with_helpers(best: _Candidate, seen: list[_Candidate]) -> _Candidate:
    """With the earlier blocks that define what this one uses and does not define."""
    if best.tree is None:
        return best
    lacking = syntax.used(best.tree) - syntax.bound(best.tree) - set(dir(builtins))
    before: list[_Candidate] = []
    for other in reversed(seen[: seen.index(best)]):
        if other.tree is not None and (gives := syntax.top_level(other.tree)) & lacking:
            before.insert(0, other)
            lacking = (lacking - gives) | (syntax.used(other.tree) - syntax.bound(other.tree) - set(dir(builtins)))
    if not before:
        return best
    code = "\n\n\n".join(each.code.rstrip("\n") for each in [*before, best]) + "\n"
    tree = syntax.parsed(code)
    if isinstance(tree, str):
        return best
    return _Candidate(block=best.block, code=code, tree=tree, mended=best.mended)


def _all_together(seen: list[_Candidate], wanted: _Wanted) -> _Candidate | None:
    """Blocks of which none is enough: imports in one, the function in the next."""
    if wanted.language != "python":
        return None
    parts = [each for each in seen if each.tree is not None or each.block.tag in wanted.aliases]
    if len(parts) < 2:
        return None
    code = "\n\n\n".join(each.code.rstrip("\n") for each in parts) + "\n"
    joint = _python(
        Block(code=code, closed=parts[-1].block.closed, start=parts[0].block.start, end=parts[-1].block.end), wanted
    )
    return None if joint.why else joint


def _around(text: str, best: _Candidate) -> list[str]:
    notes = []
    if _words(text[: best.block.start]):
        notes.append("words before the code")
    if best.block.closed and _words(text[best.block.end :]):
        notes.append("words after the code")
    return notes


def _words(text: str) -> bool:
    return re.search(r"\w{2}", re.sub(r"^[ \t]*(?:```|~~~).*$", "", text, flags=re.MULTILINE)) is not None


def _done(best: _Candidate, text: str, notes: Sequence[str], at_length: bool) -> Extracted:
    """Where the server cut the reply off and the block is open, the code parses by chance at most."""
    more = [*notes]
    if best.mended:
        more.append(best.mended)
    if not best.block.closed:
        more.append("an open fence")
    return Extracted(
        code=best.code,
        what_was_cut=tuple(dict.fromkeys(more)),
        is_cut=at_length and not best.block.closed,
        tag=best.block.tag,
    )


def _nothing(
    failed: Sequence[_Candidate], wanted: _Wanted, notes: Sequence[str], at_length: bool, text: str
) -> Extracted:
    """The most telling failure: that of the longest block in the language that was asked for."""
    code = [each for each in failed if each.why != "no code"] or list(failed)
    tagged = [each for each in code if each.block.tag in wanted.aliases] or code
    if not tagged:
        detail = "The answer holds no code. Answer with one code block."
        return Extracted(why_none="no code", detail=detail, is_cut=at_length, what_was_cut=tuple(notes))
    worst = max(tagged, key=lambda each: len(each.code))
    open_end = not worst.block.closed and worst.why == "does not parse"
    detail = worst.detail
    if at_length or open_end:
        detail += " The answer was cut off before its end."
    return Extracted(
        why_none=worst.why or "no code",
        detail=detail,
        is_cut=at_length or open_end,
        what_was_cut=tuple(notes),
        tag=worst.block.tag,
    )


# ── Text without fences ──────────────────────────────────────────────────────────────────────────────────────────────


def _from_json(text: str, wanted: _Wanted) -> _Candidate | None:
    """{"code": "..."}: some models answer so whatever they are asked."""
    inner = next((block.code for block in fences.fenced(text) if block.tag in ("json", "")), text).strip()
    if not inner.startswith("{"):
        return None
    try:
        data = json.loads(inner, strict=False)
    except (ValueError, RecursionError):
        return None
    texts = [value for value in data.values() if isinstance(value, str)]
    good = [each for value in texts if not (each := _looked_at(Block(code=value), wanted)).why]
    return max(good, key=lambda each: len(each.code)) if good else None


def _bare(text: str, wanted: _Wanted) -> _Candidate | None:
    """Code among words, or code alone."""
    text, stopped = fences.before_stop(text)
    if wanted.language != "python":
        return _bare_c(text, wanted)
    whole = _python(Block(code=text, closed=False, end=len(text)), wanted)
    if not whole.why:
        return _closed(whole, text if stopped else "")
    lines = text.split("\n")
    best: _Candidate | None = None
    nearest: _Candidate | None = None  # what parses and is not what was asked for
    budget = _Budget(tries=_MAX_TRIES, chars=_MAX_PARSED)
    start = 0
    while start < len(lines) and budget.is_left:
        if not _STARTS.match(lines[start]):
            start += 1
            continue
        end = _run_of_code(lines, start, budget)
        if end > start:
            code = "\n".join(lines[start:end])
            at = len("\n".join(lines[:start])) + (start > 0)
            each = _python(Block(code=code, closed=end < len(lines) or stopped, start=at, end=at + len(code)), wanted)
            if not each.why and (best is None or len(each.code) > len(best.code)):
                best = each
            elif each.why in ("does not define", "does not print"):
                nearest = each
        start = max(end, start + 1)
    if best is not None or (nearest is not None and 2 * len(nearest.code) >= len(text.strip())):
        return best or nearest
    looks_like_code = sum(1 for line in lines if re.match(r"(?:import |from \w+ import|def \w+\(|print\()", line))
    return whole if looks_like_code else nearest


def _closed(each: _Candidate, stopped: str) -> _Candidate:
    if stopped:
        each.block = msgspec.structs.replace(each.block, closed=True)
    return each


class _Budget(msgspec.Struct, kw_only=True):
    tries: int
    chars: int

    @property
    def is_left(self) -> bool:
        return self.tries > 0 and self.chars > 0


def _run_of_code(lines: list[str], start: int, budget: _Budget) -> int:
    """How far lines from there parse. An error names the line at which it shows: what is before it may do."""
    end = len(lines)
    while end > start and budget.is_left:
        code = "\n".join(lines[start:end])
        budget.tries -= 1
        budget.chars -= len(code)
        said = syntax.parsed(code)
        if not isinstance(said, str):
            return end
        match = re.match(r"line (\d+):", said)
        end = min(end - 1, start + int(match[1]) - 1) if match else end - 1
    return start


def _bare_c(text: str, wanted: _Wanted) -> _Candidate | None:
    """From the first line that only code begins with to the last brace."""
    match = _C_STARTS.search(text)
    last = text.rfind("}")
    if match is None or last < match.start():
        return None
    block = Block(
        code=text[match.start() : last + 1], closed=bool(text[last + 1 :].strip()), start=match.start(), end=last + 1
    )
    return _looked_at(block, wanted)


# ── Going on, and answers that are a word ────────────────────────────────────────────────────────────────────────────


def circle_at(reply_text: str) -> tuple[int, int] | None:
    """Where a reply that was cut off began to say the same again and again, and how many characters that is; None where
    it does not end so. To ask such a model to go on brings more of the same."""
    for size in _CIRCLES:
        tail = reply_text[-size:]
        period = size - _border(tail)
        if len(tail) == size and period * _ROUNDS <= size and tail.strip():
            begin = len(reply_text) - size
            while begin and reply_text[begin - 1] == reply_text[begin - 1 + period]:
                begin -= 1
            return begin, period
    return _nearly_at(reply_text)


def _nearly_at(reply_text: str) -> tuple[int, int] | None:
    """The same where a line in each round is another one: functions that differ in their names alone."""
    lines = reply_text.splitlines(keepends=True)[:-1]  # the last one was cut off
    for period in range(2, _MOST_LINES + 1):

        def is_round(end: int, period: int = period) -> bool:
            same = sum(lines[at] == lines[at - period] for at in range(end - period, end))
            return same >= period * _ALIKE

        first = len(lines)
        while first >= 2 * period and is_round(first):
            first -= period
        if len(lines) - first >= (_ROUNDS - 1) * period and len("".join(lines[first:]).strip()) >= _CIRCLES[0]:
            begin = sum(map(len, lines[: first - period]))
            return begin, sum(map(len, lines[first - period : first]))
    return None


def without_circle(reply_text: str) -> str:
    """The same with the first round alone, for a model that is told what it said: what it reads again draws it in."""
    circle = circle_at(reply_text)
    return reply_text if circle is None else reply_text[: sum(circle)]


def _border(text: str) -> int:
    """How many characters, at most, the text both begins and ends with, itself apart."""
    longest = [0] * len(text)
    for place in range(1, len(text)):
        size = longest[place - 1]
        while size and text[place] != text[size]:
            size = longest[size - 1]
        longest[place] = size + (text[place] == text[size])
    return longest[-1] if text else 0


def joined(first: str, continuation: str) -> str:
    """One reply of two, where the second goes on with what the first broke off.

    Models go on in the middle of a word, begin the last line again, open the fence again, say a few words first, or
    begin from the start: what is twice is taken once.
    """
    first, continuation = fences.tidy(first), fences.tidy(continuation)
    before = fences.fenced(first)
    if not before or before[-1].closed:
        return _overlapped(first, continuation)
    head = first[before[-1].start :]
    again = fences.fenced(continuation)
    opened = again and (again[0].tag or again[0].closed) and again[0].code.strip()
    if not opened:
        return _overlapped(first, continuation)
    code = continuation[again[0].start :]
    opening = head.split("\n", 1)[0].strip()
    if opening and code.lstrip().startswith(opening) and len(code) >= len(head):
        return first[: before[-1].start] + code  # from the start
    lines = head.split("\n")
    partial = lines[-1]
    if partial.strip() and code.lstrip().startswith(partial.strip()):
        return first[: len(first) - len(partial)] + _reindented(code, partial)
    merged = _overlapped(first, code)
    if len(merged) < len(first) + len(code) or not partial.strip():
        return merged
    glued, parted = first + code, first + "\n" + code
    at = len(before) - 1
    return parted if _parses(parted, at) and not _parses(glued, at) else glued


def _parses(text: str, number: int) -> bool:
    blocks = fences.fenced(text)
    return number < len(blocks) and not isinstance(syntax.parsed(blocks[number].code), str)


def _reindented(code: str, partial: str) -> str:
    """The line is begun again, often without its blanks."""
    blanks = partial[: len(partial) - len(partial.lstrip())]
    return code if code.startswith(blanks) or not blanks else blanks + code.lstrip(" \t")


def _overlapped(first: str, continuation: str) -> str:
    """Joined at the longest stretch that is the end of one and the start of the other; at least eight characters, as
    less may well be twice."""
    for size in range(min(len(first), len(continuation), 4000), 7, -1):
        if first.endswith(continuation[:size]):
            return first + continuation[size:]
    return first + continuation


def decision_of(reply_text: str) -> bool | None:
    """Yes or no; None where neither is said, or both. What is said last after `Answer:` counts most."""
    text = fences.spoken(fences.tidy(reply_text)).text
    marked = re.findall(r"(?i)\b(?:answer|decision|verdict|conclusion)\b[\s*_`:=-]{1,6}(yes|no)\b", text)
    if marked:
        return bool(marked[-1].lower() == "yes")
    alone = re.findall(r"(?im)^[ \t*_`#>\"'-]*(yes|no)\b[ \t*_`.!\"']*$", text)
    if alone and len({word.lower() for word in alone}) == 1:
        return bool(alone[0].lower() == "yes")
    first = re.match(r"(?i)[\s*_`#>\"'-]*(yes|no)\b", text)
    if first:
        return bool(first[1].lower() == "yes")
    words = {word.upper() for word in re.findall(r"\b(YES|NO)\b", text)}
    return words == {"YES"} if len(words) == 1 else None
