"""The store: rows that stay, a torn end that is mended, one writer at a time, and kill -9 at any moment."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codejury.dataset import BadRow, Store
from codejury.errors import UsageError
from codejury.model import CaseResult


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "rows.jsonl"


def keys(file: Path) -> list[str]:
    return [json.loads(line)["custom_id"] for line in file.read_bytes().splitlines()]


def test_rows_are_there_for_the_next_run(file: Path) -> None:
    with Store(file) as store:
        assert store.done == set()
        store.append({"custom_id": "a", "text": "é\n\ud800", "n": 10**30})
        assert keys(file) == ["a"], "written through, not when the store is closed"
        store.append({"custom_id": "b"})
        assert "b" in store
    with Store(file) as store:
        assert store.done == {"a", "b"}
        assert store.repaired == ""
        store.append({"custom_id": "c"})
    assert keys(file) == ["a", "b", "c"]
    assert json.loads(file.read_bytes().splitlines()[0]) == {"custom_id": "a", "text": "é\n\ud800", "n": 10**30}


def test_the_key_may_be_another_field_and_a_number(file: Path) -> None:
    with Store(file, key="task_id") as store:
        store.append({"task_id": 7})
        assert store.done == {"7"}
    assert Store(file, key="task_id").done == {"7"}


@pytest.mark.parametrize("torn", [b"", b'{"custom_id": "torn', b'{"custom_id": "f", "error_info": "x"}'])
def test_what_is_not_kept_leaves_the_file(file: Path, torn: bytes) -> None:
    rows = [{"custom_id": name, "error_info": "no" if name in "ade" else None, "pad": "p" * 99} for name in "abcde"]
    file.write_bytes(b"".join(json.dumps(row).encode() + b"\n" for row in rows) + torn)
    file.chmod(0o640)
    with Store(file, keep=lambda row: row["error_info"] is None) as store:
        assert store.done == {"b", "c"}
        assert keys(file) == ["b", "c"]
        store.append({"custom_id": "a", "error_info": None})
        with pytest.raises(UsageError, match="another process"):  # the lock is that of the file that is there now
            Store(file)
    assert keys(file) == ["b", "c", "a"]
    assert file.stat().st_mode & 0o777 == 0o640
    assert [each.name for each in file.parent.iterdir()] == [file.name]


@pytest.mark.parametrize("path", ["/dev/full", "/dev/null"])
def test_what_is_no_file_is_refused(path: str) -> None:
    """The first of them never ends when it is read."""
    with pytest.raises(UsageError, match="expected a regular file"):
        Store(path)


def test_the_file_is_not_rewritten_where_all_is_kept(file: Path) -> None:
    file.write_bytes(b'{"custom_id": "a"}\n')
    before = file.stat().st_ino
    Store(file, keep=lambda row: True).close()
    assert file.stat().st_ino == before


def test_a_link_stays_a_link_when_its_file_is_rewritten(file: Path, tmp_path: Path) -> None:
    file.write_bytes(b'{"custom_id": "a"}\n{"custom_id": "b"}\n')
    link = tmp_path / "link.jsonl"
    link.symlink_to(file)
    Store(link, keep=lambda row: row["custom_id"] != "a").close()
    assert link.is_symlink()
    assert keys(file) == ["b"]


def test_structs_are_written_as_data(file: Path) -> None:
    with Store(file) as store:
        store.append({"custom_id": "a", "case": CaseResult(index=0, verdict="success"), "raw": b"\x00"})
    row = json.loads(file.read_text())
    assert (row["case"]["verdict"], row["raw"]) == ("success", "AA==")


def test_what_cannot_be_a_row(file: Path) -> None:
    with Store(file) as store:
        with pytest.raises(BadRow, match="custom_id: expected text"):
            store.append({"id": 3})
        with pytest.raises(UsageError, match="that JSON cannot hold"):
            store.append({"custom_id": "a", "x": object()})
        store.append({"custom_id": "a"})
        with pytest.raises(UsageError, match="'a' is in the file already"):
            store.append({"custom_id": "a"})
    with pytest.raises(UsageError, match="the store is closed"):
        store.append({"custom_id": "b"})
    assert keys(file) == ["a"]


def test_a_second_writer_is_told_so(file: Path) -> None:
    with Store(file), pytest.raises(UsageError, match="another process is writing to it"):
        Store(file)
    Store(file).close()


def test_the_lock_goes_with_its_process(file: Path) -> None:
    child = writer(file)
    assert child.stdout is not None
    child.stdout.readline()
    with pytest.raises(UsageError, match="another process"):
        Store(file)
    child.kill()
    child.communicate()
    Store(file).close()


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be opened for writing: Is a directory"):
        Store(tmp_path)
    with pytest.raises(UsageError, match="No such file"):
        Store(tmp_path / "no" / "file")


# --- the end of the file


@pytest.mark.parametrize("torn", [b'{"custom_id": "c", "x": 1', b"{", b"\x00" * 4096, b'{"custom_id": "\xc3'])
def test_a_torn_row_is_cut_off_and_said(file: Path, torn: bytes) -> None:
    whole = b'{"custom_id": "a"}\n{"custom_id": "b"}\n'
    file.write_bytes(whole + torn)
    with Store(file) as store:
        assert store.done == {"a", "b"}
        assert store.repaired == f"{file}, line 3: cut off a torn row of {len(torn)} bytes that an earlier run left"
        assert file.read_bytes() == whole
        store.append({"custom_id": "c"})
    assert keys(file) == ["a", "b", "c"]


def test_a_whole_row_that_lacks_its_end_of_line_stays(file: Path) -> None:
    file.write_bytes(b'{"custom_id": "a"}')
    with Store(file) as store:
        assert store.done == {"a"}
        store.append({"custom_id": "b"})
    assert keys(file) == ["a", "b"]


@pytest.mark.parametrize("line", [b"oops", b"[1]", b'{"id": 1}', b'{"custom_id": null}'])
def test_a_bad_row_in_the_middle_is_somebody_elses_file(file: Path, line: bytes) -> None:
    """It is left alone: what no run of ours can have left is not ours to throw away."""
    before = b'{"custom_id": "a"}\n' + line + b'\n{"custom_id": "b"}\n'
    file.write_bytes(before)
    with pytest.raises(BadRow, match=r"rows\.jsonl, line 2: "):
        Store(file)
    assert file.read_bytes() == before
    file.write_bytes(b"")
    Store(file).close()  # and the lock is free again


ROW = st.fixed_dictionaries({"text": st.text(max_size=20), "n": st.integers()})


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(ROW, min_size=1, max_size=5), data=st.data())
def test_a_cut_anywhere_loses_the_row_that_it_goes_through_alone(
    tmp_path: Path, rows: list[dict[str, object]], data: st.DataObject
) -> None:
    file = tmp_path / "rows"
    file.unlink(missing_ok=True)
    with Store(file) as store:
        for number, row in enumerate(rows):
            store.append({"custom_id": str(number), **row})
    whole = file.read_bytes()
    cut = data.draw(st.integers(0, len(whole)))
    file.write_bytes(whole[:cut])
    with Store(file) as store:
        ended = whole[:cut].count(b"\n") + (whole[cut : cut + 1] == b"\n")  # all but the end of the line is a row
        assert store.done == {str(number) for number in range(ended)}
        for number, row in enumerate(rows):
            if str(number) not in store:
                store.append({"custom_id": str(number), **row})
    assert file.read_bytes() == whole


# --- faults


def test_a_full_disk_leaves_no_half_row(file: Path) -> None:
    with Store(file) as store:
        store.append({"custom_id": "a"})
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
        try:
            with pytest.raises(UsageError, match="cannot be written: File too large"):
                store.append({"custom_id": "b", "text": "x" * 100_000})
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
            signal.signal(signal.SIGXFSZ, ignored)
        assert "b" not in store
        store.append({"custom_id": "c"})
    assert keys(file) == ["a", "c"]


def test_threads(file: Path) -> None:
    with Store(file) as store:

        def some(name: str) -> None:
            for number in range(50):
                store.append({"custom_id": f"{name}{number}", "text": name * 500})

        threads = [threading.Thread(target=some, args=(name,)) for name in "abcd"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(set(keys(file))) == 200


WRITER = """
import sys
from codejury.dataset import Store
store = Store(sys.argv[1])
size, number = int(sys.argv[2]), len(store.done)
while True:
    store.append({"custom_id": str(number), "text": "x" * size})
    print(number, flush=True)
    number += 1
"""


def writer(file: Path, size: int = 10) -> subprocess.Popen[str]:
    """Appends rows as fast as it can, and says the number of each when it is done with it."""
    return subprocess.Popen([sys.executable, "-c", WRITER, str(file), str(size)], stdout=subprocess.PIPE, text=True)


@pytest.mark.parametrize("size", [10, 3_000_000])
def test_kill_at_any_moment_loses_at_most_the_row_being_written(file: Path, size: int) -> None:
    moments = random.Random(size)
    for _ in range(6):
        child = writer(file, size)
        assert child.stdout is not None
        said = child.stdout.readline()
        time.sleep(moments.random() / 20)
        os.kill(child.pid, signal.SIGKILL)
        rest, _ = child.communicate()
        last = int((said + rest).split()[-1])
        with Store(file) as store:
            numbers = {int(key) for key in store.done}
        assert numbers == set(range(len(numbers)))
        assert last + 1 <= len(numbers) <= last + 2
        with file.open("rb") as stream:
            assert all(line.endswith(b"}\n") for line in stream)
        if file.stat().st_size > 200 << 20:
            file.unlink()


def test_only_what_is_looked_at_is_read(file: Path) -> None:
    """The same rows stay, also where the quick way cannot read one."""
    rows = [{"custom_id": "a", "error_info": "x"}, {"custom_id": "b", "n": float("nan"), "error_info": "x"}]
    rows += [{"custom_id": 3, "more": {"error_info": "x"}}, {"custom_id": "d", "n": float("inf"), "error_info": None}]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with Store(file, keep=lambda row: row.get("error_info") is None, looks_at=("error_info",)) as store:
        assert store.done == {"3", "d"}
    assert keys(file) == [3, "d"]
    file.write_text('{"custom_id": [], "x": 1}\n')
    for looks_at in (None, (), ("x",)):
        with pytest.raises(BadRow, match="line 1: custom_id: expected text or a whole number, got list"):
            Store(file, keep=lambda row: True, looks_at=looks_at)
    file.write_text('["custom_id"]\n')
    with pytest.raises(BadRow, match="expected a row: an object, got list"):
        Store(file)
