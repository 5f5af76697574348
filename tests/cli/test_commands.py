"""The commands as a user calls them: real processes, their output, their exit codes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PYTHON_SUM = "a, b = map(int, input().split())\nprint(a + b)\n"


def codejury(*args: str, stdin: bytes = b"", env: dict[str, str] | None = None) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "codejury.cli", *args],
        input=stdin,
        capture_output=True,
        env={**os.environ, **(env or {})},
        timeout=240,
    )


@pytest.fixture
def program(tmp_path: Path):
    def write(text: str, name: str = "main.py") -> str:
        path = tmp_path / name
        path.write_text(text)
        return str(path)

    return write


def test_run_passes_output_and_exit_code_through(program):
    done = codejury("run", program("import sys\nprint('out')\nprint('err', file=sys.stderr)\nsys.exit(7)\n"))
    assert (done.stdout, done.stderr, done.returncode) == (b"out\n", b"err\n", 7)


def test_run_hands_in_stdin_from_a_file_and_from_our_own(program, tmp_path):
    (tmp_path / "in.txt").write_bytes(b"20 22\n")
    file = program(PYTHON_SUM)
    assert codejury("run", file, "--stdin", str(tmp_path / "in.txt")).stdout == b"42\n"
    assert codejury("run", file, "--stdin", "-", stdin=b"1 2\n").stdout == b"3\n"


def test_run_gives_the_program_its_arguments(program):
    file = program("import sys\nprint(sys.argv[1:])\n")
    assert codejury("run", file, "--", "a", "--time", "b c").stdout == b"['a', '--time', 'b c']\n"


def test_run_signal_becomes_128_plus_its_number(program):
    assert codejury("run", program("import os\nos.kill(os.getpid(), 15)\n")).returncode == 128 + 15


def test_run_says_which_limit_stopped_the_program(program):
    done = codejury("run", program("while True: pass\n"), "--time", "0.3")
    assert done.returncode == 137
    assert b"CPU time" in done.stderr


def test_run_compile_error_shows_the_compilers_words(program):
    done = codejury("run", program("int main() { return undeclared; }\n", "main.c"))
    assert done.returncode == 1
    assert b"undeclared" in done.stderr


def test_run_json_is_one_object_with_every_field_of_the_outcome(program):
    done = codejury("run", program("import sys\nsys.stdout.buffer.write(b'\\xff\\n')\n"), "--json")
    row = json.loads(done.stdout)
    assert done.returncode == 0
    assert row["status"] == "ok"
    assert row["stdout_base64"] == "/wo="
    assert {"exit_code", "signal", "stderr", "cpu_s", "wall_s", "memory_mb", "level", "layers"} <= set(row)
    assert "seccomp" in row["layers"]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("run", "no-such-file.py"), b"no-such-file.py"),
        (("run", "{file}", "--stdin", "no-such-input"), b"no-such-input"),
        (("run", "{file}", "--language", "pythn"), b"did you mean"),
        (("run", "{file}", "--time", "-1"), b"cpu_s"),
        (("run", "{file}", "--memory", "many"), b"many"),
        (("run", "{file}", "--level", "strongest"), b"strongest"),
        (("frobnicate",), b"frobnicate"),
        (("bench", "--runs", "0"), b"runs"),
    ],
)
def test_bad_input_is_named_and_ends_with_2(program, args, words):
    file = program("print(1)\n")
    done = codejury(*(arg.replace("{file}", file) for arg in args))
    assert done.returncode == 2
    assert words in done.stderr
    assert b"Traceback" not in done.stderr


def test_bad_setting_is_named(program):
    done = codejury("run", program("print(1)\n"), env={"CODEJURY_WORKERS": "lots"})
    assert done.returncode == 2
    assert b"CODEJURY_WORKERS" in done.stderr


def test_level_that_cannot_be_had_says_which_layer_and_why(program, tmp_path):
    done = codejury("run", program("print(1)\n"), "--level", "full", env={"CODEJURY_CGROUP": str(tmp_path)})
    assert done.returncode == 3
    assert b"full" in done.stderr
    assert b"cgroup" in done.stderr


def test_doctor_tells_levels_as_they_are():
    done = codejury("doctor", "--json", "--no-languages")
    report = json.loads(done.stdout)
    assert done.returncode == 0
    assert [level["level"] for level in report["levels"]] == ["full", "rootless", "landlock"]
    available = [level["level"] for level in report["levels"] if level["available"]]
    assert report["chosen"] == available[0]
    for level in report["levels"]:
        assert level["layers"] if level["available"] else level["reason"]
        # the truth of it: the level can be had by a run exactly when doctor says so
        run = codejury("run", __file__, "--language", "bash", "--level", level["level"])
        assert (run.returncode == 3) is not level["available"]


def test_doctor_for_people_names_every_language():
    done = codejury("doctor")
    text = done.stdout.decode()
    assert done.returncode == 0
    assert re.search(r"^  yes  python ", text, re.M)
    for name in ("rust", "swift", "haskell", "cpp23"):
        assert re.search(rf"^  (yes|no |-  )  {name} ", text, re.M)


def test_bench_measures_in_turns_and_gives_ratios():
    done = codejury("bench", "--runs", "3", "--json")
    assert done.returncode == 0, done.stderr
    speed = json.loads(done.stdout)
    for program in ("python", "cpp"):
        ways = {way["name"]: way for way in speed[program]}
        assert ways["bare"]["ratio_to_bare"] == 1.0
        assert ways["codejury"]["median_ms"] > 0
    assert {one["program"] for one in speed["throughput"]} == {"python", "cpp"}


def test_interrupt_ends_with_130_and_leaves_nothing(program, tmp_path):
    import signal
    import time

    marker = f"codejury-interrupt-{os.getpid()}"
    file = program(f"import time\nprint('{marker}', flush=True)\ntime.sleep(600)\n")
    child = subprocess.Popen(
        [sys.executable, "-m", "codejury.cli", "run", file, "--time", "100", "--wall", "600"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    keepers = _wait_for_descendant(child.pid, "python")
    os.killpg(child.pid, signal.SIGINT)
    _, stderr = child.communicate(timeout=60)
    assert child.returncode == 130
    assert b"interrupted" in stderr
    assert b"Traceback" not in stderr
    end = time.monotonic() + 60  # the last of them is reaped by another process
    while left := [pid for pid in keepers if os.path.exists(f"/proc/{pid}")]:
        assert time.monotonic() < end, left
        time.sleep(0.05)


def _descendants(pid: int) -> list[int]:
    try:
        children = [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []
    return [*children, *(below for child in children for below in _descendants(child))]


def _wait_for_descendant(pid: int, name: str) -> list[int]:
    """Until the sandbox below `pid` has a process of that name: then the program is at least about to run."""
    import time

    for _ in range(3000):
        below = _descendants(pid)
        for one in below:
            try:
                if name in Path(f"/proc/{one}/comm").read_text():
                    return below
            except OSError:
                continue
        time.sleep(0.01)
    raise AssertionError(f"no {name} below {pid}")


@pytest.mark.parametrize("command", [(), ("run",), ("doctor",), ("bench",)])
def test_help_teaches(command):
    done = codejury(*command, "--help")
    assert done.returncode == 0
    assert b"codejury" in done.stdout
    assert re.search(rb"codejury (run|doctor|bench)", done.stdout)
