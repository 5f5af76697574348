"""A reply's text -> the blocks of code in it, before anybody looks at what they say.

Owns the forms in which models write: fences of all kinds (also open, nested or glued to a line), tags, thoughts, the
tokens at which a base model should have stopped. Several readings of the same text may be given; `replies` tries them.
"""

from __future__ import annotations

import bisect
import html
import re
import textwrap
from collections.abc import Iterator

import msgspec

_OPEN = re.compile(r"^([ \t>*-]*?)(`{3,}|~{3,})[ \t]*([^\n`]*)$")
_THOUGHT = r"think|thinking|thought|reasoning|reflection|analysis|scratchpad"
_THOUGHT_OPEN = re.compile(rf"(?i)[ \t]*<({_THOUGHT})>")
_THOUGHT_END = re.compile(rf"(?i)</(?:{_THOUGHT})>")
_TOKEN = re.compile(
    r"<\|(?:im_end|im_start|endoftext|end_of_text|eot_id|eom_id|end|assistant|user|system|start_header_id|file_sep)\|>"
    r"|<(?:\uff5c|\|)end\u2581of\u2581sentence(?:\uff5c|\|)>|</s>[ \t]*$|<eos>|<end_of_turn>",
    re.MULTILINE,
)
# Where a base model goes on with the next question of its own. Only outside fences.
_STOP = re.compile(
    r"^(?:\[DONE\]|\[/?(?:BEGIN|END|INST)\]|(?:Human|User|Assistant|System|Question|Problem|Q|A):|-{4,}$|={4,}$"
    r"|#{2,} (?:Question|Problem|Task|Instruction|Input|Response|Example|Explanation|Output|Answer|Test|Note)\b)",
    re.MULTILINE,
)
_TAGGED = re.compile(r"<(code|python|answer|script|solution)>\n?(.*?)(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)


class Block(msgspec.Struct, frozen=True, kw_only=True):
    """tag: what stood after the fence, in lower case;  start, end: where its content is in the text."""

    code: str
    tag: str = ""
    closed: bool = True
    start: int = 0
    end: int = 0


def tidy(text: str) -> str:
    """One kind of line end; no marks that nobody sees."""
    return re.sub("[\ufeff\u200b\u200c\u200d\u2060]", "", text.replace("\r\n", "\n").replace("\r", "\n"))


class Spoken(msgspec.Struct, frozen=True, kw_only=True):
    """text: what is said aloud;  thoughts: what is not;  open: the thoughts did not come to their end."""

    text: str
    thoughts: str = ""
    open: bool = False


def spoken(text: str) -> Spoken:
    """Takes thoughts apart, in one walk over the lines. A tag within code is part of the code. An end without a
    beginning ends thoughts that began in the prompt; there an open fence holds nothing, as models leave drafts open."""
    aloud: list[str] = []
    thoughts: list[str] = []
    lowered = text.lower()
    at, mark, is_open = 0, "", False
    while at < len(text):
        opened = _THOUGHT_OPEN.match(text, at) if not mark else None
        if opened:
            end = lowered.find(tag := f"</{opened[1].lower()}>", opened.end())
            thoughts.append(text[opened.end() : end if end >= 0 else len(text)])
            if is_open := end < 0:
                break
            at = end + len(tag)
            continue
        stop = text.find("\n", at) + 1 or len(text)
        line = text[at:stop]
        if fence := _OPEN.match(line.rstrip("\n")):
            if not mark:
                mark = fence[2]
            elif fence[2].startswith(mark) and not fence[3].strip():
                mark = ""
        aloud.append(line)
        at = stop
    text = "".join(aloud)
    cut = _last_end(text)
    return Spoken(text=text[cut:], thoughts="\n".join([*thoughts, *([text[:cut]] if cut else [])]), open=is_open)


def _last_end(text: str) -> int:
    """Where the last end of thoughts ends that stands in no block; 0 where there is none."""
    blocks = [block for block in fenced(text) if block.closed]
    starts = [block.start for block in blocks]
    for match in reversed(list(_THOUGHT_END.finditer(text))):
        before = bisect.bisect_right(starts, match.start()) - 1
        if before < 0 or match.start() >= blocks[before].end:
            return match.end()
    return 0


def without_tokens(text: str) -> tuple[str, bool]:
    """Up to the first token that ends a turn, where something stands before it."""
    start = 0
    for match in _TOKEN.finditer(text):
        if text[start : match.start()].strip():
            return text[start : match.start()].rstrip() + "\n", True
        start = match.end()
    return text[start:], False


def before_stop(text: str) -> tuple[str, bool]:
    """Up to the first word at which a base model should have stopped; for text without fences."""
    for match in _STOP.finditer(text):
        if text[: match.start()].strip():
            return text[: match.start()], True
    return text, False


def fenced(text: str, *, split: bool = True) -> list[Block]:
    """The blocks between fences. split: a fence with a language within a block begins the next one."""
    blocks: list[Block] = []
    at = 0
    mark = indent = tag = ""
    start = -1
    lines: list[str] = []

    def end_block(closed: bool, end: int) -> None:
        code = textwrap.dedent("".join(_unquoted(line, indent) for line in lines))
        blocks.append(Block(code=code, tag=tag, closed=closed, start=start, end=end))

    for line in text.splitlines(keepends=True):
        match = _OPEN.match(line.rstrip("\n"))
        if start < 0:
            if match:
                indent, mark, tag = match[1], match[2], _tag(match[3])
                start, lines = at + len(line), []
        elif match and match[2][0] == mark[0] and len(match[2]) >= len(mark):
            if not match[3].strip():
                end_block(True, at)
                start = -1
            elif split and re.fullmatch(r"\w[\w+#.-]*", match[3].strip()):
                end_block(False, at)
                indent, mark, tag = match[1], match[2], _tag(match[3])
                start, lines = at + len(line), []
            else:
                lines.append(line)
        else:
            glued = line.rstrip()
            if glued.endswith(mark) and not glued.startswith(mark):
                lines.append(glued[: -len(mark)] + "\n")
                end_block(True, at + len(line))
                start = -1
            else:
                lines.append(line)
        at += len(line)
    if start >= 0:
        end_block(False, len(text))
    return blocks


def _unquoted(line: str, indent: str) -> str:
    """Without the quotation mark or the indentation of the list in which the fence stands."""
    if ">" in indent:
        return re.sub(r"^[ \t]*>[ \t]?", "", line)
    return line


def _tag(info: str) -> str:
    words = info.strip().strip("{}.").split()
    return words[0].lower().lstrip(".").split(":")[0].split(",")[0] if words else ""


def readings(text: str) -> Iterator[list[Block]]:
    """Ways to take the text apart, the usual one first."""
    usual = fenced(text)
    if usual:
        yield usual
    if any(not block.closed for block in usual[:-1]):
        yield fenced(text, split=False)
    inner = [msgspec.structs.replace(each, start=b.start, end=b.end) for b in usual for each in fenced(b.code)]
    if inner:  # a fence of more signs around the others
        yield inner
    marks = list(re.finditer(r"^[ \t]*(?:```|~~~)[^\n`]*$", text, re.MULTILINE))
    if marks:
        first = marks[0]
        if not first[0].strip(" \t`~"):  # the fence was opened in the prompt: this is its end
            yield [Block(code=text[: first.start()], end=first.start())]
        if len(marks) > 2:  # a fence within the code, in a text of it, ended the block too early
            tag = _tag(first[0].strip(" \t`~"))
            body = text[first.end() + 1 : marks[-1].start()]
            yield [Block(code=body, tag=tag, start=first.end() + 1, end=marks[-1].start())]
    inline = list(re.finditer(r"```(?:(python|py)[ \t]+)?([^\n`]+)```", text))
    if inline:
        yield [Block(code=m[2] + "\n", tag=(m[1] or "").lower(), start=m.start(2), end=m.end(2)) for m in inline]
    tagged = list(_TAGGED.finditer(text))
    if tagged:
        yield [
            Block(
                code=textwrap.dedent(m[2]), tag=m[1].lower(), closed=m[0].endswith(">"), start=m.start(2), end=m.end(2)
            )
            for m in tagged
        ]


def mended(code: str) -> Iterator[tuple[str, str]]:
    """The code with one habit of models or of what shows them undone, and what that was."""
    if "\u00a0" in code or "\u3000" in code:
        yield code.replace("\u00a0", " ").replace("\u3000", " "), "blanks that are no blanks"
    quotes = str.maketrans({"\u201c": '"', "\u201d": '"', "\u2018": "'", "\u2019": "'"})
    if code.translate(quotes) != code:
        yield code.translate(quotes), "typographic quotes"
    if re.search(r"^[ \t]*>>> ?", code, re.MULTILINE):
        lines = [re.sub(r"^[ \t]*(?:>>>|\.\.\.)(?: |$)", "", line) for line in code.split("\n") if _prompted(line)]
        yield "\n".join(lines) + "\n", "the interpreter's prompts"
    if re.search(r"&(?:lt|gt|amp|quot|#39);", code):
        yield html.unescape(code), "characters as HTML writes them"
    if len(re.findall(r"^[ \t]*\d+[ \t]*[|:.)] ?", code, re.MULTILINE)) >= max(2, code.count("\n") - 1):
        yield re.sub(r"^[ \t]*\d+[ \t]*[|:.)] ?", "", code, flags=re.MULTILINE), "line numbers"


def _prompted(line: str) -> bool:
    return re.match(r"^[ \t]*(?:>>>|\.\.\.)", line) is not None
