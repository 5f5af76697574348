"""The index over a file of tests: what it finds, whom it serves, and that nothing wrong ever comes out of it."""

from __future__ import annotations

import gzip
import json
import multiprocessing
import os
import pickle
import random
import signal
import struct
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from dataset import samples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codejury.dataset import TestIndex
from codejury.dataset import index as module
from codejury.dataset.index import build_index, index_path
from codejury.errors import UsageError

FREELY = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
Write = Callable[..., Path]


def row(name: object, *inputs: str) -> dict[str, Any]:
    tests = [{"input": each, "output": each.upper()} for each in inputs]
    return {"custom_id": name, "solutions": [], "reward": {"ground_truth": {"input_output": tests}}}


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(*rows: object, name: str = "T.jsonl") -> Path:
        path = tmp_path / name
        path.write_bytes(b"".join(r if isinstance(r, bytes) else json.dumps(r).encode() + b"\n" for r in rows))
        return path

    return written


@pytest.fixture
def ten(write: Write) -> Path:
    path = write(*(row(f"p{n}", f"a{n}", f"b{n}") for n in range(10)))
    build_index(path)
    return path


# --- look-ups --------------------------------------------------------------------------------------------------------


def test_every_problem_is_found_under_its_own_id(ten: Path) -> None:
    with TestIndex(ten) as index:
        assert len(index) == 10
        for n in range(10):
            assert index[f"p{n}"].id == f"p{n}"
            assert [case.input for case in index.tests(f"p{n}")] == [f"a{n}", f"b{n}"]
            assert f"p{n}" in index


def test_iterating_gives_the_ids_in_the_order_of_the_file(ten: Path) -> None:
    assert list(TestIndex(ten)) == [f"p{n}" for n in range(10)]


@pytest.mark.parametrize("key", ["p10", "", "P1", " p1", "p1\n", None, True, 1.0, b"p1", ("p1",)])
def test_what_is_not_there_is_a_key_error(ten: Path, key: Any) -> None:
    index = TestIndex(ten)
    with pytest.raises(KeyError):
        index[key]
    assert key not in index
    assert index.get(key) is None


def test_whole_numbers_count_as_their_text(write: Write) -> None:
    path = write(row(7, "seven"), row(-1, "minus"), row(10**30, "many"), row("007", "agent"))
    build_index(path)
    index = TestIndex(path)
    assert [index.tests(key)[0].input for key in (7, "7", -1, 10**30, "007")] == [
        "seven",
        "seven",
        "minus",
        "many",
        "agent",
    ]


IDS = ["é", "e\u0301", "\ud800", "a\x00b", "\u2028", "名前", "👩‍🚀", "a" * 100_000, "\n", "../x", " "]


def test_odd_texts_are_ids_like_others_and_nothing_is_normalised(write: Write) -> None:
    path = write(*(row(name, str(n)) for n, name in enumerate(IDS)))
    build_index(path)
    index = TestIndex(path)
    assert [index.tests(name)[0].input for name in IDS] == [str(n) for n in range(len(IDS))]
    assert list(index) == IDS


@pytest.mark.parametrize("name", ["LIVECODEBENCH", "TACO_CALL", "KLEAR_MADE", "KLEAR_CALL", "APPS"])
def test_rows_of_other_formats_are_found_too(write: Write, name: str) -> None:
    from codejury.dataset import problem_of

    value = getattr(samples, name)
    path = write(value)
    build_index(path)
    problem = problem_of(value)
    assert TestIndex(path)[problem.id] == problem


@pytest.mark.parametrize(
    "lines",
    [
        [b"\xef\xbb\xbf" + json.dumps(row("a", "x")).encode() + b"\n", row("b", "y")],
        [b"\n \n", row("a", "x"), b"\n\n", row("b", "y")],
        [json.dumps(row("a", "x")).encode() + b"\r\n", json.dumps(row("b", "y")).encode() + b"\r\n"],
        [row("a", "x"), json.dumps(row("b", "y")).encode()],
    ],
    ids=["byte order mark", "blank lines", "CRLF", "no end of the last line"],
)
def test_files_as_people_have_them(write: Write, lines: list[Any]) -> None:
    path = write(*lines)
    assert build_index(path).problems == 2
    index = TestIndex(path)
    assert (index.tests("a")[0].input, index.tests("b")[0].input) == ("x", "y")


def test_two_ids_with_one_hash_are_told_apart(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_short", lambda content, salt: b"\0" * 8 if len(content) < 9 else content[-8:])
    path = write(*(row(f"p{n}", str(n)) for n in range(5)))
    build_index(path)
    index = TestIndex(path)
    assert [index.tests(f"p{n}")[0].input for n in range(5)] == list("01234")
    assert "p5" not in index


# --- building --------------------------------------------------------------------------------------------------------


def test_bad_rows_are_told_counted_and_left_out(write: Write) -> None:
    path = write(
        row("a", "x"), b"{torn\n", b'{"custom_id": "\xff"}\n', [1], {"custom_id": None, "solutions": []},
        {"custom_id": True, "solutions": []}, {"custom_id": "", "solutions": []}, {**row("c"), "type": "other"},
        row("b"),
    )  # fmt: skip
    told: list[UsageError] = []
    built = build_index(path, on_error=told.append)
    assert [f"line {n}" in str(error) for n, error in enumerate(told, 2)] == [True] * 7
    assert (built.problems, built.bad_rows, built.without_tests, built.tests) == (2, 7, 1, 1)
    assert list(TestIndex(path)) == ["a", "b"]
    with pytest.raises(UsageError, match="line 2"):
        build_index(path)


def test_duplicates_are_an_error_that_names_both_lines(write: Write) -> None:
    path = write(row("a"), row(7), b"\n", row("a"), row("7"))
    with pytest.raises(UsageError, match=r"'a' in lines 1 and 4; the text '7' in lines 2 and 5"):
        build_index(path, on_error=lambda _: None)
    assert not index_path(path).exists()


def test_a_line_longer_than_any_row_is_told_and_the_rest_goes_on(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_LINE_BYTES", 200)
    path = write(row("a", "x"), b'"' + b"y" * 1000 + b'"\n', row("b", "z"))
    told: list[UsageError] = []
    assert build_index(path, on_error=told.append).problems == 2
    assert ["line 2" in str(error) for error in told] == [True]
    assert TestIndex(path).tests("b")[0].input == "z"


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (gzip.compress(b'{"custom_id": 1}', mtime=0), "gzip: unpack"),
        (b"PAR1....", "Parquet"),
        (b'[{"custom_id": 1}]', "JSON list"),
        (b"", "found none"),
        (b"\n\n", "found none"),
    ],
)
def test_files_in_which_no_row_has_a_place_are_refused(write: Write, content: bytes, match: str) -> None:
    with pytest.raises(UsageError, match=match):
        build_index(write(content))


def test_no_other_file_is_overwritten(ten: Path, tmp_path: Path) -> None:
    other = tmp_path / "notes.txt"
    other.write_text("mine")
    with pytest.raises(UsageError, match="another kind"):
        build_index(ten, other)
    with pytest.raises(UsageError, match="source itself"):
        build_index(ten, ten)
    (tmp_path / "link").symlink_to(ten)
    with pytest.raises(UsageError, match="source itself"):
        build_index(ten, tmp_path / "link")
    assert other.read_text() == "mine"
    assert len(TestIndex(ten)) == 10
    build_index(ten)  # its own old index it does replace


def test_a_failed_build_leaves_the_old_index_and_no_litter(ten: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = index_path(ten).read_bytes()

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(UsageError, match="No space left"):
        build_index(ten)
    assert index_path(ten).read_bytes() == before
    assert sorted(each.name for each in ten.parent.iterdir()) == ["T.idx", "T.jsonl"]


def test_a_file_that_changes_while_it_is_read_is_refused(ten: Path) -> None:
    index_path(ten).unlink()

    def meddle(done: int, total: int) -> None:
        os.utime(ten, (0, done))

    with pytest.raises(UsageError, match="was changed while"):
        build_index(ten, on_progress=meddle)
    assert not index_path(ten).exists()


# --- stale -----------------------------------------------------------------------------------------------------------


def kept_times(path: Path, content: bytes) -> None:
    status = path.stat()
    path.write_bytes(content)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def test_a_source_that_grew_is_stale(ten: Path) -> None:
    with ten.open("a") as file:
        file.write(json.dumps(row("p10")) + "\n")
    with pytest.raises(UsageError, match=r"stale.*bytes now.*codejury map"):
        TestIndex(ten)


def test_a_source_that_was_touched_is_stale_unless_it_is_said_to_be_a_copy(ten: Path) -> None:
    os.utime(ten, (1, 1))
    with pytest.raises(UsageError, match=r"stale.*written to.*any_mtime=True"):
        TestIndex(ten)
    assert TestIndex(ten, any_mtime=True)["p3"].id == "p3"


def test_another_content_of_the_same_size_and_time_is_stale(ten: Path) -> None:
    kept_times(ten, ten.read_bytes().replace(b'"a3"', b'"z3"'))
    with pytest.raises(UsageError, match=r"stale.*another content"):
        TestIndex(ten)


def test_a_change_between_the_samples_is_seen_at_the_row(write: Write) -> None:
    path = write(*(row(f"p{n}", "x" * 40_000) for n in range(64)))
    build_index(path)
    content = bytearray(path.read_bytes())
    last = len(content) - module._SAMPLE_BYTES
    samples_at = sorted({last * n // (module._SAMPLES - 1) for n in range(module._SAMPLES)})
    at = (samples_at[5] + module._SAMPLE_BYTES + samples_at[6]) // 2
    content[at : at + 2] = b"yy"
    kept_times(path, bytes(content))
    index = TestIndex(path)
    changed = content[:at].count(b"\n")
    with pytest.raises(UsageError, match=r"stale.*another row"):
        index[f"p{changed}"]
    assert len(index.tests(f"p{changed + 2}")) == 1


def test_a_source_rewritten_under_an_open_index_is_seen(ten: Path) -> None:
    index = TestIndex(ten)
    ten.write_bytes(ten.read_bytes().replace(b'"a', b'"q'))
    with pytest.raises(UsageError, match="stale"):
        index["p4"]
    ten.write_bytes(b"")
    with pytest.raises(UsageError, match="stale"):
        index["p4"]


# --- damaged, and forged ---------------------------------------------------------------------------------------------


def test_a_missing_index_says_how_to_make_it(write: Write) -> None:
    path = write(row("a"))
    with pytest.raises(UsageError, match=rf"no index.*codejury map {path}"):
        TestIndex(path)
    with pytest.raises(UsageError, match="--output"):
        TestIndex(path, index=path.parent / "else.idx")


def test_no_cut_of_an_index_opens(ten: Path) -> None:
    whole = index_path(ten).read_bytes()
    for size in range(len(whole)):
        index_path(ten).write_bytes(whole[:size])
        with pytest.raises(UsageError, match="no whole index"):
            TestIndex(ten)


def test_no_flipped_bit_of_an_index_opens(ten: Path) -> None:
    whole = index_path(ten).read_bytes()
    for at in range(len(whole)):
        index_path(ten).write_bytes(whole[:at] + bytes([whole[at] ^ (1 << at % 8)]) + whole[at + 1 :])
        with pytest.raises(UsageError, match=r"no whole index"):
            TestIndex(ten)


@FREELY
@given(garbage=st.binary(max_size=600), keep=st.booleans())
def test_garbage_is_refused(ten: Path, garbage: bytes, keep: bool) -> None:
    index_path(ten).write_bytes((module.MAGIC if keep else b"") + garbage)
    with pytest.raises(UsageError):
        TestIndex(ten)


def forged(path: Path, change: Callable[[list[Any], bytearray], None]) -> None:
    """An index with every digest right, made by somebody who knows how."""
    raw = index_path(path).read_bytes()
    facts, entries = list(module._FACTS.unpack_from(raw)), bytearray(raw[module._HEAD_BYTES :])
    change(facts, entries)
    facts[7] = module._digest(bytes(entries))
    head = module._FACTS.pack(*facts)
    index_path(path).write_bytes(head + module._digest(head) + entries)


BIG = 2**64 - 1


@FREELY
@given(
    number=st.integers(0, 9),
    offset=st.sampled_from([0, 1, 50, 300, 2**31, 2**62, 2**63, BIG]) | st.integers(0, 2000),
    length=st.sampled_from([0, 1, 2**30, 2**31, 2**62, BIG]) | st.integers(0, 2000),
)
def test_forged_places_never_give_another_problem(ten: Path, number: int, offset: int, length: int) -> None:
    build_index(ten)

    def change(facts: list[Any], entries: bytearray) -> None:
        struct.pack_into(">QQ", entries, number * 32 + 8, offset, length)
        row = ten.read_bytes()[offset : offset + min(length, 5000)]
        entries[number * 32 + 24 : number * 32 + 32] = module._short(row, facts[5])

    forged(ten, change)
    index = TestIndex(ten)
    for n in range(10):
        try:
            found = index[f"p{n}"]
        except (UsageError, KeyError):
            continue
        assert [case.input for case in found.cases] == [f"a{n}", f"b{n}"]


def test_a_row_inside_of_a_row_is_no_row(write: Write) -> None:
    """A text of one problem's statement looks like the row of another."""
    inner = json.dumps(row("victim", "forged"))
    path = write({**row("a"), "question": [json.loads(inner)]}, row("victim", "right"))
    told: list[UsageError] = []
    path.write_bytes(path.read_bytes().replace(b'"question": [', b'"note": ['))
    build_index(path, on_error=told.append)
    at = path.read_bytes().index(inner.encode())

    def change(facts: list[Any], entries: bytearray) -> None:
        for start in range(0, len(entries), 32):
            if entries[start : start + 8] == module._short(b"victim", facts[5]):
                struct.pack_into(">QQ", entries, start + 8, at, len(inner))
                entries[start + 24 : start + 32] = module._short(inner.encode(), facts[5])

    forged(path, change)
    assert told == []
    with pytest.raises(UsageError, match="no whole line"):
        TestIndex(path)["victim"]


@pytest.mark.parametrize("count", [0, 1, 11, 2**40, BIG])
def test_a_forged_count_is_refused(ten: Path, count: int) -> None:
    forged(ten, lambda facts, _: facts.__setitem__(1, count))
    with pytest.raises(UsageError, match="no whole index"):
        TestIndex(ten)


def test_a_forged_format_is_refused(ten: Path) -> None:
    forged(ten, lambda facts, _: facts.__setitem__(6, b"\xffos.system"))
    with pytest.raises(UsageError, match="no whole index"):
        TestIndex(ten)


def test_an_index_cut_while_it_is_open_is_refused_and_kills_nobody(ten: Path) -> None:
    index = TestIndex(ten)
    os.truncate(index_path(ten), 0)
    with pytest.raises(UsageError, match="cut off"):
        index["p1"]


def test_a_pipe_in_place_of_the_index_does_not_hang(ten: Path) -> None:
    index_path(ten).unlink()
    os.mkfifo(index_path(ten))
    with pytest.raises(UsageError):
        TestIndex(ten)


def test_a_directory_in_place_of_either_file_is_refused(ten: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        TestIndex(ten, index=tmp_path)
    with pytest.raises(UsageError):
        TestIndex(tmp_path, index=index_path(ten))


# --- many at once ----------------------------------------------------------------------------------------------------


def look(given: tuple[TestIndex, int]) -> list[str]:
    index, seed = given
    dice = random.Random(seed)
    wanted = [dice.randrange(10) for _ in range(200)]
    return [f"{n}:{index.tests(f'p{n}')[0].input}" for n in wanted if index.tests(f"p{n}")[0].input != f"a{n}"]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_of_a_data_loader_share_it(ten: Path, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ten.parent)
    index = TestIndex("T.jsonl")
    monkeypatch.chdir("/")
    with ProcessPoolExecutor(3, mp_context=multiprocessing.get_context(method)) as pool:
        assert list(pool.map(look, [(index, seed) for seed in range(6)])) == [[]] * 6


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_reads_through_the_files_of_its_parent(ten: Path) -> None:
    index = TestIndex(ten)
    os.rename(ten, ten.with_suffix(".moved"))  # so that nobody can open it anew
    children = []
    for seed in range(4):
        child = os.fork()
        if child == 0:
            os._exit(0 if look((index, seed)) == [] else 1)
        children.append(child)
    assert look((index, 99)) == []
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 4


def test_threads_share_it(ten: Path) -> None:
    index, wrong = TestIndex(ten), []
    threads = [threading.Thread(target=lambda n=n: wrong.extend(look((index, n)))) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_pickled_it_is_opened_anew_and_checked_anew(ten: Path) -> None:
    pickled = pickle.dumps(TestIndex(ten, any_mtime=True))
    assert pickle.loads(pickled)["p2"].id == "p2"
    kept_times(ten, ten.read_bytes().replace(b'"a3"', b'"z3"'))
    with pytest.raises(UsageError, match="stale"):
        pickle.loads(pickled)


def test_readers_never_see_a_half_built_index(ten: Path) -> None:
    """One rebuilds without a pause while another opens: every opening works."""
    done = threading.Event()

    def rebuild() -> None:
        while not done.is_set():
            build_index(ten)

    builder = threading.Thread(target=rebuild)
    builder.start()
    try:
        for _ in range(100):
            with TestIndex(ten) as index:
                assert index["p5"].id == "p5"
    finally:
        done.set()
        builder.join()


def test_closed_it_says_so_and_leaves_no_file_open(ten: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    index = TestIndex(ten)
    index.close()
    index.close()
    with pytest.raises(UsageError, match="closed"):
        index["p1"]
    for _ in range(10):
        TestIndex(ten)["p1"]
    os.utime(ten, (1, 1))
    for _ in range(10):
        with pytest.raises(UsageError):
            TestIndex(ten)
    assert len(os.listdir("/proc/self/fd")) == before


def test_killed_while_building_there_is_no_index_and_the_next_build_works(write: Write) -> None:
    path = write(*(row(f"p{n}", "x" * 100) for n in range(3000)))
    child = multiprocessing.get_context("fork").Process(target=build_index, args=(path,))
    child.start()
    os.kill(child.pid or 0, signal.SIGKILL)
    child.join()
    assert not index_path(path).exists()
    assert build_index(path).problems == 3000


@pytest.fixture(autouse=True)
def _no_zombies() -> Iterator[None]:
    yield
    assert multiprocessing.active_children() == []
