"""Runs every hostile program of programs/ at every level that claims to stop it.

    programs/<name>.{c,cpp,py,sh}   one attack a file; its header says what must become of it
    victims/<name>.py               honest programs that run beside an attack (header `beside`)
    languages.toml                  limits for compilers that end a compile bomb soon

A header is the first comment block of a program, a key a line; a line indented further goes on with the one before:

    attack:   what it tries, in one sentence
    defence:  the layers that stop it
    levels:   the levels that claim the defence
    expect:   statuses of the Outcome, any of them: ok | time_limit_exceeded
    limits:   fields of Limits that differ from LIMITS below
    stdin:    text handed in as it stands
    args:     arguments; {secret_file} and the other names of Witness.names() are put in
    then:     a program that runs right after on the same worker and must meet its own header
    beside:   a victim that runs at the same time on another worker
    fetch:    patterns of files to hand back; `fetched` says which names may come: patterns, or `nothing`

Invariant: a program that gets through prints a line that begins with BREACH, and that fails the test whatever
the status; so does a visit to a witness, a witness harmed, a secret in anything handed back, or a process left over.
All attacks of a level share one worker, so each one also runs in what its predecessors left of it.
"""

from __future__ import annotations

import contextlib
import fnmatch
import glob
import os
import re
import secrets
import selectors
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import typing
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import codejury
from codejury import model

HERE = Path(__file__).resolve().parent
LANGUAGES = {".c": "c", ".cpp": "cpp17", ".py": "python", ".sh": "bash"}
LIMITS: dict[str, float] = {"cpu_s": 2, "wall_s": 4, "memory_mb": 256, "output_mb": 1, "processes": 32, "disk_mb": 16}
NEEDED = ("attack", "defence", "levels", "expect")
KEYS = (*NEEDED, "limits", "stdin", "args", "then", "beside", "fetch", "fetched")


# ---------------------------------------------------------------------------------------------------------------------
# Headers


@dataclass(frozen=True)
class Attack:
    path: Path
    levels: tuple[str, ...]
    expect: tuple[str, ...]
    limits: dict[str, float] = field(default_factory=dict)
    stdin: bytes = b""
    args: tuple[str, ...] = ()
    then: str | None = None
    beside: str | None = None
    fetch: tuple[str, ...] = ()
    fetched: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.path.name


class HeaderError(Exception):
    """A program whose header cannot be used: which file, which key, what was expected."""


def header_rows(path: Path) -> dict[str, str]:
    mark = "#" if path.suffix in (".py", ".sh") else "//"
    rows: dict[str, str] = {}
    key = ""
    for line in path.read_text().splitlines():
        if not line.startswith(mark):
            break
        text = line.removeprefix(mark)
        if text.startswith("   ") and key:
            rows[key] += " " + text.strip()
            continue
        key, colon, value = (part.strip() for part in text.partition(":"))
        if not colon or key not in KEYS or key in rows:
            raise HeaderError(f"{path.name}: expected one line for each of {', '.join(KEYS)}, got {line!r}")
        rows[key] = value
    if missing := [key for key in NEEDED if not rows.get(key)]:
        raise HeaderError(f"{path.name}: no {', '.join(missing)}")
    return rows


def read_attack(path: Path) -> Attack:
    rows = header_rows(path)

    def refuse(key: str, expected: str) -> typing.NoReturn:
        raise HeaderError(f"{path.name}: {key}: expected {expected}, got {rows[key]!r}")

    levels = tuple(rows["levels"].split())
    if not levels or not set(levels) <= set(model.LEVELS):
        refuse("levels", f"some of {model.LEVELS}")
    expect = tuple(part.strip() for part in rows["expect"].split("|"))
    if not set(expect) <= set(typing.get_args(model.Status)):
        refuse("expect", "statuses of an Outcome")
    limits: dict[str, float] = {}
    for word in rows.get("limits", "").split():
        name, _, value = word.partition("=")
        if name not in model.Limits.__struct_fields__ or not re.fullmatch(r"\d+(\.\d+)?", value):
            refuse("limits", "name=number of the fields of Limits")
        limits[name] = float(value) if "." in value else int(value)
    if ("fetch" in rows) != ("fetched" in rows):
        raise HeaderError(f"{path.name}: fetch and fetched go together")
    for key, folder in (("then", "programs"), ("beside", "victims")):
        if key in rows and not (HERE / folder / rows[key]).is_file():
            refuse(key, f"a file in {folder}")
    if path.suffix not in LANGUAGES:
        raise HeaderError(f"{path.name}: expected one of {', '.join(LANGUAGES)}")
    fetched = tuple(rows.get("fetched", "").split())
    return Attack(
        path=path,
        levels=levels,
        expect=expect,
        limits=limits,
        stdin=rows.get("stdin", "").encode(),
        args=tuple(shlex.split(rows.get("args", ""))),
        then=rows.get("then"),
        beside=rows.get("beside"),
        fetch=tuple(rows.get("fetch", "").split()),
        fetched=() if fetched == ("nothing",) else fetched,
    )


FILES = sorted(path for path in (HERE / "programs").iterdir() if path.is_file())
ATTACKS: dict[str, Attack] = {}
FAULTS: list[str] = []  # shown by test_headers: a header that cannot be read must not hide its neighbours
for _path in FILES:
    try:
        ATTACKS[_path.name] = read_attack(_path)
    except (HeaderError, ValueError) as error:
        FAULTS.append(str(error))

# The second half of a pair makes sense only after its first.
SECOND = {attack.then for attack in ATTACKS.values() if attack.then and attack.then != attack.name}
FIRST = [attack for attack in ATTACKS.values() if attack.name not in SECOND]


# ---------------------------------------------------------------------------------------------------------------------
# Witnesses: what an attack must not reach, set up on the host


class Witness:
    """A secret file, a secret variable, open descriptors, a process, and sockets that note every visit."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="attack-witness-"))
        # Readable by everybody, and still out of reach: file modes are not what is tested.
        self.folder.chmod(0o755)
        self.secret_file = self.folder / "secret.txt"
        self.file_value = f"witness-file-{secrets.token_hex(16)}"
        self.secret_file.write_text(self.file_value)
        self.secret_file.chmod(0o644)
        self.env_name = "WITNESS_OF_THE_ATTACKS"
        self.env_value = f"witness-env-{secrets.token_hex(16)}"
        os.environ[self.env_name] = self.env_value
        self.left_name = f"cj{secrets.token_hex(6)}"  # what daemons call themselves; a name has room for 15 bytes
        self.neighbour_value = f"witness-neighbour-{secrets.token_hex(16)}"

        # Inheritable, as a careless caller has them: a file, and the host's root directory.
        self.descriptors = [os.open(path, os.O_RDONLY) for path in (self.secret_file, "/")]
        for fd in self.descriptors:
            os.set_inheritable(fd, True)

        self.visits: list[str] = []
        self._lock = threading.Lock()
        self._selector = selectors.DefaultSelector()
        abstract = f"attack-witness-{secrets.token_hex(8)}"
        self.tcp = self._listen("tcp", socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0))
        self.udp = self._listen("udp", socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0))
        self._listen("unix", socket.AF_UNIX, socket.SOCK_STREAM, str(self.folder / "stream"))
        self._listen("unix datagram", socket.AF_UNIX, socket.SOCK_DGRAM, str(self.folder / "datagram"))
        for name in ("stream", "datagram"):
            (self.folder / name).chmod(0o777)
        self._listen("abstract", socket.AF_UNIX, socket.SOCK_STREAM, f"\0{abstract}")
        self._listen("abstract datagram", socket.AF_UNIX, socket.SOCK_DGRAM, f"\0{abstract}-datagram")
        self.abstract = abstract
        self.closing = False
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        self.process = self._start_process()

    def names(self) -> dict[str, str]:
        return {
            "secret_file": str(self.secret_file),
            "secret_env_name": self.env_name,
            "tcp_port": str(self.tcp.getsockname()[1]),
            "udp_port": str(self.udp.getsockname()[1]),
            "unix_path": str(self.folder / "stream"),
            "unix_dgram_path": str(self.folder / "datagram"),
            "abstract_name": self.abstract,
            "abstract_dgram_name": f"{self.abstract}-datagram",
            "host_pid": str(self.process.pid),
            "home": os.path.expanduser("~"),
            "project": str(HERE.parents[1]),
            "left_name": self.left_name,
        }

    def secrets(self) -> list[bytes]:
        values = [value.encode() for value in (self.file_value, self.env_value, self.neighbour_value)]
        with contextlib.suppress(OSError):  # root's eyes only
            values += [line for line in Path("/etc/shadow").read_bytes().splitlines() if len(line) > 10]
        return values

    def complaints(self) -> list[str]:
        """What happened to the witnesses since the last call; they are made whole again for the next attack."""
        self._collect(timeout=0)
        with self._lock:
            found, self.visits = [f"a visit by {visit}" for visit in self.visits], []
        ended = self.process.poll()
        if (
            ended is not None
            or Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()[0] in "Tt"
        ):
            found.append(f"the host process was {'stopped' if ended is None else f'ended: {ended}'}")
            self._end_process()
            self.process = self._start_process()
        if self.secret_file.stat().st_mode & 0o7777 != 0o644 or self.secret_file.read_text() != self.file_value:
            found.append("the secret file was changed")
        if strangers := {path.name for path in self.folder.iterdir()} - {"secret.txt", "stream", "datagram"}:
            found.append(f"planted on the host: {sorted(strangers)}")
        return found

    def close(self) -> None:
        self.closing = True
        self._thread.join()
        self._end_process()
        for key in list(self._selector.get_map().values()):
            typing.cast(socket.socket, key.fileobj).close()
        self._selector.close()
        for fd in self.descriptors:
            os.close(fd)
        os.environ.pop(self.env_name, None)
        shutil.rmtree(self.folder)

    def _start_process(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"], stdin=subprocess.DEVNULL)

    def _end_process(self) -> None:
        self.process.kill()
        self.process.wait()

    def _listen(self, what: str, family: int, kind: int, address: typing.Any) -> socket.socket:
        server = socket.socket(family, kind)
        server.bind(address)
        if kind == socket.SOCK_STREAM:
            server.listen(16)
        server.setblocking(False)
        self._selector.register(server, selectors.EVENT_READ, what)
        return server

    def _serve(self) -> None:
        while not self.closing:
            self._collect(timeout=0.05)

    def _collect(self, *, timeout: float) -> None:
        # The kernel keeps visits until they are fetched, so whoever comes first, thread or test, misses none.
        for key, _ in self._selector.select(timeout):
            server = typing.cast(socket.socket, key.fileobj)
            with self._lock, contextlib.suppress(BlockingIOError):
                if server.type == socket.SOCK_STREAM:
                    server.accept()[0].close()
                else:
                    _, sender = server.recvfrom(2048)
                    if key.data == "udp":  # an answer tells the attack that it got through
                        server.sendto(b"answer", sender)
                self.visits.append(key.data)


@pytest.fixture(scope="module")
def witness() -> Iterator[Witness]:
    one = Witness()
    yield one
    one.close()


# ---------------------------------------------------------------------------------------------------------------------
# What a sandbox could leave on the host


def processes_named(name: str) -> set[str]:
    found = set()
    for path in glob.glob("/proc/[0-9]*/comm"):
        with contextlib.suppress(OSError):
            if name in Path(path).read_text():
                found.add(path)
    return found


def descendants() -> set[tuple[str, str]]:
    """Process number and time of birth of all that came from this process and still know it."""
    parents: dict[str, str] = {}
    births: dict[str, str] = {}
    for path in glob.glob("/proc/[0-9]*/stat"):
        with contextlib.suppress(OSError):
            row = Path(path).read_text().rpartition(")")[2].split()
            parents[path.split("/")[2]], births[path.split("/")[2]] = row[1], row[19]
    found = set()
    for pid in parents:
        ancestor = pid
        while (ancestor := parents.get(ancestor, "")) in parents:
            if ancestor == str(os.getpid()):
                found.add((pid, births[pid]))
                break
    return found


def is_alive(process: tuple[str, str]) -> bool:
    try:
        return Path("/proc", process[0], "stat").read_text().rpartition(")")[2].split()[19] == process[1]
    except OSError:
        return False


def remains(*, of_the_living: bool = False) -> dict[str, set[str]]:
    """What on the host bears our name. Another sandbox may be at work here too: what names a live process is its."""

    def is_somebodys(path: str) -> bool:
        return any(os.path.exists(f"/proc/{number}") for number in re.findall(r"\d+", os.path.basename(path)))

    places = [os.path.join(glob.escape(tempfile.gettempdir()), "codejury*")]
    places += ["/sys/fs/cgroup/" + "*/" * depth + "*codejury*" for depth in range(5)]
    named = {path for place in places for path in glob.glob(place)}
    return {
        "mounts": set(Path("/proc/self/mountinfo").read_text().splitlines()),
        "files and groups": {path for path in named if of_the_living or not is_somebodys(path)},
        "shared memory": set(glob.glob("/dev/shm/*codejury*")) | set(glob.glob("/dev/shm/*by-the-run-before*")),
    }


# ---------------------------------------------------------------------------------------------------------------------
# One sandbox a level: pytest runs all tests of a level in a row, because the fixture is of the module


class Ring:
    """The sandbox of one level, the witnesses beside it, and what the host looked like before."""

    def __init__(self, level: str, witness: Witness) -> None:
        self.level = level
        self.witness = witness
        self.before = remains(of_the_living=True)
        self.strangers = descendants()
        self.seen: set[tuple[str, str]] = set()  # all processes that the sandboxes of this ring ever showed
        self.survivors: set[str] = set()
        self.boxes = contextlib.ExitStack()
        self.box = self._open(workers=1)
        self._pair: codejury.Sandbox | None = None

    def _open(self, *, workers: int) -> codejury.Sandbox:
        return self.boxes.enter_context(
            codejury.Sandbox(workers=workers, level=self.level, languages=[HERE / "languages.toml"])
        )

    def run(self, attack: Attack) -> None:
        if attack.beside is None:
            self._run_in(self.box, attack)
            return
        if self._pair is None:
            self._pair = self._open(workers=2)
        pair, outcomes = self._pair, []
        victim = (HERE / "victims" / attack.beside).read_text()

        def live() -> None:
            outcomes.append(pair.run(victim, language="python", stdin=self.witness.neighbour_value.encode()))

        thread = threading.Thread(target=live)
        thread.start()
        try:
            self._run_in(pair, attack)
        finally:
            thread.join()
        assert [(one.status, one.stdout) for one in outcomes] == [("ok", b"well\n")], "the neighbour was harmed"

    def _run_in(self, box: codejury.Sandbox, attack: Attack) -> None:
        outcome = box.run(
            attack.path.read_text(),
            language=LANGUAGES[attack.path.suffix],
            stdin=attack.stdin,
            args=tuple(word.format_map(self.witness.names()) for word in attack.args),
            limits=model.Limits(**{**LIMITS, **attack.limits}),
            fetch=attack.fetch,
        )
        self._judge(attack, outcome)

    def _judge(self, attack: Attack, outcome: model.Outcome) -> None:
        said = f"{attack.name} at {self.level}: {outcome.status}, exit {outcome.exit_code}, signal {outcome.signal}\n"
        said += f"stdout: {outcome.stdout[:2000]!r}\nstderr: {outcome.stderr[:2000]!r}"
        everything = [outcome.stdout, outcome.stderr, *outcome.fetched.values()]
        breaches = [hit for text in everything for hit in re.findall(rb"(?m)^BREACH.*", text)]
        leaks = [secret for secret in self.witness.secrets() if any(secret in text for text in everything)]
        # All are asked before one is believed: the next attack must start with whole witnesses.
        complaints = self.witness.complaints()
        survivors = processes_named(self.witness.left_name) - self.survivors
        self.seen |= descendants() - self.strangers
        self.survivors |= survivors  # each is held against the attack that left it, and no other
        assert not breaches, said
        assert not leaks, said
        assert not complaints, f"{complaints}\n{said}"
        assert not survivors, f"left running: {sorted(survivors)[:5]}\n{said}"
        assert outcome.status in attack.expect, said
        assert outcome.level == self.level, said
        if attack.expect == ("ok",):  # it really came to its end, and did not merely fail to start
            assert re.search(rb"(?m)^(held|left)\b", outcome.stdout), said
        if outcome.status != "compile_error":  # compilers have limits of their own
            limits = {**LIMITS, **attack.limits}
            assert max(len(outcome.stdout), len(outcome.stderr)) <= limits["output_mb"] * 2**20, said
            assert sum(map(len, outcome.fetched.values())) <= limits["disk_mb"] * 2**20, said
        for name in outcome.fetched:
            assert any(fnmatch.fnmatchcase(name, pattern) for pattern in attack.fetched), f"fetched {name}\n{said}"


@pytest.fixture(scope="module")
def ring(request: pytest.FixtureRequest, witness: Witness) -> Iterator[Ring]:
    try:
        one = Ring(request.param, witness)
    except codejury.LevelUnavailable as error:
        pytest.skip(str(error))
    with one.boxes:
        try:  # workers may be made when first needed
            one.box.run("", language="python")
        except codejury.LevelUnavailable as error:
            pytest.skip(str(error))
        yield one


# ---------------------------------------------------------------------------------------------------------------------
# Tests


def test_headers() -> None:
    assert not FAULTS, "\n".join(FAULTS)
    assert len(FILES) >= 70
    assert {attack.name for attack in FIRST} | SECOND == {path.name for path in FILES}
    for attack in ATTACKS.values():
        if attack.then:
            assert set(attack.levels) <= set(ATTACKS[attack.then].levels), f"{attack.name}: {attack.then} lacks a level"


# Two lists, not one of pairs: pytest keeps a fixture for as long as its place in the list stays the same.
@pytest.mark.parametrize("attack", FIRST, ids=lambda attack: attack.name)
@pytest.mark.parametrize("ring", model.LEVELS, indirect=True)
def test_attack(ring: Ring, attack: Attack) -> None:
    if ring.level not in attack.levels:
        pytest.skip(f"{attack.name} says that {ring.level} does not claim the defence")
    try:
        ring.run(attack)
    finally:  # the second half also shows, and clears away, what a failed first half has left
        if attack.then:
            ring.run(ATTACKS[attack.then])


HONEST = {
    "python": "import sys\na, b = map(int, sys.stdin.read().split())\nprint(a + b)\n",
    "c": '#include <stdio.h>\nint main(void) { int a, b; scanf("%d %d", &a, &b); printf("%d\\n", a + b); return 0; }\n',
}


@pytest.mark.parametrize("ring", model.LEVELS, indirect=True)
def test_afterwards(ring: Ring) -> None:
    """After all that, the same worker still does honest work, and closing it leaves the host as it was."""
    for language, source in HONEST.items():
        outcome = ring.box.run(source, language=language, stdin=b"20 22\n", limits=model.Limits(**LIMITS))
        assert (outcome.status, outcome.stdout) == ("ok", b"42\n"), outcome
    ring.seen |= descendants() - ring.strangers
    ring.boxes.close()
    assert {process for process in ring.seen | descendants() - ring.strangers if is_alive(process)} == set()
    end = time.monotonic() + 20  # another sandbox on this host may be about to take its own away
    while left := {what: new for what, now in remains().items() if (new := now - ring.before[what])}:
        assert time.monotonic() < end, left
        time.sleep(0.1)
