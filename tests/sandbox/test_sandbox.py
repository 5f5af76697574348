"""The sandbox as users have it: many jobs, threads and coroutines, its life, languages, settings, and clean slates."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import shutil
import subprocess
import sys
import textwrap
import threading
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sandbox.environment import only

import codejury
from codejury import Job, Limits, Outcome, Sandbox

Make = Callable[..., Sandbox]
AMPLE = Limits(cpu_s=60, wall_s=300)
needs_gcc = pytest.mark.skipif(not shutil.which("gcc"), reason="gcc is not installed")


@pytest.fixture(scope="module")
def best(make_box: Make) -> Sandbox:
    """The strongest level of this host, two programs at a time."""
    return make_box("auto")


def python(source: str, **fields: Any) -> Job:
    return Job(source=source, language="python", **{"limits": AMPLE, **fields})


def out(outcome: Outcome) -> str:
    assert outcome.ok, outcome
    return outcome.stdout.decode()


# ── Many jobs ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_outcomes_come_in_the_order_of_the_jobs(best: Sandbox) -> None:
    """The first of every pair takes far longer than the second."""
    jobs = [python(f"import time; time.sleep({0.1 if n % 2 == 0 else 0}); print({n})") for n in range(12)]
    assert [out(outcome) for outcome in best.run_many(jobs)] == [f"{n}\n" for n in range(12)]


def test_the_cpu_time_of_all_runs_is_counted(best: Sandbox) -> None:
    """One, many inputs of one program, two that talk to each other."""
    spins = "import time\nwhile time.process_time() < 0.2: pass\n"
    before_s = best.cpu_s
    took_s = best.run_job(python(spins)).cpu_s
    ready = best.ready(python(spins + "print(input())"))
    took_s += sum(ready.run(f"{n}\n").cpu_s for n in range(2))
    took_s += sum(outcome.cpu_s for outcome in best.run_pair(python(spins), python(spins)))
    assert took_s > 5 * 0.19
    assert best.cpu_s - before_s == pytest.approx(took_s)


@needs_gcc
def test_so_is_that_of_compilers(best: Sandbox) -> None:
    before_s = best.cpu_s
    odd = f"int main(void) {{ return {os.getpid()} - {os.getpid()}; }} /* {os.urandom(8).hex()} */"
    outcome = best.run(odd, language="c")
    assert outcome.ok
    assert best.cpu_s - before_s > outcome.cpu_s


def test_jobs_are_taken_as_they_are_needed(best: Sandbox) -> None:
    taken = []

    def endless() -> Iterator[Job]:
        for n in itertools.count():
            taken.append(n)
            yield python(f"print({n})")

    outcomes = best.run_many(endless())
    assert [out(outcome) for outcome in itertools.islice(outcomes, 5)] == [f"{n}\n" for n in range(5)]
    assert len(taken) <= 5 + 2 * best.workers
    assert out(best.run("print('still there')", language="python")) == "still there\n"


def test_no_jobs_no_outcomes(best: Sandbox) -> None:
    assert list(best.run_many([])) == []


def test_a_job_that_cannot_run_raises_at_its_place(best: Sandbox) -> None:
    jobs = [python("print(0)"), python("print(1)"), Job(source="x", language="klingon"), python("print(3)")]
    outcomes = best.run_many(iter(jobs))
    assert [out(next(outcomes)), out(next(outcomes))] == ["0\n", "1\n"]
    with pytest.raises(codejury.UnknownLanguage, match="klingon"):
        next(outcomes)
    assert list(outcomes) == []
    assert out(best.run("print('after')", language="python")) == "after\n"


def test_programs_that_fail_are_outcomes(best: Sandbox) -> None:
    jobs = [python("print(0)"), python("1 / 0"), python("import os; os.abort()"), python("print(3)")]
    assert [o.status for o in best.run_many(jobs)] == ["ok", "runtime_error", "runtime_error", "ok"]


def test_jobs_that_raise_by_themselves(best: Sandbox) -> None:
    def jobs() -> Iterator[Job]:
        yield python("print(0)")
        raise LookupError("no more")

    with pytest.raises(LookupError, match="no more"):
        list(best.run_many(jobs()))


def test_two_streams_of_jobs_at_once(best: Sandbox) -> None:
    one, two = (best.run_many([python(f"print({k!r}, {n})") for n in range(6)]) for k in "ab")
    pairs = [(out(a), out(b)) for a, b in zip(one, two, strict=True)]
    assert pairs == [(f"a {n}\n", f"b {n}\n") for n in range(6)]


# ── Coroutines and threads ───────────────────────────────────────────────────────────────────────────────────────────


def test_run_as_a_coroutine(best: Sandbox) -> None:
    async def main() -> list[Outcome]:
        return await asyncio.gather(*(best.run_async(f"print({n})", language="python") for n in range(8)))

    assert [out(outcome) for outcome in asyncio.run(main())] == [f"{n}\n" for n in range(8)]


def test_a_coroutine_does_not_hold_up_the_loop(best: Sandbox) -> None:
    """The program waits for nothing but the clock; the loop goes on meanwhile."""

    async def main() -> int:
        ticks = 0
        running = asyncio.ensure_future(best.run_async("import time; time.sleep(0.5)", language="python"))
        while not running.done():
            ticks += 1
            await asyncio.sleep(0.001)
        assert (await running).ok
        return ticks

    assert asyncio.run(main()) > 1  # a loop that is held up comes round once


def test_run_many_as_coroutines(best: Sandbox) -> None:
    async def main() -> list[str]:
        jobs = (python(f"import time; time.sleep({0.1 if n % 3 == 0 else 0}); print({n})") for n in range(9))
        return [out(outcome) async for outcome in best.run_many_async(jobs)]

    assert asyncio.run(main()) == [f"{n}\n" for n in range(9)]


def test_run_many_as_coroutines_raises_at_its_place(best: Sandbox) -> None:
    async def main() -> None:
        jobs = [python("print(0)"), Job(source="x", language="klingon"), python("print(2)")]
        outcomes: AsyncIterator[Outcome] = best.run_many_async(jobs)
        assert out(await anext(outcomes)) == "0\n"
        with pytest.raises(codejury.UnknownLanguage):
            await anext(outcomes)

    asyncio.run(main())


def test_the_sandbox_that_needs_no_set_up() -> None:
    assert out(codejury.run("print(input())", language="python", stdin="text")) == "text\n"
    assert out(asyncio.run(codejury.run_async("print(7)", language="python"))) == "7\n"


def test_from_eight_threads_at_once(box: Sandbox) -> None:
    barrier = threading.Barrier(8)

    def work(thread: int) -> list[str]:
        barrier.wait()
        texts = (f"{thread} {n} " + "x" * 5000 * (n % 3) for n in range(10))
        return [out(box.run("print(input())", language="python", stdin=text)) for text in texts]

    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(work, range(8)))
    assert found == [[f"{t} {n} " + "x" * 5000 * (n % 3) + "\n" for n in range(10)] for t in range(8)]


def test_the_same_source_from_eight_threads_is_compiled_once(make_box: Make, tmp_path: Path) -> None:
    box = make_box(languages=[stamping(tmp_path)])
    with ThreadPoolExecutor(8) as threads:
        stamps = set(threads.map(lambda _: out(box.run("source", language="stamped")), range(8)))
    assert len(stamps) == 1


# ── Life ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def children() -> set[int]:
    """Processes that this one started and that are still there."""
    found = set()
    for task in Path("/proc/self/task").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # a thread of another test's that has ended
            found |= {int(pid) for pid in (task / "children").read_text().split()}
    return found


def test_nothing_is_started_before_it_is_needed() -> None:
    before = children()
    with Sandbox(2):
        assert children() == before


def test_closing_ends_everything(make_box: Make, level: str) -> None:
    before = children()
    with make_box(level, workers=3) as box:
        assert len(children() - before) == 3
        box.run("print(1)", language="python")
    assert children() == before


def test_workers_are_made_when_they_are_needed() -> None:
    before = children()
    with only(), Sandbox(3) as box:
        for _ in range(3):
            assert box.run("print(1)", language="python").ok
            assert len(children() - before) == 1
        box.prepare()
        assert len(children() - before) == box.workers == 3


def test_what_was_closed_cannot_be_used(level: str, make_box: Make) -> None:
    with make_box(level) as box:
        assert box.run("print(1)", language="python").ok
    uses: list[Callable[[], object]] = [
        lambda: box.run("print(1)", language="python"),
        lambda: list(box.run_many([python("print(1)")])),
        lambda: asyncio.run(box.run_async("print(1)", language="python")),
        lambda: box.level,
        box.prepare,
    ]
    for use in uses:
        with pytest.raises(codejury.UsageError, match="closed"):
            use()
    box.close()  # again: nothing happens


def test_a_fork_cannot_use_its_parents_sandbox() -> None:
    """But it can make its own, and the parent's is as good as before."""
    script = """
        import os, codejury
        def run(box): return box.run("print(1)", language="python").stdout
        with codejury.Sandbox(1) as box:
            print("parent", run(box), flush=True)
            if os.fork() == 0:
                try:
                    run(box)
                except codejury.UsageError as error:
                    print("child", error, flush=True)
                box.close()
                with codejury.Sandbox(1) as own:
                    print("child", run(own), flush=True)
                os._exit(0)
            assert os.wait()[1] == 0
            print("parent", run(box), flush=True)
    """
    done = run_script(script)
    assert done.stdout.splitlines() == [
        "parent b'1\\n'",
        "child this sandbox was made before a fork: make one in the process that uses it",
        "child b'1\\n'",
        "parent b'1\\n'",
    ]


def test_a_fork_gets_its_own_sandbox_without_set_up() -> None:
    script = """
        import os, codejury
        print("parent", codejury.run("print(1)", language="python").stdout, flush=True)
        if os.fork() == 0:
            print("child", codejury.run("print(2)", language="python").stdout, flush=True)
            raise SystemExit
        assert os.wait()[1] == 0
        print("parent", codejury.run("print(3)", language="python").stdout, flush=True)
    """
    assert run_script(script).stdout.splitlines() == ["parent b'1\\n'", "child b'2\\n'", "parent b'3\\n'"]


def test_an_exit_without_closing_is_clean() -> None:
    done = run_script(
        "import codejury\nbox = codejury.Sandbox(2)\nprint(box.run('print(1)', language='python').stdout)"
    )
    assert done.stdout == "b'1\\n'\n"


def run_script(script: str) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-W", "ignore", "-c", textwrap.dedent(script)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=200)
    assert (done.returncode, done.stderr) == (0, "")
    return done


def test_two_sandboxes_at_once(make_box: Make) -> None:
    one, two = make_box("auto", workers=1), make_box("auto", workers=1)
    source = """
import os, sys, time
open('f', 'x').write(sys.argv[1])
time.sleep(0.1)
print(open('f').read(), len(os.listdir()))
"""
    with ThreadPoolExecutor(2) as threads:
        for _ in range(3):
            pairs = ((one, "1"), (two, "2"))
            found = [threads.submit(box.run, source, language="python", args=[name]) for box, name in pairs]
            assert [out(each.result()) for each in found] == ["1 2\n", "2 2\n"]


@pytest.mark.parametrize("workers", [0, -1])
def test_no_workers_are_refused(workers: int) -> None:
    with pytest.raises(codejury.UsageError, match=f"workers: expected a number from 1, got {workers}"):
        Sandbox(workers)


# ── Levels ───────────────────────────────────────────────────────────────────────────────────────────────────────────

LAYERS = {
    "full": {"user", "pid", "mount", "net", "ipc", "uts", "seccomp", "landlock", "rlimits", "no_new_privs"},
    "rootless": {"user", "pid", "mount", "net", "ipc", "uts", "seccomp", "landlock", "rlimits", "memory-watch"},
    "landlock": {"seccomp", "landlock", "rlimits", "no_new_privs", "memory-watch"},
}


def test_every_outcome_states_its_level_and_layers(box: Sandbox, level: str) -> None:
    outcome = box.run("print(1)", language="python")
    assert outcome.level == box.level == level
    assert outcome.layers == box.layers
    assert set(outcome.layers) >= LAYERS[level]
    assert any(layer.startswith("cgroup") for layer in outcome.layers) == (level == "full")
    assert ("user" in outcome.layers) == (level != "landlock")


def test_a_level_that_is_not_to_be_had_names_the_layer(tmp_path: Path) -> None:
    with only(CGROUP=tmp_path), Sandbox(1, "full") as box:
        with pytest.raises(codejury.LevelUnavailable) as caught:
            box.run("print(1)", language="python")
        assert (caught.value.level, caught.value.layer) == ("full", "cgroup")
        assert str(tmp_path) in caught.value.reason
        assert str(caught.value).startswith("level 'full' is not to be had on this host: cgroup: ")
        with pytest.raises(codejury.LevelUnavailable):  # and again, rather than something weaker
            box.run("print(1)", language="python")


def test_a_level_by_setting_is_not_weakened(tmp_path: Path) -> None:
    with only(CGROUP=tmp_path, LEVEL="full"), Sandbox(1) as box, pytest.raises(codejury.LevelUnavailable):
        box.prepare()


def test_auto_takes_the_next_level(tmp_path: Path) -> None:
    with only(CGROUP=tmp_path), Sandbox(1) as box:
        assert box.level in ("rootless", "landlock")
        assert out(box.run("print(1)", language="python")) == "1\n"


@pytest.mark.parametrize("level", ["nonsense", "", "FULL"])
def test_a_level_that_does_not_exist(level: str) -> None:
    with pytest.raises(codejury.SettingsError, match="expected auto, full, rootless, landlock"):
        Sandbox(1, level)
    with only(LEVEL=level), pytest.raises(codejury.SettingsError, match="CODEJURY_LEVEL"):
        Sandbox(1)


def test_what_is_given_goes_before_the_environment(make_box: Make) -> None:
    box = make_box("landlock", workers=1, settings={"LEVEL": "full", "WORKERS": "3", "PRELOAD": "colorsys"}, preload=[])
    assert (box.level, box.workers) == ("landlock", 1)
    assert out(box.run("import sys; print('colorsys' in sys.modules)", language="python")) == "False\n"


def test_the_environment_goes_before_the_default(make_box: Make) -> None:
    with only(LEVEL="landlock", WORKERS="3"), Sandbox() as box:
        try:
            assert (box.level, box.workers) == ("landlock", 3)
        except codejury.LevelUnavailable as error:
            pytest.skip(str(error))


def test_the_temporary_directory_of_the_level_landlock(make_box: Make, tmp_path: Path) -> None:
    place = tmp_path / "temp place"
    place.mkdir()
    with make_box("landlock", workers=1, settings={"TEMP": place}) as box:
        assert out(box.run("import os; print(os.getcwd())", language="python")).startswith(f"{place}/")
    assert list(place.iterdir()) == []


# ── Languages ────────────────────────────────────────────────────────────────────────────────────────────────────────

STAMPED = """
[stamped]
extensions = ["stamped"]
source = "main.stamped"
tools = { sh = ["/bin/sh"] }
compile = ["{sh}", "-c", "cat /proc/sys/kernel/random/uuid main.stamped >stamp"]
artifacts = ["stamp"]
run = ["{sh}", "-c", "cat stamp"]
version = ["{sh}", "-c", "echo 1"]
"""


def stamping(place: Path) -> Path:
    """A language whose compiler never makes the same thing twice."""
    path = place / "stamped.toml"
    path.write_text(STAMPED)
    return path


def entries(cache: Path) -> set[str]:
    return {str(path.relative_to(cache)) for path in cache.rglob("*") if path.is_file()}


def test_the_same_source_is_compiled_once(make_box: Make, tmp_path: Path) -> None:
    cache, other = tmp_path / "cache", tmp_path / "other"
    language = stamping(tmp_path)

    def stamps(cache: Path) -> list[str]:
        with make_box(settings={"CACHE": cache}, languages=[language]) as box:
            return [out(box.run(source, language="stamped")) for source in ("a", "a", "b")]

    first = stamps(cache)
    kept = entries(cache)
    assert len(kept) >= 2
    assert first[0] == first[1] != first[2]
    assert stamps(cache) == first  # in a sandbox that has never seen the compiler
    assert entries(cache) == kept
    assert stamps(other)[0] != first[0]


def test_files_beside_the_source_are_part_of_what_is_compiled(make_box: Make, tmp_path: Path) -> None:
    box = make_box(languages=[stamping(tmp_path)])
    one = out(box.run("s", language="stamped", files={"h": "1"}))
    assert one != out(box.run("s", language="stamped", files={"h": "2"}))
    assert one == out(box.run("s", language="stamped", files={"h": "1"}))


@needs_gcc
def test_a_compiled_program_is_kept_and_found_again(make_box: Make, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    source = '#include <stdio.h>\nint main(void) { int a, b; scanf("%d %d", &a, &b); printf("%d\\n", a + b); }'
    with make_box(settings={"CACHE": cache}) as box:
        assert out(box.run(source, language="c", stdin="2 3")) == "5\n"
        kept = entries(cache)
        assert kept
        assert out(box.run(source, language="c", stdin="20 30")) == "50\n"
        assert entries(cache) == kept
        assert out(box.run(source + "\n", language="c", stdin="1 1")) == "2\n"
        assert entries(cache) > kept


@needs_gcc
def test_the_compilers_words(box: Sandbox) -> None:
    outcome = box.run("int main(void) { return undeclared; }", language="c")
    assert (outcome.status, outcome.exit_code, outcome.stdout) == ("compile_error", 1, b"")
    assert b"main.c:1" in outcome.stderr
    assert b"undeclared" in outcome.stderr
    assert outcome == box.run("int main(void) { return undeclared; }", language="c")  # from what was kept


@needs_gcc
def test_the_caller_says_how_long_a_compiler_may_take(best: Sandbox) -> None:
    unique = os.urandom(8).hex()  # nobody has compiled it yet
    source = f"#include <iostream>\nint main() {{ std::cout << 42; }}\n// {unique}\n"
    outcome = best.run_job(Job(source=source, language="cpp", compile_s=0.01))
    assert (outcome.status, outcome.exit_code) == ("compile_error", None)
    assert b"the compiler ended with" in outcome.stderr
    assert best.run_job(Job(source=source, language="cpp")).stdout == b"42"  # what was cut short is not kept


@needs_gcc
def test_a_compiler_without_end_is_a_compile_error(best: Sandbox) -> None:
    outcome = best.run('#include "/dev/zero"\nint main(void) { return 0; }', language="c")
    assert outcome.status == "compile_error"


def test_the_language_of_a_file(best: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("print('from a file')")
    (tmp_path / "a.sh").write_text("echo from the shell")
    assert out(best.run(tmp_path / "a.py")) == "from a file\n"
    assert out(best.run(tmp_path / "a.sh")) == "from the shell\n"


def test_the_language_of_a_text(best: Sandbox) -> None:
    assert out(best.run("import sys\nfor line in sys.stdin:\n    print(int(line) * 2)", stdin="21\n")) == "42\n"
    assert out(best.run("#!/bin/bash\necho $((6 * 7))\n")) == "42\n"


@needs_gcc
def test_the_language_of_a_c_text(best: Sandbox) -> None:
    assert out(best.run('#include <stdio.h>\nint main(void) { printf("%d\\n", 6 * 7); return 0; }')) == "42\n"


def test_a_file_that_is_not_there(best: Sandbox, tmp_path: Path) -> None:
    with pytest.raises(codejury.UsageError, match=r"missing\.py: No such file"):
        best.run(tmp_path / "missing.py")


@pytest.mark.parametrize(("name", "meant"), [("pyhton", "python"), ("javascrpt", "javascript"), ("c+++", "c")])
def test_an_unknown_language_is_answered_with_what_was_meant(best: Sandbox, name: str, meant: str) -> None:
    with pytest.raises(codejury.UnknownLanguage, match=f"did you mean .*{meant}"):
        best.run("x", language=name)


def test_a_text_of_no_language(best: Sandbox) -> None:
    with pytest.raises(codejury.UnknownLanguage):
        best.run("once upon a time")


def test_names_and_aliases_without_regard_to_case(best: Sandbox) -> None:
    assert [out(best.run("print(1)", language=name)) for name in ("Python", "py", "PYTHON3", " python ")] == ["1\n"] * 4


def test_languages_of_the_user(make_box: Make, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        """
        [shout]
        extensions = ["shout"]
        source = "main.shout"
        tools = { sh = ["/bin/sh"] }
        run = ["{sh}", "-c", "tr a-z A-Z <main.shout; echo \\"$@\\"", "sh"]
        version = ["{sh}", "-c", "echo 1"]
        env = { MINE = "x" }
        """
    )
    for box in (make_box(languages=[path]), make_box(settings={"LANGUAGES": path})):
        assert out(box.run("hello ", language="shout", args=["a", "b"])) == "HELLO a b\n"
        (tmp_path / "f.shout").write_text("from a file ")
        assert out(box.run(tmp_path / "f.shout")) == "FROM A FILE \n"
        assert out(box.run("print(1)", language="python")) == "1\n"


def test_a_language_of_the_user_that_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "broken.toml"
    with pytest.raises(codejury.SettingsError, match=r"broken\.toml"):
        Sandbox(1, languages=[path])
    path.write_text("[x")
    with pytest.raises(codejury.SettingsError, match=r"broken\.toml"):
        Sandbox(1, languages=[path])
    path.write_text("[x]\nsource = 'x'\n")
    with only(LANGUAGES=path), pytest.raises(codejury.SettingsError, match=r"broken\.toml.*\[x\]"):
        Sandbox(1)


def test_a_language_without_its_tools(make_box: Make, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(STAMPED.replace("/bin/sh", "/no/such/compiler"))
    box = make_box(languages=[path])
    with pytest.raises(codejury.LanguageUnavailable, match="/no/such/compiler"):
        box.run("x", language="stamped")
    assert out(box.run("print(1)", language="python")) == "1\n"


# ── Python and what waits in it ──────────────────────────────────────────────────────────────────────────────────────

LOADED = "import sys; print(*(name in sys.modules for name in ('colorsys', 'this_is_not_a_module')))"


def test_modules_wait_ready_imported(make_box: Make) -> None:
    with make_box(workers=1, preload=["colorsys", "this_is_not_a_module"]) as box:
        assert out(box.run(LOADED, language="python")) == "True False\n"
        assert out(box.run(LOADED, language="python", fresh=True)) == "False False\n"
    with make_box(workers=1, settings={"PRELOAD": "colorsys"}) as box:
        assert out(box.run(LOADED, language="python")) == "True False\n"
    with make_box(workers=1, preload=[]) as box:
        assert out(box.run(LOADED, language="python")) == "False False\n"


def test_a_module_that_fails_at_import_is_passed_over(make_box: Make, tmp_path: Path) -> None:
    import venv

    venv.EnvBuilder(symlinks=True).create(tmp_path / "env")
    (packages,) = tmp_path.glob("env/lib/python3*/site-packages")
    (packages / "failing.py").write_text("raise RuntimeError('at import')")
    (packages / "exiting.py").write_text("raise SystemExit(3)")
    (packages / "talking.py").write_text("import sys; print('talk'); print('talk', file=sys.stderr)")
    preload = ["failing", "exiting", "talking", "colorsys"]
    with make_box(workers=1, python=tmp_path / "env" / "bin" / "python3", preload=preload) as box:
        outcome = box.run(LOADED, language="python")
        assert (outcome.status, outcome.stdout, outcome.stderr) == ("ok", b"True False\n", b"")


@pytest.mark.skipif(not os.path.exists("/usr/bin/python3"), reason="there is no /usr/bin/python3")
def test_another_interpreter(make_box: Make) -> None:
    ask = [
        sys.executable,
        "-c",
        "import subprocess; subprocess.run(['/usr/bin/python3', '-c', 'import sys; print(sys.version)'])",
    ]
    version = subprocess.run(ask, capture_output=True, text=True, check=True).stdout
    for box in (make_box(python="/usr/bin/python3"), make_box(settings={"PYTHON": "/usr/bin/python3"})):
        for fresh in (False, True):
            assert out(box.run("import sys; print(sys.version)", language="python", fresh=fresh)) == version


# ── Nothing survives from one run to the next ────────────────────────────────────────────────────────────────────────

LEAVE = """
import builtins, ctypes, gc, json, math, os, random, resource, signal, sys, threading, time, warnings
left = []
def attempt(action):
    try:
        action()
        left.append(action)
    except OSError:
        pass
for place in ('.', os.environ['TMPDIR'], os.environ['HOME'], '/dev/shm', '/tmp', '/box/run', '/var/tmp'):
    attempt(lambda: open(os.path.join(place, 'left-behind'), 'w').write('x'))
    attempt(lambda: os.makedirs(os.path.join(place, 'left/deep/behind')))
attempt(lambda: os.chmod('left', 0))
os.environ['LEFT'] = os.environ['PATH'] = 'left'
os.putenv('LEFT_TOO', 'x')
os.umask(0o777)
attempt(lambda: os.chdir('/'))
attempt(lambda: os.nice(19))
resource.setrlimit(resource.RLIMIT_NOFILE, (20, 20))
signal.signal(signal.SIGTERM, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
signal.alarm(1000)
builtins.print = builtins.left = json.dumps = math.pi = lambda *a, **k: None
sys.modules['left'] = sys
sys.path.append('/left'); sys.setrecursionlimit(123456); sys.left = 1
sys.stdin = sys.stdout = None
random.seed(5); gc.disable(); warnings.simplefilter('error'); threading.stack_size(1 << 20)
ctypes.CDLL(None).shmget(4711, 4096, 0o1666)
if os.fork() == 0:
    attempt(os.setsid)
    while True: time.sleep(60)
os.write(1, b'left %d' % len(left))
os._exit(0)
"""
LOOK = """
import builtins, ctypes, gc, glob, json, math, os, random, resource, signal, sys, threading, warnings
found = []
def see(what, fine):
    if not fine: found.append(what)
places = ('.', os.environ['TMPDIR'], os.environ['HOME'], '/dev/shm', '/tmp', '/box/run', '/var/tmp')
see('files', not [path for place in places for path in glob.glob(os.path.join(place, 'left*'))])
see('environment', not [name for name in os.environ if name.startswith('LEFT')] and os.environ['PATH'] != 'left')
see('environment of libc', not ctypes.CDLL(None).getenv(b'LEFT_TOO'))
see('working directory', os.listdir() == ['main.py'])
see('umask', os.umask(0o22) == 0o22)
see('priority', os.nice(0) < 19)
see('limits', resource.getrlimit(resource.RLIMIT_NOFILE)[0] > 20)
see('signals', signal.getsignal(signal.SIGTERM) == signal.SIG_DFL)
see('mask', not signal.pthread_sigmask(signal.SIG_BLOCK, []))
see('alarm', signal.alarm(0) == 0)
see('builtins', not hasattr(builtins, 'left') and print.__module__ == 'builtins')
see('modules', 'left' not in sys.modules and json.dumps([1]) == '[1]' and 3 < math.pi < 4)
see('path', '/left' not in sys.path and sys.getrecursionlimit() == 1000 and not hasattr(sys, 'left'))
see('gc', gc.isenabled())
see('warnings', not [f for f in warnings.filters if f[0] == 'error'])
see('threads', threading.stack_size() == 0)
see('random', random.random() != random.Random(5).random())
see('shared memory', ctypes.CDLL(None).shmget(4711, 4096, 0) == -1)
if os.getpid() == 2:
    see('processes', sorted(int(n) for n in os.listdir('/proc') if n.isdigit()) == [1, 2])
print(found)
"""


@pytest.fixture
def single(level: str, make_box: Make) -> Sandbox:
    return make_box(level, workers=1)


@pytest.mark.parametrize("leaving", [False, True], ids=["left_warm", "left_fresh"])
def test_nothing_survives(single: Sandbox, leaving: bool) -> None:
    for _ in range(2):
        left = single.run(LEAVE, language="python", fresh=leaving)
        assert left.ok, left
        assert left.stdout.startswith(b"left ")
        assert int(left.stdout.split()[1]) >= 6  # or nothing was tried
        for fresh in (False, True):
            assert out(single.run(LOOK, language="python", fresh=fresh)) == "[]\n"


def test_nothing_survives_a_killed_run(single: Sandbox) -> None:
    endless = LEAVE.replace("os._exit(0)", "while True: time.sleep(60)")
    killed = single.run(endless, language="python", limits=Limits(cpu_s=60, wall_s=0.5))
    assert killed.status == "wall_limit_exceeded"
    assert killed.stdout.startswith(b"left ")
    assert out(single.run(LOOK, language="python")) == "[]\n"


# ── Large runtimes under a limit of 1 GB ─────────────────────────────────────────────────────────────────────────────

GIGABYTE = Limits(cpu_s=60, wall_s=300, memory_mb=1024)
RUNTIMES = {
    "numpy": (
        "python",
        """
import threading
import numpy as np
a = np.ones((600, 600))
sums = []
def work():
    sums.append(int((a @ a).sum()))
threads = [threading.Thread(target=work) for _ in range(8)]
for t in threads: t.start()
for t in threads: t.join()
print(len(np.zeros(20_000_000)), set(sums))
""",
        "20000000 {216000000}\n",
    ),
    "java": (
        "java",
        """
public class Main {
    public static void main(String[] args) throws Exception {
        byte[][] heap = new byte[300][];
        for (int i = 0; i < heap.length; i++) { heap[i] = new byte[1 << 20]; heap[i][i] = 1; }
        Thread[] threads = new Thread[8];
        int[] done = new int[8];
        for (int i = 0; i < 8; i++) {
            int n = i;
            threads[i] = new Thread(() -> done[n] = heap[n][n]);
            threads[i].start();
        }
        int sum = 0;
        for (int i = 0; i < 8; i++) { threads[i].join(); sum += done[i]; }
        System.out.println(heap.length + " " + sum);
    }
}
""",
        "300 8\n",
    ),
    "node": (
        "javascript",
        """
const parts = [];
for (let i = 0; i < 200; i++) parts.push(Buffer.alloc(1 << 20, i % 256));
const list = [];
for (let i = 0; i < 2000000; i++) list.push({ i });
Promise.all([1, 2, 3].map(async n => n * 2)).then(all => console.log(parts.length, list.length, all.join()));
""",
        "200 2000000 2,4,6\n",
    ),
    "go": (
        "go",
        """
package main

import "fmt"

func main() {
	done := make(chan int)
	for i := 0; i < 100; i++ {
		go func(n int) { b := make([]byte, 1<<20); b[n] = 1; done <- int(b[n]) }(i)
	}
	sum := 0
	for i := 0; i < 100; i++ {
		sum += <-done
	}
	fmt.Println(sum)
}
""",
        "100\n",
    ),
    "rust": (
        "rust",
        """
use std::thread;
fn main() {
    let sum = |n: u8| vec![n; 10 << 20].iter().map(|&x| x as u64).sum::<u64>();
    let all: Vec<_> = (0..16).map(|n| thread::spawn(move || sum(n))).collect();
    println!("{}", all.into_iter().map(|t| t.join().unwrap()).sum::<u64>());
}
""",
        "1258291200\n",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNTIMES)
def test_large_runtimes_work_under_1_gb(box: Sandbox, name: str) -> None:
    language, source, expected = RUNTIMES[name]
    if name == "numpy":
        pytest.importorskip("numpy")
    try:
        outcome = box.run(source, language=language, limits=GIGABYTE)
    except codejury.LanguageUnavailable as error:
        pytest.skip(str(error))
    assert (outcome.status, outcome.stdout.decode()) == ("ok", expected), outcome


@pytest.mark.slow
def test_numpy_in_a_new_interpreter_under_1_gb(box: Sandbox) -> None:
    pytest.importorskip("numpy")
    language, source, expected = RUNTIMES["numpy"]
    assert out(box.run(source, language=language, limits=GIGABYTE, fresh=True)) == expected


# ── The same verdicts however busy ───────────────────────────────────────────────────────────────────────────────────

BURN = "import time\nend = time.process_time() + {}\nwhile time.process_time() < end: pass\nprint('done')"
C_SUM = '#include <stdio.h>\nint main(void) { long a, b; scanf("%ld %ld", &a, &b); printf("%ld\\n", a + b); }'
C_CRASH = "#include <stdlib.h>\nint main(void) { volatile int *p = 0; return *p; }"
C_LOOP = "int main(void) { for (volatile unsigned n = 0;; n++); }"
# kind -> (how many of a hundred, job, status)
KINDS: dict[str, tuple[int, Job, str]] = {
    "quick": (30, python("a, b = map(int, input().split()); print(a + b)", stdin="2 3"), "ok"),
    "quick_c": (20, Job(source=C_SUM, language="c", stdin="2 3", limits=AMPLE), "ok"),
    "slow": (14, python(BURN.format(0.05), limits=Limits(cpu_s=5)), "ok"),
    "sleeping_a_little": (4, python("import time; time.sleep(0.1)", limits=Limits(cpu_s=0.5, wall_s=20)), "ok"),
    "failing": (6, python("print([][0])"), "runtime_error"),
    "crashing": (3, python("import os; os.abort()"), "runtime_error"),
    "crashing_c": (4, Job(source=C_CRASH, language="c", limits=AMPLE), "runtime_error"),
    "cpu": (3, python("while True: pass", limits=Limits(cpu_s=0.2)), "time_limit_exceeded"),
    "cpu_c": (2, Job(source=C_LOOP, language="c", limits=Limits(cpu_s=0.2)), "time_limit_exceeded"),
    "wall": (4, python("import time; time.sleep(1000)", limits=Limits(cpu_s=5, wall_s=0.2)), "wall_limit_exceeded"),
    "memory": (
        5,
        python("x = []\nwhile True: x.append(b'x' * (1 << 20))", limits=Limits(memory_mb=64, wall_s=300)),
        "memory_limit_exceeded",
    ),
    "flood": (5, python("while True: print('x' * 1000)", limits=Limits(output_mb=0.25)), "output_limit_exceeded"),
}
RUNS = int(os.environ.get("CODEJURY_TEST_RUNS", "600"))  # at the strongest level; a third of them at the others


def mixture(runs: int) -> list[str]:
    """Kinds in a fixed order that mixes them well, in their proportions."""
    hundred = [name for name, (share, _, _) in KINDS.items() for _ in range(share)]
    assert len(hundred) == 100
    return [hundred[(n * 37) % 100] for n in range(runs)]


@pytest.mark.slow
@needs_gcc
@pytest.mark.timeout(900)
def test_statuses_are_the_same_one_at_a_time_and_sixteen_at_a_time(make_box: Make, best: Sandbox, level: str) -> None:
    names = mixture(RUNS if level == best.level else RUNS // 3)
    expected = [KINDS[name][2] for name in names]
    for workers in (1, 16):
        with make_box(level, workers=workers) as box:
            found = [outcome.status for outcome in box.run_many(KINDS[name][1] for name in names)]
        wrong = Counter((name, got) for name, got, want in zip(names, found, expected, strict=True) if got != want)
        assert wrong == {}, f"{workers} at a time"
