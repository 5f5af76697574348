"""The words of the domain: what Limits refuse, and an Outcome as data for machines."""

from __future__ import annotations

import base64
import json
import math
import typing
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codejury.model import LEVELS, Command, Level, Limits, Outcome, Status

FIELDS = Limits.__struct_fields__
WHOLE = ("processes", "open_files")


def outcome(**fields: Any) -> Outcome:
    base: dict[str, Any] = {
        "status": "ok",
        "exit_code": 0,
        "signal": None,
        "stdout": b"",
        "stderr": b"",
        "cpu_s": 0.25,
        "wall_s": 0.5,
        "memory_mb": 3.5,
        "level": "full",
        "layers": ("user", "pid"),
    }
    return Outcome(**{**base, **fields})


# -- Limits


def test_default_limits_are_the_documented_ones() -> None:
    assert msgspec.structs.asdict(Limits()) == {
        "cpu_s": 5.0,
        "wall_s": None,
        "memory_mb": 1024,
        "output_mb": 64,
        "processes": 64,
        "disk_mb": 256,
        "open_files": 1024,
    }


@pytest.mark.parametrize("name", FIELDS)
def test_each_limit_is_in_the_documentation(name: str) -> None:
    assert f"\n    {name} " in (Limits.__doc__ or "")


@pytest.mark.parametrize("name", FIELDS)
@pytest.mark.parametrize(
    "value", [0, -1, -0.5, math.inf, -math.inf, math.nan, 2**40, True, False, "5", b"5", [], {}, 1j]
)
def test_what_is_no_limit_is_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=rf"^Limits\.{name}: expected a positive number or None, got "):
        Limits(**{name: value})


@pytest.mark.parametrize("name", WHOLE)
def test_half_a_process_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=rf"^Limits\.{name}: expected a whole number or None, got 1\.5$"):
        Limits(**{name: 1.5})


@pytest.mark.parametrize("name", FIELDS)
def test_none_lifts_a_limit(name: str) -> None:
    assert getattr(Limits(**{name: None}), name) is None


@pytest.mark.parametrize("name", [name for name in FIELDS if name not in WHOLE])
def test_fractions_are_fine(name: str) -> None:
    assert getattr(Limits(**{name: 0.125}), name) == 0.125


def test_limits_are_by_keyword_and_frozen() -> None:
    with pytest.raises(TypeError):
        Limits(5.0)  # type: ignore[misc]
    with pytest.raises(TypeError):
        Limits(seconds=5.0)  # type: ignore[call-arg]
    with pytest.raises(AttributeError):
        Limits().cpu_s = 3.0  # type: ignore[misc]


@pytest.mark.parametrize(
    ("limits", "wall_s"),
    [
        (Limits(), 12.0),
        (Limits(cpu_s=1), 4),
        (Limits(cpu_s=0.25), 2.5),
        (Limits(cpu_s=None), None),
        (Limits(cpu_s=None, wall_s=3), 3),
        (Limits(cpu_s=9, wall_s=1), 1),
    ],
)
def test_the_wall_limit_follows_the_cpu_limit(limits: Limits, wall_s: float | None) -> None:
    assert limits.effective_wall_s == wall_s


@given(st.dictionaries(st.sampled_from([n for n in FIELDS if n not in WHOLE]), st.none() | st.floats(0.001, 1e9)))
def test_limits_survive_json(fields: dict[str, float | None]) -> None:
    limits = Limits(**fields)  # type: ignore[arg-type]
    assert msgspec.json.decode(msgspec.json.encode(limits), type=Limits) == limits


def test_decoding_checks_too() -> None:
    with pytest.raises(msgspec.ValidationError, match=r"Limits\.cpu_s: expected a positive number"):
        msgspec.json.decode(b'{"cpu_s": -1}', type=Limits)


# -- Command


def test_a_command_needs_only_what_to_run() -> None:
    command = Command(argv=("/bin/true",))
    assert (command.env, command.files, command.stdin, command.fetch, command.warm) == ({}, {}, b"", (), False)
    assert command.limits == Limits()


def test_commands_share_no_defaults() -> None:
    one, two = Command(argv=("a",)), Command(argv=("b",))
    one.env["A"] = "1"
    one.files["f"] = b""
    assert (two.env, two.files) == ({}, {})


# -- Outcome


def test_only_ok_is_ok() -> None:
    assert [status for status in typing.get_args(Status) if outcome(status=status).ok] == ["ok"]


def test_levels_are_strongest_first() -> None:
    assert LEVELS == typing.get_args(Level) == ("full", "rootless", "landlock")


def test_as_json() -> None:
    row = outcome(
        status="runtime_error",
        exit_code=None,
        signal=11,
        stdout="żółw\n".encode(),
        stderr=b"words",
        stdout_truncated=True,
        fetched={"f": b"1"},
    ).as_json()
    assert row == {
        "status": "runtime_error",
        "exit_code": None,
        "signal": 11,
        "stdout": "żółw\n",
        "stderr": "words",
        "cpu_s": 0.25,
        "wall_s": 0.5,
        "memory_mb": 3.5,
        "level": "full",
        "layers": ["user", "pid"],
        "stdout_truncated": True,
        "stderr_truncated": False,
    }


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_as_json_of_bytes_that_are_no_text(stream: str) -> None:
    raw = b"ok \xff\xfe\x00"
    row = outcome(**{stream: raw}).as_json()
    assert row[stream] == "ok \ufffd\ufffd\0"
    assert base64.b64decode(row[f"{stream}_base64"]) == raw
    assert [name for name in row if name.endswith("_base64")] == [f"{stream}_base64"]


@given(st.binary(), st.binary())
def test_as_json_loses_nothing(stdout: bytes, stderr: bytes) -> None:
    row = json.loads(json.dumps(outcome(stdout=stdout, stderr=stderr).as_json()))
    for name, raw in (("stdout", stdout), ("stderr", stderr)):
        back = base64.b64decode(row[f"{name}_base64"]) if f"{name}_base64" in row else row[name].encode()
        assert back == raw
