"""Attacks on whoever unpacks LiveCodeBench's private tests. Each is shown to work on the plain way of doing it, where
that is safe to show, and to end as a BadRow here."""

from __future__ import annotations

import base64
import json
import os
import pickle
import pickletools
import resource
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest
from dataset import samples
from hypothesis import given
from hypothesis import strategies as st

from codejury.dataset import BadRow, problem_of
from codejury.dataset.formats.livecodebench import pickled_text, unpacked


def row(raw: bytes) -> dict[str, Any]:
    return {**samples.LIVECODEBENCH, "private_test_cases": base64.b64encode(zlib.compress(raw)).decode()}


class Touch:
    """Unpickling this makes a directory."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.path),)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_that_runs_code(protocol: int, tmp_path: Path) -> None:
    path = tmp_path / "touched"
    raw = pickle.dumps(Touch(path), protocol)
    pickle.loads(raw)
    assert path.exists(), "the attack works on pickle.loads"
    path.rmdir()
    with pytest.raises(BadRow, match="private_test_cases: expected a pickle that holds one text"):
        problem_of(row(raw))
    assert not path.exists()


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_code_before_the_text(protocol: int, tmp_path: Path) -> None:
    """The text is what is left on the stack: a reader that looks at the result alone sees nothing wrong."""
    path = tmp_path / "touched"
    evil = pickle.dumps(Touch(path), protocol)[:-1] + b"0"  # POP
    honest = pickle.dumps(json.dumps(samples.CASES), protocol)
    raw = evil + (honest[2:] if protocol >= 2 else honest)
    if protocol < 4:  # frames of two pickles do not go together, as far as pickle.loads is concerned
        assert pickle.loads(raw) == json.dumps(samples.CASES)
        assert path.exists(), "the attack works on pickle.loads"
        path.rmdir()
    with pytest.raises(BadRow, match="one text"):
        problem_of(row(raw))
    assert not path.exists()


TEXT = b"X\x02\x00\x00\x00[]"
HOSTILE = {
    "global": b"cos\nsystem\n(S'true'\ntR.",
    "stack global": b"\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x04true\x85R.",
    "instance": b"(S'true'\nios\nsystem\n.",
    "new object": b"\x80\x02cos\nsystem\n)\x81.",
    "extension": b"\x80\x02\x82\x01.",
    "persistent id": b"Pevil\n.",
    "build": b"\x80\x02" + TEXT + b"}b.",
    "list": pickle.dumps(["[]"]),
    "dict": pickle.dumps({"a": "[]"}),
    "number": pickle.dumps(7),
    "two texts": b"\x80\x04" + TEXT + TEXT + b".",
    "text twice": b"\x80\x04" + TEXT + b"2.",
    "memo": b"\x80\x04" + TEXT + b"q\x000h\x00.",
    "buffer": b"\x80\x05\x97.",
    "nothing": b"\x80\x04.",
    "empty": b"",
    "no end": b"\x80\x04" + TEXT,
    "more behind the end": b"\x80\x04" + TEXT + b".X",
    "a length beyond the data": b"\x80\x04\x8d" + struct.pack("<Q", 1 << 60) + b"[].",
    "a length that is negative elsewhere": b"\x80\x02X\xff\xff\xff\xff[].",
    "a line without an end": b"V[]",
    "no UTF-8": b"\x80\x04\x8c\x01\xff.",
    "a bad escape": b"V\\u12\n.",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_pickles_other_than_one_text_are_refused(name: str) -> None:
    with pytest.raises(BadRow):
        problem_of(row(HOSTILE[name]))


def test_a_memo_index_does_not_allocate() -> None:
    """LONG_BINPUT with a large index makes the C unpickler allocate a table of that size, 64 GB here."""
    raw = b"\x80\x02" + TEXT + b"r\xff\xff\xff\xff."
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert pickled_text(raw, where="", field="") == "[]"
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 << 10  # KB


def bomb(size: int) -> str:
    """A text of `size` spaces, whole and well-formed."""
    machine = zlib.compressobj(9)
    parts = [machine.compress(b"\x80\x04\x8d" + struct.pack("<Q", size))]
    parts += [machine.compress(b" " * (1 << 20)) for _ in range(size >> 20)]
    return base64.b64encode(b"".join([*parts, machine.compress(b"."), machine.flush()])).decode()


def test_a_bomb_is_inflated_up_to_the_bound_only() -> None:
    text = bomb(256 << 20)
    assert len(text) < 1 << 20
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(BadRow, match="private_test_cases: expected tests of at most 8388608 bytes, got more"):
        unpacked(text, where="row", field="private_test_cases", limit_bytes=8 << 20)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 128 << 10  # KB


def test_the_bound_itself_is_admitted() -> None:
    text = bomb(1 << 20)
    size = (1 << 20) + 12  # PROTO, BINUNICODE8 with its length, STOP
    assert unpacked(text, where="", field="", limit_bytes=size) == " " * (1 << 20)
    with pytest.raises(BadRow):
        unpacked(text, where="", field="", limit_bytes=size - 1)


@pytest.mark.parametrize("text", ["!", "QUJD", base64.b64encode(zlib.compress(b"x" * 999)[:-6]).decode(), "QQ", "é"])
def test_what_is_no_base64_or_no_zlib_is_a_bad_row(text: str) -> None:
    with pytest.raises(BadRow):
        problem_of({**samples.LIVECODEBENCH, "private_test_cases": text})


@given(text=st.text(st.characters(), max_size=600), protocol=st.integers(0, pickle.HIGHEST_PROTOCOL))
def test_every_honest_text_comes_through(text: str, protocol: int) -> None:
    raw = pickle.dumps(text, protocol)
    assert pickled_text(raw, where="", field="") == text


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_long_texts_come_through(protocol: int) -> None:
    tests = [{"input": "1 " * 200_000, "output": "é\n", "testtype": "stdin"}]
    problem = problem_of({**samples.LIVECODEBENCH, "private_test_cases": samples.packed(tests, protocol)})
    assert problem.cases[1].input == "1 " * 200_000


@given(st.binary(max_size=40), st.integers(0, 30))
def test_whatever_is_admitted_holds_harmless_instructions_alone(noise: bytes, at: int) -> None:
    raw = pickle.dumps("[]", 4)
    raw = raw[:at] + noise + raw[at:]
    try:
        text = pickled_text(raw, where="", field="")
    except BadRow:
        return
    names = {code.name for code, _, _ in _operations(raw)}
    assert names <= {"PROTO", "FRAME", "MEMOIZE", "BINPUT", "LONG_BINPUT", "PUT", "STOP", *TEXTS}, names
    assert isinstance(text, str)


TEXTS = {"SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8", "UNICODE", "SHORT_BINBYTES", "BINBYTES", "BINBYTES8"}


def _operations(raw: bytes) -> list[Any]:
    try:
        return list(pickletools.genops(raw))
    except ValueError:  # a PUT of no number, a FRAME too long: pickletools is stricter about what we skip
        return []
