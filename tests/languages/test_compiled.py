"""The cache of compiled programs: whole entries or misses, under several processes, kills, full disks and strangers."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codejury.languages.catalog import Catalog
from codejury.languages.compiled import CompiledCache, CompileFailure, key_of, result_of
from codejury.languages.toolchain import Toolchain, compile_command
from codejury.model import Command, Limits, Outcome, Status

KEY = "ab" + "0" * 62
FILES = {"main": b"\x7fELF\0\xff", "sub/Main.class": b""}
FAILURE = CompileFailure(exit_code=1, stdout=b"", stderr=b"main.c:1: error\xff")


def key(number: int) -> str:
    return f"{number:064x}"


@pytest.fixture
def cache(tmp_path: Path) -> CompiledCache:
    return CompiledCache(tmp_path / "cache" / "compiled")


def entry(cache: CompiledCache, of: str = KEY) -> Path:
    return cache.directory / of[:2] / of


def total(cache: CompiledCache) -> int:
    return sum(path.stat().st_size for path in cache.directory.rglob("*") if path.is_file())


# ── Keeping ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_what_was_put_comes_back(cache: CompiledCache) -> None:
    assert cache.get(KEY) is None
    assert cache.put(KEY, FILES)
    assert cache.get(KEY) == FILES
    assert cache.put(KEY, FAILURE)  # the last word counts
    assert CompiledCache(cache.directory).get(KEY) == FAILURE
    assert cache.problem is None


@given(
    st.dictionaries(st.text(), st.binary()) | st.builds(CompileFailure, st.integers(0, 255), st.binary(), st.binary())
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_any_result_comes_back(cache: CompiledCache, value: dict[str, bytes] | CompileFailure) -> None:
    assert cache.put(KEY, value)
    assert cache.get(KEY) == value


def test_a_file_name_that_is_no_text_is_not_kept(cache: CompiledCache) -> None:
    assert not cache.put(KEY, {"\udcff": b""})
    assert cache.get(KEY) is None


@pytest.mark.parametrize("wrong", ["", "../../etc/passwd", "A" * 64, "a" * 63])
def test_only_keys_name_entries(cache: CompiledCache, wrong: str) -> None:
    with pytest.raises(ValueError, match="expected a key"):
        cache.get(wrong)
    with pytest.raises(ValueError, match="expected a key"):
        cache.put(wrong, FILES)


def test_nobody_else_can_read_it(cache: CompiledCache) -> None:
    cache.put(KEY, FILES)
    for path in (cache.directory, entry(cache).parent):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700
    assert stat.S_IMODE(entry(cache).stat().st_mode) == 0o600


# ── Damage ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_an_entry_cut_anywhere_is_a_miss(cache: CompiledCache) -> None:
    cache.put(KEY, FILES)
    whole = entry(cache).read_bytes()
    for length in range(len(whole)):
        entry(cache).write_bytes(whole[:length])
        assert cache.get(KEY) is None
        assert not entry(cache).exists()
    entry(cache).write_bytes(whole + b"x")
    assert cache.get(KEY) is None


@given(st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_an_entry_with_a_changed_byte_is_a_miss(cache: CompiledCache, data: st.DataObject) -> None:
    cache.put(KEY, FILES)
    raw = bytearray(entry(cache).read_bytes())
    raw[data.draw(st.integers(0, len(raw) - 1))] ^= data.draw(st.integers(1, 255))
    entry(cache).write_bytes(raw)
    assert cache.get(KEY) is None
    assert cache.put(KEY, FILES)
    assert cache.get(KEY) == FILES


def test_an_entry_of_another_form_is_a_miss(cache: CompiledCache) -> None:
    import hashlib

    cache.put(KEY, FILES)
    body = msgspec.msgpack.encode({"type": "something", "else": 1})
    entry(cache).write_bytes(b"codejury compiled 1 " + hashlib.sha256(body).hexdigest().encode() + b"\n" + body)
    assert cache.get(KEY) is None


def test_a_directory_in_the_place_of_an_entry_is_a_miss(cache: CompiledCache) -> None:
    entry(cache).mkdir(parents=True)
    assert cache.get(KEY) is None
    assert not cache.put(KEY, FILES)
    assert cache.problem is not None


# ── The bound ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_least_recently_used_go_first(tmp_path: Path) -> None:
    cache = CompiledCache(tmp_path, max_mb=1)
    block = {"main": bytes(100_000)}
    for number in range(9):
        cache.put(key(number), block)
        os.utime(entry(cache, key(number)), (1000 + number, 1000 + number))
    assert cache.get(key(0)) == block  # used: now the most recent
    cache.put(key(9), block)
    cache.put(key(10), block)
    assert total(cache) <= 2**20
    assert cache.get(key(0)) == block
    assert cache.get(key(10)) == block
    assert cache.get(key(1)) is None


@given(st.lists(st.integers(0, 60_000), max_size=40))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=25)
def test_the_bound_holds_after_every_store(tmp_path_factory: pytest.TempPathFactory, sizes: list[int]) -> None:
    cache = CompiledCache(tmp_path_factory.mktemp("cache"), max_mb=0.25)
    for number, size in enumerate(sizes):
        assert cache.put(key(number), {"main": bytes(size)})
        assert total(cache) <= cache.max_bytes
        assert cache.get(key(number)) is not None


def test_a_cache_that_was_left_full_is_brought_down(tmp_path: Path) -> None:
    large = CompiledCache(tmp_path, max_mb=8)
    for number in range(8):
        large.put(key(number), {"main": bytes(500_000)})
    small = CompiledCache(tmp_path, max_mb=1)
    small.put(key(99), {"main": b"x"})
    assert total(small) <= 2**20
    assert small.get(key(99)) == {"main": b"x"}


def test_what_is_larger_than_the_bound_is_not_kept(tmp_path: Path) -> None:
    cache = CompiledCache(tmp_path, max_mb=0.01)
    assert not cache.put(KEY, {"main": bytes(20_000)})
    assert cache.get(KEY) is None


def test_what_was_being_written_long_ago_is_swept(cache: CompiledCache) -> None:
    cache.put(KEY, FILES)
    old, young = entry(cache).parent / ".new-1-old", entry(cache).parent / ".new-2-young"
    old.write_bytes(b"half")
    young.write_bytes(b"half")
    os.utime(old, (time.time() - 7200,) * 2)
    CompiledCache(cache.directory).put(key(1), FILES)
    assert not old.exists()
    assert young.exists()


# ── A directory that will not do ─────────────────────────────────────────────────────────────────────────────────────


def test_a_full_disk_is_no_cache(tmp_path: Path) -> None:
    code = (
        "import resource, sys; from pathlib import Path; from codejury.languages import CompiledCache\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        f"cache = CompiledCache(Path({str(tmp_path)!r}))\n"
        f"assert not cache.put({KEY!r}, {{'main': bytes(5000)}})\n"
        f"assert cache.get({KEY!r}) is None and 'too large' in cache.problem, cache.problem\n"
        f"assert cache.put({KEY!r}, {{'main': b'x'}}) and cache.problem is None\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == [KEY]


def test_a_file_in_its_place_is_no_cache(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        cache = CompiledCache(place)
        assert not cache.put(KEY, FILES)
        assert cache.get(KEY) is None
        assert cache.problem is not None
        assert cache.problem.startswith(str(place))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_directory_without_rights_is_no_cache(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    cache = CompiledCache(tmp_path / "compiled")
    assert not cache.put(KEY, FILES)
    assert cache.problem is not None
    tmp_path.chmod(0o700)
    assert cache.put(KEY, FILES)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a directory away")
def test_a_strangers_directory_is_no_cache(cache: CompiledCache) -> None:
    cache.put(KEY, FILES)
    os.chown(cache.directory, 12345, 12345)
    fresh = CompiledCache(cache.directory)
    assert fresh.get(KEY) is None
    assert not fresh.put(KEY, FILES)
    assert fresh.problem == f"{cache.directory}: belongs to another user"


def test_what_others_could_have_written_is_thrown_away(cache: CompiledCache) -> None:
    cache.put(KEY, FILES)
    cache.directory.chmod(0o777)
    fresh = CompiledCache(cache.directory)
    assert fresh.get(KEY) is None
    assert stat.S_IMODE(cache.directory.stat().st_mode) == 0o700
    assert fresh.put(KEY, FILES)
    assert fresh.get(KEY) == FILES


def test_a_directory_that_others_could_only_read_is_closed_and_kept(cache: CompiledCache) -> None:
    cache.put(KEY, FILES)
    cache.directory.chmod(0o755)
    assert CompiledCache(cache.directory).get(KEY) == FILES
    assert stat.S_IMODE(cache.directory.stat().st_mode) == 0o700


def test_a_directory_that_was_removed_is_made_again(cache: CompiledCache) -> None:
    import shutil

    cache.put(KEY, FILES)
    shutil.rmtree(cache.directory)
    assert cache.get(KEY) is None
    cache.put(KEY, FILES)
    assert cache.put(KEY, FILES)
    assert cache.get(KEY) == FILES


# ── Several at once ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_threads_see_whole_entries(tmp_path: Path) -> None:
    cache = CompiledCache(tmp_path, max_mb=0.5)
    wrong: list[object] = []

    def work(seed: int) -> None:
        for step in range(60):
            number = (seed * 7 + step) % 12
            expected = {"main": bytes([number]) * 50_000}
            found = cache.get(key(number))
            if found not in (None, expected):
                wrong.append(found)
            cache.put(key(number), expected)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert total(cache) <= cache.max_bytes + 50_200 * len(threads)


WRITER = """
import sys
from pathlib import Path
from codejury.languages import CompiledCache
cache = CompiledCache(Path(sys.argv[1]), max_mb=4)
print("up", flush=True)
number = 0
while True:
    number = (number + 1) % 40
    value = {"main": bytes([number]) * 300_000}
    assert cache.get(f"{number:064x}") in (None, value)
    cache.put(f"{number:064x}", value)
"""


def test_processes_that_are_killed_leave_whole_entries(tmp_path: Path) -> None:
    cache = CompiledCache(tmp_path, max_mb=4)
    for round_number in range(3):
        writers = [
            subprocess.Popen(
                [sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
            for _ in range(2)
        ]
        for writer in writers:
            assert writer.stdout is not None
            assert writer.stdout.readline() == b"up\n"
        time.sleep(0.05 + 0.03 * round_number)
        for writer in writers:
            writer.send_signal(signal.SIGKILL)
            _, words = writer.communicate()
            assert (writer.returncode, words) == (-signal.SIGKILL, b"")
        for number in range(40):
            assert cache.get(key(number)) in (None, {"main": bytes([number]) * 300_000})
    assert cache.put(KEY, FILES)
    assert total(cache) <= cache.max_bytes + 4 * 300_200  # and what was half written when the kill came


# ── The key, and what is worth keeping ───────────────────────────────────────────────────────────────────────────────


def tools(tmp_path: Path, text: str = "#!/bin/sh\n") -> Toolchain:
    compiler = tmp_path / "cxx"
    compiler.write_text(text)
    return Toolchain(Catalog.load().get("cpp17"), {"cxx": str(compiler)})


def command(toolchain: Toolchain, source: str = "int main() {}", files: dict[str, bytes] | None = None) -> Command:
    made = compile_command(toolchain, source, None, files=files)
    assert made is not None
    return made


def test_the_key_is_that_of_the_content(tmp_path: Path) -> None:
    one = tools(tmp_path)
    base = key_of(one, command(one), "g++ 12")
    assert len(base) == 64
    assert key_of(one, command(one), "g++ 12") == base
    slower = msgspec.structs.replace(command(one), limits=Limits(cpu_s=99))
    assert key_of(one, slower, "g++ 12") == base

    others = [
        key_of(one, command(one), "g++ 13"),
        key_of(one, command(one, "int main() { }"), "g++ 12"),
        key_of(one, command(one, files={"a.h": b""}), "g++ 12"),
        key_of(one, command(one, files={"a.h": b"x"}), "g++ 12"),
        key_of(one, command(one, files={"b.h": b"x"}), "g++ 12"),
        key_of(one, msgspec.structs.replace(command(one), argv=("cxx", "-O3")), "g++ 12"),
        key_of(one, msgspec.structs.replace(command(one), env={"A": "b"}), "g++ 12"),
        key_of(one, msgspec.structs.replace(command(one), fetch=("other",)), "g++ 12"),
        key_of(msgspec.structs.replace(one, language=Catalog.load().get("cpp20")), command(one), "g++ 12"),
    ]
    before = command(one)
    others.append(key_of(tools(tmp_path, "#!/bin/sh\nexit 1\n"), before, "g++ 12"))
    assert len({base, *others}) == 1 + len(others)


@given(
    st.dictionaries(st.text(min_size=1), st.binary(), max_size=4),
    st.dictionaries(st.text(min_size=1), st.binary(), max_size=4),
)
def test_two_sets_of_files_share_a_key_only_if_they_are_the_same(one: dict[str, bytes], two: dict[str, bytes]) -> None:
    toolchain = Toolchain(Catalog.load().get("cpp17"), {})
    keys = {key_of(toolchain, Command(argv=("x",), files=files), "v") for files in (one, two)}
    assert (len(keys) == 1) == (one == two)


def outcome(status: Status, exit_code: int | None = 0, stderr: bytes = b"", stdout: bytes = b"") -> Outcome:
    return Outcome(
        status=status,
        exit_code=exit_code,
        signal=None if exit_code is not None else 9,
        stdout=stdout,
        stderr=stderr,
        cpu_s=0,
        wall_s=0,
        memory_mb=0,
        level="full",
        layers=(),
        fetched={"main": b"x"},
    )


def test_files_and_refusals_are_kept() -> None:
    assert result_of(outcome("ok")) == {"main": b"x"}
    refused = result_of(outcome("runtime_error", 1, b"error: expected ';'", b"out"))
    assert refused == CompileFailure(exit_code=1, stdout=b"out", stderr=b"error: expected ';'")


@pytest.mark.parametrize(
    "lost",
    [
        *(outcome(status, 1) for status in ("time_limit_exceeded", "wall_limit_exceeded", "memory_limit_exceeded")),
        *(outcome(status, 1) for status in ("output_limit_exceeded", "process_limit_exceeded", "disk_limit_exceeded")),
        outcome("file_limit_exceeded", 1),
        outcome("runtime_error", None),
        outcome("runtime_error", 1, b"g++: fatal error: Killed signal terminated program cc1plus"),
        outcome("runtime_error", 1, b"cc1plus: out of memory allocating 65536 bytes"),
        outcome("runtime_error", 1, b"java.lang.OutOfMemoryError: Java heap space"),
        outcome("runtime_error", 1, b"/usr/bin/ld: final link failed: No space left on device"),
        outcome("runtime_error", 1, b"main.c:1: internal compiler error: Segmentation fault"),
        outcome("runtime_error", 1, b"", b"fork: Resource temporarily unavailable"),
    ],
    ids=lambda lost: f"{lost.status} {(lost.stderr + lost.stdout)[:30]!r}",
)
def test_what_might_end_otherwise_another_day_is_not_kept(lost: Outcome) -> None:
    assert result_of(lost) is None
