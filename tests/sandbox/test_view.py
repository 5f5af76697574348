"""What of the host a program can see: what the interpreter needs, and nothing around it, wherever it lives."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable
from pathlib import Path

import pytest

import codejury
from codejury.errors import LanguageUnavailable
from codejury.sandbox import interpreter, view, worker

Make = Callable[..., codejury.Sandbox]
INSIDE = ("full", "rootless")  # where there is a root of our own
SYSTEM_PYTHON = Path("/usr/bin/python3")


def seen(box: codejury.Sandbox, program: str, *, fresh: bool = False) -> object:
    outcome = box.run(f"import json, os, sys\nprint(json.dumps({program}))", language="python", fresh=fresh)
    assert outcome.ok, outcome.stderr
    return json.loads(outcome.stdout)


def shown() -> list[Path]:
    """What a worker for Python alone must have of the host, beyond the system's directories."""
    reads = [*interpreter.find().reads, worker._NATIVE / "box.so", worker._ZYGOTE]
    return view.outermost(path for path in reads if path.exists())


# -- a root of our own


@pytest.fixture(params=INSIDE)
def rooted(request: pytest.FixtureRequest, box_of: Callable[[str], codejury.Sandbox]) -> codejury.Sandbox:
    return box_of(request.param)


def test_the_top_level_is_exactly_what_is_expected(rooted: codejury.Sandbox) -> None:
    system = {name.strip("/") for name in view.SYSTEM if os.path.lexists(name)}
    interpreters = {path.parts[1] for path in shown()}
    interpreters |= {"shown"} if "tmp" in interpreters else set()
    assert set(seen(rooted, "os.listdir('/')")) == system | interpreters | {"box", "dev", "etc", "proc", "tmp"}


def test_links_of_the_top_level_stay_links(rooted: codejury.Sandbox) -> None:
    links = {name: os.readlink(name) for name in view.SYSTEM if os.path.islink(name)}
    assert seen(rooted, f"{{n: os.readlink(n) for n in {list(links)}}}") == links


def test_outside_of_the_system_only_ways_to_what_is_shown(rooted: codejury.Sandbox) -> None:
    """Every path that can be reached is shown itself, or leads there: no home, no project around it."""
    program = """
def walk(top, stop):
    found = []
    for folder, folders, files in os.walk(top):
        found += [os.path.join(folder, name) for name in folders + files]
        folders[:] = [name for name in folders if os.path.join(folder, name) not in stop]
    return found
"""
    tops = [f"/{name}" for name in {path.parts[1] for path in shown()} - {"usr", "etc"}]
    stops = [str(path) for path in shown()]
    source = f"import json, os\n{program}\nprint(json.dumps([p for top in {tops} for p in walk(top, set({stops}))]))"
    outcome = rooted.run(source, language="python")
    assert outcome.ok, outcome.stderr
    allowed = {str(path) for path in shown()} | {str(parent) for path in shown() for parent in path.parents}
    assert set(json.loads(outcome.stdout)) <= allowed


def test_of_the_project_only_the_two_files(rooted: codejury.Sandbox, root: Path) -> None:
    """The lock-down and the waiting interpreter's script; .venv only because this Python lives there."""
    here = Path(codejury.__file__).parent
    names = seen(rooted, f"[os.path.join(f, n) for f, _, ns in os.walk({str(here)!r}) for n in ns]")
    assert set(names) == {str(worker._NATIVE / "box.so"), str(worker._ZYGOTE)}  # type: ignore[call-overload]
    beside = {"pyproject.toml", "tests", "native", ".git"}
    assert not beside & set(seen(rooted, f"os.listdir({str(root)!r}) if os.path.isdir({str(root)!r}) else []"))  # type: ignore[call-overload]


def test_dev_has_the_harmless_devices_only(rooted: codejury.Sandbox) -> None:
    names = {path.removeprefix("/dev/") for path in view.DEVICES if os.path.exists(path)}
    assert set(seen(rooted, "os.listdir('/dev')")) == names | {"fd", "stdin", "stdout", "stderr", "shm"}  # type: ignore[call-overload]


def test_etc_has_a_handful_of_files(rooted: codejury.Sandbox) -> None:
    expected = {path.split("/")[2] for path in (*view._ETC_BINDS, *view._ETC_COPIES) if os.path.exists(path)}
    expected |= {path.split("/")[2] for path in view._ETC_MADE}
    assert set(seen(rooted, "os.listdir('/etc')")) == expected  # type: ignore[call-overload]


def test_accounts_are_made_up(rooted: codejury.Sandbox) -> None:
    assert seen(rooted, "open('/etc/passwd').read()") == view._ETC_MADE["/etc/passwd"]
    assert seen(rooted, "__import__('pwd').getpwuid(os.getuid()).pw_name") == "program"


def test_processes_are_those_of_the_run(rooted: codejury.Sandbox) -> None:
    """Its init and itself, and nobody of the worker or the host."""
    pids = seen(rooted, "sorted(int(n) for n in os.listdir('/proc') if n.isdigit())")
    assert pids == [1, 2]


def test_the_root_is_read_only(rooted: codejury.Sandbox) -> None:
    places = ["/", "/etc", "/usr", "/box", "/dev", *(str(path) for path in shown() if path.is_dir())]
    source = f"""
import json, os
written = []
for place in {places}:
    try:
        open(os.path.join(place, 'new'), 'w')
        written.append(place)
    except OSError:
        pass
print(json.dumps(written))
"""
    outcome = rooted.run(source, language="python")
    assert outcome.ok, outcome.stderr
    assert json.loads(outcome.stdout) == []


# -- every level


def test_home_and_project_are_closed(box: codejury.Sandbox, root: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    secret.chmod(0o644)
    home = Path(os.path.expanduser("~"))
    paths = [str(path) for path in (secret, root / "pyproject.toml", Path(__file__), home / ".bashrc", "/etc/shadow")]
    source = f"""
import json
got = []
for path in {paths}:
    try:
        got.append(open(path).read())
    except OSError:
        pass
print(json.dumps(got))
"""
    outcome = box.run(source, language="python")
    assert outcome.ok, outcome.stderr
    assert json.loads(outcome.stdout) == []


def test_home_cannot_be_listed_around_the_interpreter(box: codejury.Sandbox, root: Path) -> None:
    """A home directory that holds the interpreter shows no more than the way to it."""
    ways = {path.parts[: len(root.parts) + 1][-1] for path in shown() if root in path.parents}
    outcome = box.run(
        f"import os\ntry:\n    print(*os.listdir({str(root)!r}))\nexcept OSError:\n    pass", language="python"
    )
    assert outcome.ok, outcome.stderr
    assert set(outcome.stdout.decode().split()) <= ways


def test_the_interpreter_is_the_one_that_runs_us(box: codejury.Sandbox) -> None:
    for fresh in (False, True):
        assert seen(box, "[sys.prefix, sys.base_prefix, sys.version]", fresh=fresh) == [
            sys.prefix,
            sys.base_prefix,
            sys.version,
        ]


def test_its_packages_are_readable(box: codejury.Sandbox) -> None:
    import msgspec

    for fresh in (False, True):
        assert seen(box, "__import__('msgspec').__file__", fresh=fresh) == msgspec.__file__


# -- other interpreters, wherever they live

NAMES = ["plain", "with space", "żółw 🐢", 'quote\'d "and" $HOME', "two\nlines"]


def make_venv(place: Path) -> Path:
    venv.EnvBuilder(with_pip=False, symlinks=True).create(place)
    (package,) = place.glob("lib/python3*/site-packages")
    (package / "only_here.py").write_text("where = __file__\n")
    return place / "bin" / "python3"


def check(box: codejury.Sandbox, prefix: Path, *, package: bool = True) -> None:
    for fresh in (False, True):
        assert seen(box, "[sys.prefix, sys.executable]", fresh=fresh) == [str(prefix), str(prefix / "bin" / "python3")]
        if package:
            where = seen(box, "__import__('only_here').where", fresh=fresh)
            assert str(where).startswith(f"{prefix}{os.sep}")


@pytest.mark.parametrize("name", NAMES)
def test_a_virtual_environment_anywhere(make_box: Make, tmp_path: Path, level: str, name: str) -> None:
    python = make_venv(tmp_path / name)
    with make_box(level, workers=1, python=python) as box:
        check(box, tmp_path / name)


def test_a_virtual_environment_through_a_linked_prefix(make_box: Make, tmp_path: Path, level: str) -> None:
    make_venv(tmp_path / "real")
    (tmp_path / "link").symlink_to("real")
    with make_box(level, workers=1, python=tmp_path / "link" / "bin" / "python3") as box:
        check(box, tmp_path / "link")


def test_a_virtual_environment_outside_of_tmp(make_box: Make, level: str) -> None:
    """/tmp is a place of its own inside; somewhere else is where real ones live."""
    place = Path(os.path.expanduser("~")) / f".codejury-test-{os.getpid()}"
    try:
        place.mkdir()
    except OSError as error:
        pytest.skip(f"{place}: {error.strerror}")
    try:
        with make_box(level, workers=1, python=make_venv(place / "some env")) as box:
            check(box, place / "some env")
            (place / "beside.txt").write_text("secret")
            outcome = box.run(f"open({str(place / 'beside.txt')!r})", language="python")
            assert outcome.status == "runtime_error"
    finally:
        shutil.rmtree(place)


def test_a_link_to_an_interpreter(make_box: Make, tmp_path: Path, level: str) -> None:
    (tmp_path / "python-by-another-name").symlink_to(os.path.realpath(sys.executable))
    with make_box(level, workers=1, python=tmp_path / "python-by-another-name") as box:
        for fresh in (False, True):
            assert seen(box, "sys.version", fresh=fresh) == sys.version


@pytest.mark.skipif(not SYSTEM_PYTHON.exists(), reason="there is no /usr/bin/python3")
def test_the_system_interpreter(make_box: Make, level: str) -> None:
    version = subprocess.run([SYSTEM_PYTHON, "-c", "import sys; print(sys.version)"], capture_output=True, text=True)
    with make_box(level, workers=1, python=SYSTEM_PYTHON) as box:
        for fresh in (False, True):
            assert seen(box, "[sys.version, sys.prefix]", fresh=fresh) == [version.stdout.strip("\n"), "/usr"]


def test_the_interpreter_that_was_called_by_a_relative_path(
    box_of: Callable[[str], codejury.Sandbox], tmp_path: Path, level: str
) -> None:
    """sys.executable then holds `..`: it must be found inside all the same."""
    box_of(level)  # or there is nothing to see here
    program = f"""
import codejury
with codejury.Sandbox(1, {level!r}) as box:
    print(*(box.run('print(6 * 7)', language='python', fresh=fresh).stdout for fresh in (False, True)))
"""
    relative = os.path.relpath(sys.executable, tmp_path)
    assert ".." in relative
    done = subprocess.run([relative, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.stderr) == ("b'42\\n' b'42\\n'\n", "")


@pytest.mark.parametrize("content", [None, "#!/bin/sh\nexit 3\n", "#!/bin/sh\necho no json\n", "not a program"])
def test_what_is_no_interpreter_is_refused_by_name(tmp_path: Path, content: str | None) -> None:
    fake = tmp_path / "fake-python"
    if content is not None:
        fake.write_text(content)
        fake.chmod(0o755)
    with pytest.raises(LanguageUnavailable, match="fake-python"):
        codejury.Sandbox(1, python=fake)


# -- the list itself


def test_paths_below_others_are_left_out() -> None:
    paths = [Path("/usr/lib/x"), Path("/opt/a/b"), Path("/opt/a"), Path("/opt/ab"), Path("/opt/a")]
    assert sorted(view.outermost(paths)) == [Path("/opt/a"), Path("/opt/ab")]


@pytest.mark.parametrize(
    ("folder", "file", "readable"),
    [(0o755, 0o644, True), (0o711, 0o604, True), (0o700, 0o644, False), (0o755, 0o640, False)],
)
def test_readable_by_anybody(folder: int, file: int, readable: bool) -> None:
    # Not below tmp_path: pytest closes that to others.
    with tempfile.TemporaryDirectory(dir="/tmp") as place:
        inner = Path(place) / "inner"
        inner.mkdir()
        (inner / "file").write_text("")
        os.chmod(place, 0o755)
        (inner / "file").chmod(file)
        inner.chmod(folder)
        assert view.readable_by_anybody([inner / "file"]) is readable
    assert view.readable_by_anybody([Path("/no/such/file")]) is False


# -- without a mount


@pytest.fixture
def things(tmp_path: Path) -> Path:
    """What may be read, and how it is shown: by a mount of its own unless its name says otherwise."""
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "inner").write_text("inner")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "lib" / "out").symlink_to("../elsewhere")
    files = {"copy.cfg": 0o644, "copy.so": 0o755, "program": 0o755, "closed": 0o600}
    for name, mode in files.items():
        (tmp_path / name).write_text(name)
        (tmp_path / name).chmod(mode)
    (tmp_path / "large").write_bytes(bytes(300_000))
    links = {"link": "lib", "link-in": "lib/inner", "leads-out": "lib/out", "dangling": "lib/none", "far": "elsewhere"}
    for name, target in links.items():
        (tmp_path / name).symlink_to(target)
    return tmp_path


def test_what_can_be_shown_without_a_mount_has_none(things: Path) -> None:
    names = [path.name for path in things.iterdir() if path.name != "elsewhere"]
    kinds: dict[str, set[str]] = {"copy": set(), "link": set(), "mount": set()}
    paths = view.outermost(things / name for name in names)
    for path in paths:
        kind = "link" if view._link(path, paths) else "copy" if view._copy(path) else "mount"
        kinds[kind].add(path.name)
    assert kinds == {
        "copy": {"copy.cfg", "copy.so"},
        "link": {"link", "link-in"},
        "mount": {"lib", "program", "closed", "large", "leads-out", "dangling", "far"},
    }


def test_all_of_it_is_there(make_box: Make, things: Path, level: str) -> None:
    if level not in INSIDE:
        pytest.skip("there is no root of our own")
    box = make_box(level, workers=1)
    names = ["lib", "copy.cfg", "copy.so", "program", "link", "link-in"]
    box._pool.show([things / name for name in names])
    program = f"[[n, os.path.islink(n) and os.readlink(n)] for n in sorted(os.listdir({str(things)!r}))]".replace(
        "(n)", f"(os.path.join({str(things)!r}, n))"
    )
    links = {"link": "lib", "link-in": "lib/inner"}
    assert seen(box, program) == [[name, links.get(name, False)] for name in sorted(names)]
    assert seen(box, f"open({str(things / 'link' / 'inner')!r}).read()") == "inner"
    assert seen(box, f"open({str(things / 'copy.cfg')!r}).read()") == "copy.cfg"
    assert not box.run(f"open({str(things / 'copy.cfg')!r}, 'a')", language="python").ok


def test_what_is_shown_of_tmp_leaves_the_rest_to_the_run(make_box: Make, level: str) -> None:
    """An environment that was made below /tmp, for one. What a run does to its way there, it does to itself."""
    if level not in INSIDE:
        pytest.skip("there is no root of our own")
    box = make_box(level, workers=1)
    with tempfile.TemporaryDirectory(dir="/tmp") as place:
        os.chmod(place, 0o755)
        (Path(place) / "file").write_text("there")
        box._pool.show([Path(place)])
        for fresh in (False, True, False, True):
            program = (
                f"[open({place!r} + '/file').read(), open('/tmp/mine', 'x').write('1'), sorted(os.listdir('/tmp'))]"
            )
            there = {path.parts[2] for path in shown() if path.parts[1] == "tmp"} | {Path(place).name}
            assert seen(box, program, fresh=fresh) == ["there", 1, sorted({"mine"} | there)]
            assert not box.run(f"open({place!r} + '/new', 'x')", language="python", fresh=fresh).ok
            away = f"[os.unlink({place!r}), os.mkdir({place!r}), open({place!r} + '/file', 'x').write('mine')]"
            assert seen(box, away, fresh=fresh) == [None, None, 4]
        assert (Path(place) / "file").read_text() == "there"
