"""Requests that no caller of ours would send, spoken by hand on a keeper's socket.

The keeper answers with a failure or ends; it never hangs, and never writes outside of the working directory. A worker
that comes after it is as good as any.
"""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from faults import host
from faults.conftest import Background, check_right

import codejury
from codejury import model
from codejury.errors import WorkerLost
from codejury.sandbox import wire
from codejury.sandbox.pool import Pool
from codejury.sandbox.worker import _NATIVE, Worker

# Files are laid in namespaces of the run's own, or by the keeper itself: that is all that differs here.
pytestmark = pytest.mark.parametrize("level", ["strongest", "landlock"], indirect=True)

LIMITS = wire.limits_record(model.Limits(cpu_s=10))
END = wire.record(wire.END)


def _head(tag: int, length: int) -> bytes:
    return struct.pack("=IIQ", tag, 0, length)


def _request(*records: bytes, argv: tuple[str, ...] = ("/bin/true",)) -> bytes:
    return b"".join([LIMITS, *(wire.record(wire.ARG, arg.encode()) for arg in argv), *records, END])


def _file(path: bytes, content: bytes = b"x") -> bytes:
    return wire.record(wire.FILE, path + b"\0" + content)


# name -> bytes; the keeper must say that it failed, or end. Nothing more comes from us until it does.
REFUSED = {
    "an unknown tag": LIMITS + wire.record(99, b"what is this") + END,
    "a tag of the configuration": LIMITS + wire.record(wire.BIND, b"/etc") + END,
    "a tag of the answers": LIMITS + wire.record(wire.RESULT, bytes(48)) + END,
    "limits of another size": wire.record(wire.LIMITS, bytes(8)) + END,
    "warm of another size": LIMITS + wire.record(wire.WARM, bytes(2)) + END,
    "an argument of 2**63 bytes": LIMITS + _head(wire.ARG, 2**63),
    "an argument of 2**64 - 1 bytes": LIMITS + _head(wire.ARG, 2**64 - 1),
    "a file of 2**63 bytes": LIMITS + _head(wire.FILE, 2**63),
    "a file of 2**64 - 1 bytes": LIMITS + _head(wire.FILE, 2**64 - 1),
    "an input of 2**63 bytes": LIMITS + _head(wire.STDIN, 2**63),
    "an input of 2**64 - 1 bytes": LIMITS + _head(wire.STDIN, 2**64 - 1),
    "a waiting interpreter that there is not": _request(wire.number(wire.WARM, 7), argv=("main.py",)),
    "a waiting interpreter of number 2**32 - 1": _request(wire.number(wire.WARM, 2**32 - 1), argv=("main.py",)),
    "an empty path": _request(_file(b"")),
    "a path of dots": _request(_file(b".")),
    "an absolute path": _request(_file(b"/{outside}/absolute")),
    "a path upwards": _request(_file(b"../upwards")),
    "a path up to the outside": _request(_file(b"../../../../../../../../..{outside}/upwards")),
    "a path down and up to the outside": _request(_file(b"a/../../../../../../../../..{outside}/down/upwards")),
    "a path that ends in a slash": _request(_file(b"directory/")),
    "a path through a file": _request(_file(b"a"), _file(b"a/b")),
    "a name too long": _request(_file(b"n" * 300)),
    "a path too long": _request(_file(b"/".join([b"d" * 200] * 30))),
    "a file record without a NUL": _request(wire.record(wire.FILE, b"nul")),
    "no argument": LIMITS + END,
    "a program that is not there": _request(argv=("/bin/there-is-no-such",)),
    "a program that is a directory": _request(argv=("/usr",)),
    "an argument too long for exec": _request(wire.record(wire.ARG, b"x" * (1 << 20))),
    "arguments too many for exec": _request(*[wire.record(wire.ARG, b"x" * 100_000)] * 200),
    "an environment too long for exec": _request(*[wire.record(wire.ENV, b"X=" + b"x" * 100_000)] * 200),
}
# Odd, but nothing is wrong with it: any answer will do.
ANSWERED = {
    "a NUL in an argument": _request(wire.record(wire.ARG, b"a\0b")),
    "a NUL in a variable": _request(wire.record(wire.ENV, b"A=a\0b")),
    "a variable without a name": _request(wire.record(wire.ENV, b"=x"), wire.record(wire.ENV, b"")),
    "a NUL in an argument of a warm run": _request(
        wire.number(wire.WARM, 0), wire.record(wire.ARG, b"a\0b"), _file(b"main.py", b""), argv=("main.py",)
    ),
    "a variable without a name in a warm run": _request(
        wire.number(wire.WARM, 0), wire.record(wire.ENV, b""), _file(b"main.py", b""), argv=("main.py",)
    ),
    "a warm run without its script": _request(wire.number(wire.WARM, 0), argv=("main.py",)),
    "a warm run without an argument": LIMITS + wire.number(wire.WARM, 0) + END,
    "an environment of megabytes for a warm run": _request(
        wire.number(wire.WARM, 0),
        *[wire.record(wire.ENV, b"X=" + b"x" * 100_000)] * 20,
        _file(b"main.py", b""),
        argv=("main.py",),
    ),
    "two inputs": _request(wire.record(wire.STDIN, b"one"), wire.record(wire.STDIN, b"two")),
    "two files of one name": _request(_file(b"a", b"one"), _file(b"a", b"two")),
    "limits of 1": wire.record(wire.LIMITS, struct.pack("=7Q", *[1] * 7)) + wire.record(wire.ARG, b"/bin/true") + END,
    "limits of 0": wire.record(wire.LIMITS, bytes(56)) + wire.record(wire.ARG, b"/bin/true") + END,
    "limits of 2**64 - 2": wire.record(wire.LIMITS, struct.pack("=7Q", *[2**64 - 2] * 7))
    + wire.record(wire.ARG, b"/bin/true")
    + END,
    "patterns without end": _request(wire.record(wire.FETCH, b"*" * 5000), _file(b"a" * 200)),
}
# Cut off here; then the parent is gone.
TRUNCATED = {
    "nothing": b"",
    "half a head": LIMITS[:7],
    "a head alone": LIMITS[:16],
    "half a record": LIMITS[:40],
    "no end": LIMITS,
    "half a file": _request(_file(b"a", bytes(1 << 20)))[: 1 << 19],
    "half an input": _request(wire.record(wire.STDIN, bytes(1 << 20)))[: 1 << 19],
}


@pytest.fixture
def worker(level: Any, remains: host.Remains) -> Iterator[Worker]:
    with Pool(workers=1, level=level) as pool:
        one = Worker(pool._plan_for(level), 1)
        one._connection.settimeout(host.LONGEST_S)
        yield one
        remains.note(one.pid)
        one.close()


def _answer(worker: Worker, request: bytes) -> list[tuple[int, bytes]] | None:
    """None: the keeper has ended."""
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it may have heard enough, and has said so
        worker._connection.sendall(request)
    try:
        return worker._reader.message()
    except (WorkerLost, ConnectionResetError):
        return None


def _outside(place: Path, request: bytes) -> bytes:
    """The request with a directory of the host's for {outside}, the records' lengths made good."""
    if b"{outside}" not in request:
        return request
    directory, records, at = os.fsencode(place / "outside"), [], 0
    while at < len(request):
        tag, _, length = struct.unpack_from("=IIQ", request, at)
        data = request[at + 16 : at + 16 + length].replace(b"{outside}", directory)
        records.append(wire.record(tag, data))
        at += 16 + length
    return b"".join(records)


@pytest.fixture
def outside(place: Path) -> Path:
    """Writable by anybody: whoever gets here leaves a trace."""
    directory = place / "outside"
    directory.mkdir()
    directory.chmod(0o777)
    return directory


@pytest.mark.parametrize("what", REFUSED)
def test_refused(worker: Worker, place: Path, outside: Path, what: str) -> None:
    answer = _answer(worker, _outside(place, REFUSED[what]))
    tags = None if answer is None else {tag for tag, _ in answer}
    assert tags is None or (wire.FAILED in tags and wire.RESULT not in tags), tags
    if answer is not None:
        failure = wire.Failure(dict(answer)[wire.FAILED])
        assert failure.step != "unknown", failure.step
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("what", ANSWERED)
def test_answered(worker: Worker, what: str) -> None:
    answer = _answer(worker, ANSWERED[what])
    if answer is None:
        return  # it ended: the next one will do
    assert {tag for tag, _ in answer} & {wire.RESULT, wire.FAILED}
    # It is still in step: the next answer is that to the next question.
    again = _answer(worker, _request(argv=("/bin/echo", "next")))
    assert again is not None
    assert (wire.STDOUT, b"next\n") in again


@pytest.mark.parametrize("what", TRUNCATED)
def test_truncated(worker: Worker, what: str) -> None:
    if TRUNCATED[what]:
        worker._connection.sendall(TRUNCATED[what])
    worker._connection.shutdown(socket.SHUT_WR)
    worker._process.wait(timeout=host.LONGEST_S)


def test_a_hundred_thousand_files(worker: Worker) -> None:
    """On a real disk, as at the level landlock, so many would only take long."""
    count = 100_000 if worker.level != "landlock" else 1000
    answer = _answer(worker, _request(*(_file(b"%d/%d" % (n % 100, n), b"") for n in range(count))))
    if answer is not None:
        assert {tag for tag, _ in answer} & {wire.RESULT, wire.FAILED}


def test_several_requests_at_once(worker: Worker) -> None:
    """Not in the protocol; they are taken in turn, or not at all."""
    requests = [_request(argv=("/bin/echo", str(number))) for number in range(5)]
    answer = _answer(worker, b"".join(requests))
    number = 0
    while answer is not None and number < 5:
        assert (wire.STDOUT, b"%d\n" % number) in answer
        number += 1
        answer = worker._reader.message() if number < 5 else None


def test_configuration_that_is_none(level: Any, remains: host.Remains) -> None:
    """The launcher's own reading: whatever comes, it ends, and leaves nothing."""
    for text in (b"", b"x" * 7, _head(wire.BIND, 2**64 - 1), wire.record(99, b""), END, wire.record(wire.LEVEL, b"x")):
        ours, theirs = socket.socketpair()
        with ours, theirs:
            process = subprocess.Popen([_NATIVE / "keeper", str(theirs.fileno())], pass_fds=[theirs.fileno()])
            theirs.close()
            ours.sendall(text)
            ours.shutdown(socket.SHUT_WR)
            assert process.wait(timeout=host.LONGEST_S) != 0


# The same through the front door, where a caller may well come by.
BIG = {
    "arguments": {"args": ["x" * 100_000] * 30},
    "one long argument": {"args": ["x" * (2 << 20)]},
    "environment": {"env": {f"X{n}": "x" * 100_000 for n in range(20)}},
    "files": {"files": {f"{n % 100}/{n}": b"" for n in range(1000)}},
    "a file larger than the disk": {"files": {"big": bytes(2 << 20)}, "limits": model.Limits(disk_mb=1)},
    "a path through a file": {"files": {"a": b"", "a/b": b""}},
    "a name too long": {"files": {"n" * 300: b""}},
    "the program's own name": {"files": {"main.py": b"print('other')"}},
}


@pytest.mark.parametrize("fresh", [False, True], ids=["warm", "cold"])
def test_through_the_front_door(box: codejury.Sandbox, remains: host.Remains, fresh: bool) -> None:
    for what, options in BIG.items():
        result = Background(
            lambda options=options: box.run("print('run')", language="python", fresh=fresh, **options)
        ).join()
        if isinstance(result, codejury.CodejuryError):
            assert str(result), what
        else:
            assert result.stdout in (b"run\n", b"other\n", b""), (what, result)
            assert result.status in ("ok", "runtime_error", "disk_limit_exceeded"), (what, result)
        check_right(box, times=1)
