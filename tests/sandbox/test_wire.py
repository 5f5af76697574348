"""The records between a worker and its keeper: what goes in comes out, however the socket cuts it up."""

from __future__ import annotations

import re
import socket
import struct
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codejury.errors import WorkerLost
from codejury.model import Command, Limits
from codejury.sandbox import wire

TAGS = st.integers(1, 2**32 - 1)
RECORDS = st.lists(st.tuples(TAGS, st.binary(max_size=300)), max_size=12)
UNLIMITED = 2**64 - 1


def encoded(records: list[tuple[int, bytes]]) -> bytes:
    return b"".join(wire.record(tag, data) for tag, data in records) + wire.record(wire.END)


def request(command: Command, env: list[tuple[str, str]], *, kind: int = 0) -> bytes:
    return wire.head(command, env, kind=kind) + wire.tail(command)


def read_all(pieces: list[bytes], messages: int) -> list[list[tuple[int, bytes]]]:
    """What a Reader makes of these pieces, sent one by one over a real socket while it reads."""
    ours, theirs = socket.socketpair()
    with ours, theirs:

        def send() -> None:
            for piece in pieces:
                theirs.sendall(piece)

        sender = threading.Thread(target=send)
        sender.start()
        try:
            reader = wire.Reader(ours)
            return [reader.message() for _ in range(messages)]
        finally:
            sender.join()


class Dripping:
    """The receiving end of a socket that hands out what it has in pieces of given sizes, whatever is asked for."""

    def __init__(self, raw: bytes, sizes: list[int]) -> None:
        self.raw, self.at, self.sizes = raw, 0, sizes

    def recv(self, most: int) -> bytes:
        size = self.sizes.pop(0) if self.sizes else most
        piece = self.raw[self.at : self.at + min(most, size)]
        self.at += len(piece)
        return piece

    def recv_into(self, view: memoryview) -> int:
        piece = self.recv(len(view))
        view[: len(piece)] = piece
        return len(piece)


@given(RECORDS)
def test_records_come_back(records: list[tuple[int, bytes]]) -> None:
    assert read_all([encoded(records)], 1) == [records]


@given(st.lists(RECORDS, min_size=1, max_size=3), st.data())
def test_any_cut_gives_the_same_messages(messages: list[list[tuple[int, bytes]]], data: st.DataObject) -> None:
    raw = b"".join(encoded(records) for records in messages)
    cuts = sorted(data.draw(st.sets(st.integers(0, len(raw)), max_size=20)))
    pieces = [raw[a:b] for a, b in zip([0, *cuts], [*cuts, len(raw)], strict=True)]
    assert read_all(pieces, len(messages)) == messages


@given(st.lists(RECORDS, min_size=1, max_size=3), st.lists(st.integers(1, 40), max_size=200))
def test_short_reads_give_the_same_messages(messages: list[list[tuple[int, bytes]]], sizes: list[int]) -> None:
    raw = b"".join(encoded(records) for records in messages)
    reader = wire.Reader(Dripping(raw, sizes))  # type: ignore[arg-type]
    assert [reader.message() for _ in messages] == messages


@pytest.mark.parametrize("size", [0, 1, (1 << 16) - 1, 1 << 16, (1 << 16) + 1, 3_000_000])
@pytest.mark.parametrize("before", [0, 1, 70_000])
def test_large_records(size: int, before: int) -> None:
    records = [(5, b"b" * before), (wire.STDOUT, bytes(range(256)) * (size // 256) + b"x" * (size % 256)), (7, b"end")]
    assert read_all([encoded(records), encoded([(1, b"next")])], 2) == [records, [(1, b"next")]]


@given(RECORDS.filter(bool), st.data())
def test_an_end_in_the_middle_is_a_lost_worker(records: list[tuple[int, bytes]], data: st.DataObject) -> None:
    raw = encoded(records)
    kept = data.draw(st.integers(0, len(raw) - 1))
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            theirs.sendall(raw[:kept])
        with pytest.raises(WorkerLost, match="ended"):
            wire.Reader(ours).message()


def test_an_end_in_a_large_record_is_a_lost_worker() -> None:
    head = wire.record(wire.STDOUT, b"x" * 200_000)[:100_000]
    with pytest.raises(WorkerLost, match="ended"):
        wire.Reader(Dripping(head, [])).message()  # type: ignore[arg-type]


# -- what a request is made of


def parsed(raw: bytes) -> list[tuple[int, bytes]]:
    records = []
    at = 0
    while at < len(raw):
        tag, _, length = struct.unpack_from("=IIQ", raw, at)
        records.append((tag, raw[at + 16 : at + 16 + length]))
        at += 16 + length
    assert at == len(raw)
    return records


def test_a_request_holds_all_of_a_command() -> None:
    command = Command(
        argv=("/bin/ż", "", "two words"),
        files={"a/b": b"\0\xff", "empty": b""},
        stdin=b"in\0put",
        fetch=("*.txt", "d/*"),
        limits=Limits(cpu_s=1.5, wall_s=None, memory_mb=None, output_mb=0.5, processes=3, disk_mb=2, open_files=10),
    )
    records = parsed(request(command, [("A", "b=c"), ("ŻÓŁW", "🐢")]))
    assert records[-1] == (wire.END, b"")
    assert [data for tag, data in records if tag == wire.ARG] == ["/bin/ż".encode(), b"", b"two words"]
    assert [data for tag, data in records if tag == wire.ENV] == [b"A=b=c", "ŻÓŁW=🐢".encode()]
    assert [data for tag, data in records if tag == wire.FILE] == [b"a/b\0\0\xff", b"empty\0"]
    assert [data for tag, data in records if tag == wire.STDIN] == [b"in\0put"]
    assert [data for tag, data in records if tag == wire.FETCH] == [b"*.txt", b"d/*"]
    assert not [data for tag, data in records if tag == wire.WARM]
    (limits,) = [struct.unpack("=7Q", data) for tag, data in records if tag == wire.LIMITS]
    assert limits == (1_500_000_000, 5_000_000_000, UNLIMITED, 1 << 19, 2 << 20, 3, 10)


def test_a_warm_request_says_which_interpreter() -> None:
    records = parsed(request(Command(argv=("main.py",), warm=True), [], kind=1))
    assert [data for tag, data in records if tag == wire.WARM] == [struct.pack("=I", 1)]


def test_no_limit_is_the_largest_number_and_no_limit_is_ever_zero() -> None:
    none = Limits(cpu_s=None, memory_mb=None, output_mb=None, processes=None, disk_mb=None, open_files=None)
    ((_, raw),) = parsed(wire.limits_record(none))
    assert struct.unpack("=7Q", raw) == (UNLIMITED,) * 7
    tiny = Limits(cpu_s=1e-12, wall_s=1e-12, memory_mb=1e-9, output_mb=1e-9, disk_mb=1e-9, processes=1, open_files=1)
    ((_, raw),) = parsed(wire.limits_record(tiny))
    assert struct.unpack("=7Q", raw) == (1,) * 7


def test_names_that_are_no_utf8_go_through() -> None:
    name = b"\xff\xfe".decode("utf-8", "surrogateescape")
    command = Command(argv=(name,), files={name: b""})
    records = parsed(request(command, [(name, name)]))
    assert (wire.ARG, b"\xff\xfe") in records
    assert (wire.ENV, b"\xff\xfe=\xff\xfe") in records
    assert (wire.FILE, b"\xff\xfe\0") in records


def test_a_result_is_unpacked() -> None:
    result = wire.Result(struct.pack("=IIiiQQQQ", 1, 2, -1, 9, 10, 11, 12, 13))
    assert (result.killed_by, result.flags, result.exit_code, result.signal) == (1, 2, -1, 9)
    assert (result.cpu_ns, result.wall_ns, result.waited_ns, result.memory_bytes) == (10, 11, 12, 13)


@pytest.mark.parametrize(
    ("words", "step", "detail"),
    [
        (b"exec\0No such file", "exec", "No such file"),
        (b"exec\0", "exec", "no reason given"),
        (b"exec", "exec", "no reason given"),
        (b"root-bind\0\xff bad\n", "root-bind", "\ufffd bad"),
    ],
)
def test_a_failure_is_unpacked(words: bytes, step: str, detail: str) -> None:
    failure = wire.Failure(struct.pack("=Ii", 70, 2) + words)
    assert (failure.step, failure.errno, failure.detail) == (step, 2, detail)


def test_the_numbers_are_those_of_the_header(root: Path) -> None:
    """native/box.h is the other half: an enumerator that moved there must have moved here."""
    header = (root / "native" / "box.h").read_text()

    def enumerators(prefix: str) -> dict[str, int]:
        values: dict[str, int] = {}
        for body in re.findall(r"enum\s*\w*\s*\{([^}]*)\}", header):
            value = -1
            for item in re.sub(r"/\*.*?\*/", "", body, flags=re.DOTALL).split(","):
                name, _, given = (part.strip() for part in item.partition("="))
                value = int(given, 0) if given else value + 1
                if name.startswith(prefix):
                    values[name.removeprefix(prefix)] = value
        return values

    assert enumerators("TAG_") == {name: getattr(wire, name) for name in enumerators("TAG_")}
    killed = {f"KILLED_{name}": value for name, value in enumerators("KILLED_").items()}
    assert killed == {name: getattr(wire, name) for name in killed}
    flags = enumerators("RESULT_")
    assert flags == {name: getattr(wire, name) for name in flags}
    assert enumerators("LEVEL_") == {"NAMESPACES": wire.LEVEL_NAMESPACES, "LANDLOCK": wire.LEVEL_LANDLOCK}
    assert len(enumerators("TAG_")) > 20
    assert killed
    assert flags
