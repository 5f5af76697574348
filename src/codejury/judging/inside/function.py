"""Calls one function of the candidate with values from standard input. Runs inside the sandbox.

    stdin    nonce (16 bytes), then an encoded dict:
               function   its name; where there is none of that name, the method of `Solution`
               calls      lists of arguments: one, or, for a gold, many
               hints      texts of annotations by parameter, for candidates that have none
               matches    a match of a regular expression is sent as True
               timed      the gold's own account of its time is wanted
               in_place   for each call: a result of None, so annotated, stands for the first argument as it is then
    stdout   a frame for each call: nonce, kind, length (4 bytes), that many bytes
               V   the encoded value
               D   the digest of a value that is too large to be sent
               B   the value is none that can be sent: text
               X   the candidate raised: text
               S   after each of these, where `timed` is set: the CPU seconds of the call
               L   the candidate's file could not be run, or has no such function: text

Nothing of the tests is here but arguments: whatever the candidate does to this process, all it can bring about is an
answer. The nonce is no defence against that; it makes answers given before the question, and twice, come out.
"""

from __future__ import annotations

import os
import struct
import sys
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from codejury.judging.inside import loading
    from codejury.judging.values import MAX_ITEMS, BadValue, TooLarge, decode, digest, encode
else:
    import codejury_loading as loading
    from codejury_values import MAX_ITEMS, BadValue, TooLarge, decode, digest, encode

_exit, _write, _used = os._exit, os.write, time.process_time


def _read_all() -> bytes:
    parts = []
    while part := os.read(0, 1 << 20):
        parts.append(part)
    return b"".join(parts)


class _Replies:
    def __init__(self, descriptor: int, nonce: bytes) -> None:
        self.descriptor, self.nonce = descriptor, nonce

    def send(self, kind: bytes, data: bytes | str) -> None:
        raw = data.encode("utf-8", "backslashreplace") if isinstance(data, str) else data
        left = memoryview(self.nonce + kind + struct.pack("<I", len(raw)) + raw)
        while left:
            left = left[_write(self.descriptor, left) :]


def main() -> None:
    data = _read_all()
    replies = _Replies(loading.private(1), data[:16])
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    order = decode(data[16:], rich=True)
    del data
    try:
        module = loading.load()
        find = _find(module, order["function"])
    except BaseException as error:  # noqa: BLE001 - whatever the candidate raises
        replies.send(b"L", loading.tell(error))
    else:
        for args, in_place in zip(order["calls"], order["in_place"], strict=True):
            since = _used()
            _answer(replies, module, find, args, in_place, order)
            if order["timed"]:
                replies.send(b"S", struct.pack("<d", _used() - since))
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:  # noqa: BLE001 - the candidate's stream by now, perhaps
            continue
    _exit(0)


def _find(module: Any, name: str) -> Any:
    """What gives the function for one call: a method is that of a new Solution each time."""
    solution = getattr(module, "Solution", None)
    if solution is not None and hasattr(solution, name):
        return lambda: getattr(solution(), name)
    function = getattr(module, name, None)
    if function is None:
        raise NameError(f"the program defines no function {name!r}")
    return lambda: function


def _answer(replies: _Replies, module: Any, find: Any, args: list[Any], in_place: bool, order: dict[str, Any]) -> None:
    texts = [""]
    try:
        function = find()
        texts = _annotations(function, order["hints"], len(args))
        if any("Node" in text for text in texts):
            args = [_nodes_in(module, text, value) for text, value in zip(texts, args, strict=False)]
        result = function(*args)
        if result is None and in_place and args and texts[-1] in ("None", "NoneType"):
            result = args[0]
    except BaseException as error:  # noqa: BLE001 - whatever the candidate raises
        replies.send(b"X", loading.tell(error))
        return
    if order["matches"] and type(result).__name__ == "Match":
        result = True
    kind = b"V"
    try:
        result = _nodes_out(result, texts[-1], 0)
        try:
            raw = encode(result)
        except TooLarge:
            kind, raw = b"D", digest(result)
    except BadValue as error:
        replies.send(b"B", f"the function returned what is no plain data: {error}")
    except BaseException as error:  # noqa: BLE001 - classes of the candidate
        replies.send(b"B", f"the function returned what is no plain data: {loading.tell(error)}")
    else:
        replies.send(kind, raw)


# ── LeetCode's nodes ─────────────────────────────────────────────────────────────────────────────────────────────────


def _annotations(function: Any, hints: dict[str, str], count: int) -> list[str]:
    """Texts of the annotations of the positional parameters, and last that of the result."""
    inner = getattr(function, "__func__", function)
    code = getattr(inner, "__code__", None)
    if code is None:
        return [""] * (count + 1)
    names = list(code.co_varnames[: code.co_argcount])
    if inner is not function:
        del names[0]
    given = getattr(inner, "__annotations__", {})
    by_position = list(hints.values())

    def text(at: int, name: str) -> str:
        if name in given:
            found = given[name]
            return found if isinstance(found, str) else getattr(found, "__name__", "") + " " + repr(found)
        return hints.get(name, by_position[at] if at < len(by_position) - ("return" in hints) else "")

    found = [text(at, name) for at, name in enumerate(names[:count])]
    result = given.get("return", hints.get("return", ""))
    last = result if isinstance(result, str) else "None" if result is None else repr(result)
    return found + [""] * (count - len(found)) + [last]


def _nodes_in(module: Any, text: str, value: Any) -> Any:
    for kind, build in (("ListNode", _list_node), ("TreeNode", _tree_node)):
        if kind in text:
            if isinstance(value, list) and ("List[" in text.split(kind)[0] or "list[" in text.split(kind)[0]):
                return [build(getattr(module, kind, None) or getattr(loading, kind), each) for each in value]
            return build(getattr(module, kind, None) or getattr(loading, kind), value)
    return value


def _list_node(kind: Any, items: Any) -> Any:
    if not isinstance(items, list):
        return items
    head = None
    for item in reversed(items):
        node = kind(item)
        node.next = head
        head = node
    return head


def _tree_node(kind: Any, items: Any) -> Any:
    """From the nodes level by level, None where there is none: as LeetCode writes trees."""
    if not isinstance(items, list) or not items or items[0] is None:
        return None if items == [] or items == [None] else items
    root = kind(items[0])
    waiting, at = [root], 1
    for node in waiting:
        for side in ("left", "right"):
            if at < len(items) and items[at] is not None:
                child = kind(items[at])
                setattr(node, side, child)
                waiting.append(child)
            at += 1
        if at >= len(items):
            break
    return root


def _nodes_out(value: Any, text: str, depth: int) -> Any:
    name = type(value).__name__
    if value is None and ("ListNode" in text or "TreeNode" in text) and "ist[" not in text:
        return []
    if name == "ListNode":
        items = []
        while value is not None:
            items.append(value.val)
            value = value.next
            if len(items) > MAX_ITEMS:
                raise BadValue("a linked list without an end")
        return items
    if name == "TreeNode":
        items, waiting = [], [value]
        for node in waiting:
            items.append(None if node is None else node.val)
            if node is not None:
                waiting += (node.left, node.right)
            if len(items) > MAX_ITEMS:
                raise BadValue("a tree without an end")
        while items and items[-1] is None:
            items.pop()
        return items
    if type(value) is list and depth < 3 and any(type(each).__name__ in ("ListNode", "TreeNode") for each in value):
        return [_nodes_out(each, "ListNode" if each is None else "", depth + 1) for each in value]
    return value
