"""Source in a language -> Outcome: detect, compile (once), run.

Owns the public `Sandbox`: the pool of workers below it, the toolchains of this host, and the compiled programs.
A compiler is one more program that nobody trusts: it runs in the same sandbox, and only the files that its
language names come back from it.
"""

from __future__ import annotations

import contextlib
import os
import re
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from codejury import settings
from codejury.errors import LanguageUnavailable, UsageError
from codejury.languages import compiled, toolchain
from codejury.languages.catalog import Catalog, Language
from codejury.languages.detect import detect
from codejury.languages.toolchain import Toolchain
from codejury.model import Command, Level, Limits, Outcome
from codejury.sandbox import host
from codejury.sandbox.pool import Pool, Runner, Task

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

    from codejury.sandbox.watch import Watch

_T = TypeVar("_T")
_CACHED_MB = 1024
_RECENT_BYTES = 64 << 20
_LOOK_UP_S = 0.5


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """One run, as `Sandbox.run` takes it.

    source     the program's text, or the Path of its file
    language   a name or alias; None: told from the file's name, then from the text
    stdin      text, or bytes as they are
    files      relative path -> content, laid beside the program, and beside the compiler
    data       the same, laid when the program runs: what it works on, for which it is not compiled anew
    fetch      glob patterns: files that are handed back in `Outcome.fetched`
    fresh      a new interpreter, even where a waiting one could be forked
    env        variables for the program, beyond PATH, HOME, TMPDIR and LANG
    compile_s  seconds that the compiler may take, of CPU time and on the clock; None: as the language has it
    """

    source: str | bytes | Path
    language: str | None = None
    stdin: str | bytes = b""
    args: tuple[str, ...] = ()
    files: Mapping[str, str | bytes] | None = None
    data: Mapping[str, str | bytes] | None = None
    limits: Limits = Limits()
    fetch: tuple[str, ...] = ()
    fresh: bool = False
    env: Mapping[str, str] | None = None
    compile_s: float | None = None


_pools: Callable[..., Runner] = Pool


def run_on(pools: Callable[..., Runner]) -> None:
    """From now on, sandboxes of this process that are not given a pool make theirs by this, which takes what `Pool`
    takes."""
    global _pools
    _pools = pools


_watch: Watch | None = None


@contextlib.contextmanager
def watching(watch: Watch) -> Iterator[None]:
    """Sandboxes of this process that are made in this block tell the watch of their runs, as long as they live."""
    global _watch
    before, _watch = _watch, watch
    try:
        yield
    finally:
        _watch = before


class Ready:
    """A program that is run on many inputs: looked up, compiled and checked once, at the first of them."""

    def __init__(self, sandbox: Sandbox, job: Job) -> None:
        self._sandbox = sandbox
        self._job = job
        self._lock = threading.Lock()
        self._made: tuple[Command | Outcome, Language] | None = None

    def run(self, stdin: str | bytes) -> Outcome:
        """One run of the job, on this input instead of its own."""
        (outcome,) = self.run_row([stdin])
        return outcome

    def run_row(self, inputs: Sequence[str | bytes]) -> list[Outcome]:
        """A run on each of them, one after another, up to the first that is not short (`Pool.run_row`)."""
        made = self._made
        if made is None:
            with self._lock:  # the others wait for the compiler
                made = self._made = self._made or self._sandbox._command(self._job)
        command, language = made
        if isinstance(command, Outcome):
            return [command for _ in inputs]
        row = [_bytes(stdin, "stdin") for stdin in inputs]
        outcomes = self._sandbox._counted(*self._sandbox._pool.run_row(command, row))
        return [_explained(outcome, language) for outcome in outcomes]


class Sandbox:
    """A context manager. Safe from several threads at once; programs run `workers` at a time.

    workers     programs at a time; None: as many as cores
    level       auto, full, rootless or landlock
    python      the interpreter for Python programs; None: the one that runs this
    preload     modules that wait ready-imported; None: the usual ones
    languages   more languages or changes to them, as TOML files
    pool        who runs the programs, instead of workers of this machine: `runners` has more; closed with the sandbox
    """

    def __init__(
        self,
        workers: int | None = None,
        level: str = "auto",
        *,
        python: str | os.PathLike[str] | None = None,
        preload: Sequence[str] | None = None,
        languages: Sequence[str | os.PathLike[str]] = (),
        pool: Runner | None = None,
    ) -> None:
        known = settings.load()
        if workers is not None and workers < 1:
            raise UsageError(f"workers: expected a number from 1, got {workers!r}")
        self.catalog = Catalog.load([*known.languages, *(Path(path) for path in languages)])
        self._pool: Runner = pool or _pools(
            workers=workers,
            level=settings.parse_level(level, where="level"),
            python=Path(python) if python is not None else None,
            preload=preload,
        )
        if _watch is not None:
            from codejury.sandbox.watch import Watched

            self._pool = Watched(self._pool, _watch)
        self._cache = compiled.CompiledCache(known.cache / "compiled", max_mb=_CACHED_MB)
        self._lock = threading.Lock()
        self._toolchains: dict[str, Toolchain] = {}
        self._versions: dict[str, str] = {}
        self._compiling: dict[str, threading.Lock] = {}
        self._recent: dict[tuple[str, bytes, tuple[tuple[str, bytes], ...]], dict[str, bytes]] = {}
        self._recent_bytes = 0
        self._threads: ThreadPoolExecutor | None = None
        self._cpu_s = 0.0

    # -- what there is

    @property
    def workers(self) -> int:
        return self._pool.workers

    @property
    def cpu_s(self) -> float:
        """CPU seconds of all that has run so far, compilers too."""
        return self._cpu_s

    @property
    def callers(self) -> int:
        """Threads that keep it busy."""
        return self._pool.callers

    @property
    def level(self) -> Level:
        """The level that runs get."""
        return self._pool.level

    @property
    def layers(self) -> tuple[str, ...]:
        return self._pool.layers

    def toolchain(self, language: Language) -> Toolchain:
        """The language on this host, readable inside from now on. LanguageUnavailable where it is not to be had."""
        with self._lock:
            found = self._toolchains.get(language.name)
            if found is None:
                found = toolchain.find(language, python=str(self._pool.python.executable), ask=host.ask)
                self._toolchains[language.name] = found
        self._pool.show(Path(path) for path in found.reads)
        return found

    def available(self) -> list[Language]:
        """Those of the languages that this host has. They are looked for, and no more."""
        found = []
        for language in self.catalog:
            with contextlib.suppress(LanguageUnavailable):
                toolchain.find(language, python=str(self._pool.python.executable), ask=host.ask)
                found.append(language)
        return found

    def version(self, tools: Toolchain) -> str:
        """What the compiler or interpreter says of itself, inside. Asked once for each state of its files."""
        name = tools.language.name
        if name not in self._versions:
            key = compiled.key_of(tools, toolchain.version_command(tools), "version")
            kept = self._cache.get(key)
            if isinstance(kept, dict) and "version" in kept:
                self._versions[name] = kept["version"].decode()
            else:
                text = toolchain.version_of(self._pool.run(toolchain.version_command(tools)))
                if text:
                    self._cache.put(key, {"version": text.encode()})
                self._versions[name] = text
        return self._versions[name]

    def identity(self, job: Job) -> str:
        """What the program of a job is, as a digest: its text and files, and who compiles and runs them, and how. The
        same for every input."""
        text, filename = _text_of(job.source)
        tools = self.toolchain(self._language(job, text, filename))
        files = _contents(job.files)
        command = toolchain.compile_command(tools, text, None, files=files)
        if command is None:
            command = toolchain.run_command(tools, text, None, (), b"", Limits(), files=files)
        return compiled.key_of(tools, command, self.version(tools)) + " " + " ".join(tools.language.run)

    # -- running

    def run(
        self,
        source: str | bytes | Path,
        *,
        language: str | None = None,
        stdin: str | bytes = b"",
        args: Sequence[str] = (),
        files: Mapping[str, str | bytes] | None = None,
        data: Mapping[str, str | bytes] | None = None,
        limits: Limits | None = None,
        fetch: Sequence[str] = (),
        fresh: bool = False,
        env: Mapping[str, str] | None = None,
    ) -> Outcome:
        """One program in a fresh working directory; fields as in `Job`."""
        return self.run_job(
            Job(
                source=source,
                language=language,
                stdin=stdin,
                args=tuple(args),
                files=files,
                data=data,
                limits=limits or Limits(),
                fetch=tuple(fetch),
                fresh=fresh,
                env=env,
            )
        )

    def run_job(self, job: Job) -> Outcome:
        return self.ready(job).run(job.stdin)

    def ready(self, job: Job) -> Ready:
        """The job as something that can be run on many inputs, from several threads."""
        return Ready(self, job)

    def run_pair(self, first: Job, second: Job) -> tuple[Outcome, Outcome]:
        """Two programs at the same time, each in a box of its own: the standard output of one is the standard input of
        the other. Their `stdin` is not used, and the outcomes have no stdout. Where one does not compile, neither
        runs, and the other's outcome is the same refusal."""
        one, language = self._command(first)
        other, other_language = self._command(second)
        for refused in (one, other):
            if isinstance(refused, Outcome):
                return refused, refused
        assert isinstance(one, Command)
        assert isinstance(other, Command)
        said, said_back = self._counted(*self._pool.run_pair(one, other))
        return _explained(said, language), _explained(said_back, other_language)

    def _command(self, job: Job) -> tuple[Command | Outcome, Language]:
        """What is to be run; an Outcome where the compiler refused."""
        text, filename = _text_of(job.source)
        language = self._language(job, text, filename)
        tools = self.toolchain(language)
        files = _contents(job.files)
        built = self._compile(tools, text, files, job.compile_s)
        if isinstance(built, Outcome):
            return built, language
        if job.data:
            files = _contents({**files, **job.data})
        env = dict(job.env or {})
        # The waiting interpreter has long read its own variables, and imported its modules: a program that sets the
        # ones, or brings files of the names of the others, wants a new one.
        fresh = job.fresh or any(name.startswith("PYTHON") for name in env) or self._pool.shadows(files)
        _check_env(env)
        command = toolchain.run_command(
            tools,
            text,
            built,
            _checked_args(job.args),
            _bytes(job.stdin, "stdin"),
            job.limits,
            files=files,
            fresh=fresh,
        )
        return msgspec.structs.replace(command, fetch=job.fetch, env={**command.env, **env}), language

    def _language(self, job: Job, text: bytes, filename: str | None) -> Language:
        if job.language is not None:
            return self.catalog.get(job.language)
        return detect(text.decode(errors="replace"), filename, self.catalog)

    def run_command(self, command: Command) -> Outcome:
        """A command as it is, below languages and caches."""
        (outcome,) = self._counted(self._pool.run(command))
        return outcome

    def _counted(self, *outcomes: Outcome) -> tuple[Outcome, ...]:
        with self._lock:
            self._cpu_s += sum(outcome.cpu_s for outcome in outcomes)
        return outcomes

    def _compile(
        self, tools: Toolchain, source: bytes, files: dict[str, bytes], seconds: float | None
    ) -> dict[str, bytes] | Outcome | None:
        """The program's files; None where there is nothing to compile; an Outcome where the compiler refused.

        The same program is mostly run on many inputs in a row: the last ones are kept at hand, the others on disk."""
        if not tools.language.compile:
            return None
        name = (tools.language.name, source, tuple(files.items()))
        recent = self._recent.get(name)
        if recent is None:
            built = self._compile_anew(tools, source, files, seconds)
            if isinstance(built, dict):
                self._remember(name, built)
            return built
        return recent

    def _remember(self, name: tuple[str, bytes, tuple[tuple[str, bytes], ...]], built: dict[str, bytes]) -> None:
        size = sum(map(len, built.values())) + len(name[1])
        with self._lock:
            while self._recent and self._recent_bytes + size > _RECENT_BYTES:
                oldest = next(iter(self._recent))
                self._recent_bytes -= sum(map(len, self._recent.pop(oldest).values())) + len(oldest[1])
            if size <= _RECENT_BYTES and name not in self._recent:
                self._recent[name] = built
                self._recent_bytes += size

    def _compile_anew(
        self, tools: Toolchain, source: bytes, files: dict[str, bytes], seconds: float | None
    ) -> dict[str, bytes] | Outcome | None:
        limits = tools.language.compile_limits
        if seconds is not None:
            limits = msgspec.structs.replace(limits, cpu_s=seconds, wall_s=seconds)
        command = toolchain.compile_command(tools, source, limits, files=files)
        if command is None:
            return None
        key = compiled.key_of(tools, command, self.version(tools))
        with self._lock:
            turn = self._compiling.setdefault(key, threading.Lock())
        try:
            with turn:  # the same source in many jobs at once is compiled by the first
                kept, outcome = self._cache.get(key), None
                if kept is None:
                    outcome = self.run_command(command)
                    if outcome.ok and not outcome.fetched:
                        note = f"the compiler left nothing that fits {', '.join(command.fetch)}, or it was too large\n"
                        return self._refusal(1, outcome.stdout + outcome.stderr + note.encode())
                    kept = compiled.result_of(outcome)
                    if kept is not None:
                        self._cache.put(key, kept)
        finally:
            with self._lock:
                self._compiling.pop(key, None)
        if isinstance(kept, dict):
            return kept
        if isinstance(kept, compiled.CompileFailure):
            return self._refusal(kept.exit_code, kept.stdout + kept.stderr)
        assert outcome is not None  # only a run's own outcome is not kept
        words = outcome.stdout + outcome.stderr + f"\nthe compiler ended with {outcome.status}\n".encode()
        return msgspec.structs.replace(outcome, status="compile_error", stdout=b"", stderr=words, fetched={})

    def _refusal(self, exit_code: int, words: bytes) -> Outcome:
        return Outcome(
            status="compile_error",
            exit_code=exit_code,
            signal=None,
            stdout=b"",
            stderr=words,
            cpu_s=0.0,
            wall_s=0.0,
            memory_mb=0.0,
            level=self.level,
            layers=self.layers,
        )

    # -- many at a time

    def _executor(self) -> ThreadPoolExecutor:
        from concurrent.futures import ThreadPoolExecutor

        with self._lock:
            if self._threads is None:
                self._threads = ThreadPoolExecutor(self.callers, thread_name_prefix="codejury")
            return self._threads

    def run_many(self, jobs: Iterable[Job]) -> Iterator[Outcome]:
        """Outcomes in the order of the jobs, `workers` at a time. Jobs are taken as they are needed, so an endless
        stream of them costs no memory; a job that raises (a language that is not here) raises at its place. An
        interrupt ends the runs under way."""
        from collections import deque

        threads, task = self._executor(), Task()
        under_way: deque[Future[Outcome]] = deque()
        try:
            for job in jobs:
                under_way.append(threads.submit(self._run_for, task, job))
                if len(under_way) >= 2 * self.callers:
                    yield _awaited(under_way.popleft())
            while under_way:
                yield _awaited(under_way.popleft())
        except (Exception, GeneratorExit):
            raise
        except BaseException:  # an interrupt: the interpreter, about to end, would wait for the threads
            task.give_up()
            raise
        finally:
            for future in under_way:
                future.cancel()

    def _run_for(self, task: Task, job: Job) -> Outcome:
        return self.run_for(task, lambda: self.run_job(job))

    def run_for(self, task: Task, call: Callable[[], _T]) -> _T:
        """The call, in this thread; what it runs here ends when somebody gives the task up."""
        return self._pool.run_for(task, call)

    async def run_async(self, source: str | bytes | Path, **options: Any) -> Outcome:
        """`run` as a coroutine. To cancel it is to end the program."""
        import asyncio

        task = Task()
        try:
            return await asyncio.get_running_loop().run_in_executor(
                self._executor(), self._pool.run_for, task, lambda: self.run(source, **options)
            )
        except asyncio.CancelledError:
            task.give_up()
            raise

    async def run_many_async(self, jobs: Iterable[Job]) -> AsyncIterator[Outcome]:
        """`run_many` as an asynchronous iterator. To cancel it is to end the runs under way."""
        import asyncio
        from collections import deque

        loop, threads, task = asyncio.get_running_loop(), self._executor(), Task()
        under_way: deque[asyncio.Future[Outcome]] = deque()
        try:
            for job in jobs:
                under_way.append(loop.run_in_executor(threads, self._run_for, task, job))
                if len(under_way) >= 2 * self.callers:
                    yield await under_way.popleft()
            while under_way:
                yield await under_way.popleft()
        except asyncio.CancelledError:
            task.give_up()
            raise
        finally:
            for future in under_way:
                future.cancel()

    # -- life

    def prepare(self) -> None:
        """Starts all workers now, rather than when first needed."""
        self._pool.prepare()

    def close(self) -> None:
        """Ends all workers; nothing of them is left on the host."""
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)
        self._pool.close()

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _awaited(future: Future[Outcome]) -> Outcome:
    """A signal that comes just before a thread begins to wait is not seen before it wakes, since CPython looks for them
    between two steps: so it wakes now and then."""
    while True:
        try:
            return future.result(timeout=_LOOK_UP_S)
        except TimeoutError:
            if future.done():
                return future.result()


def _explained(outcome: Outcome, language: Language) -> Outcome:
    """A managed heap that is full says so in words of its own."""
    spent = language.out_of_memory
    if spent and outcome.status == "runtime_error" and re.search(spent.encode(), outcome.stderr):
        return msgspec.structs.replace(outcome, status="memory_limit_exceeded")
    return outcome


# ── What callers give ────────────────────────────────────────────────────────────────────────────────────────────────


def _bytes(value: str | bytes, what: str) -> bytes:
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    raise UsageError(f"{what}: expected text or bytes, got {type(value).__name__}")


def _text_of(source: str | bytes | Path) -> tuple[bytes, str | None]:
    if isinstance(source, Path):
        try:
            return source.read_bytes(), source.name
        except OSError as error:
            raise UsageError(f"{source}: {error.strerror}") from error
    return _bytes(source, "source"), None


def _contents(files: Mapping[str, str | bytes] | None) -> dict[str, bytes]:
    contents: dict[str, bytes] = {}
    for name, content in (files or {}).items():
        parts = name.split("/")
        if name.startswith("/") or "\0" in name or any(part in ("", ".", "..") for part in parts):
            raise UsageError(f"files: expected a relative path inside the working directory, got {name!r}")
        if len(os.fsencode(name)) > 4000 or any(len(os.fsencode(part)) > 255 for part in parts):
            raise UsageError(f"files: the name {name[:60]!r}... is longer than a file system takes")
        if any("/".join(parts[:end]) in files for end in range(1, len(parts))):  # type: ignore[operator]
            raise UsageError(f"files: {name!r} lies below another file")
        contents[name] = _bytes(content, f"files[{name!r}]")
    return contents


def _checked_args(args: Sequence[str]) -> Sequence[str]:
    for arg in args:
        if "\0" in arg:
            raise UsageError(f"args: expected texts without NUL, got {arg!r}")
    return args


def _check_env(env: Mapping[str, str]) -> None:
    for name, value in env.items():
        if not name or "=" in name or "\0" in name + value:
            raise UsageError(f"env: expected NAME: text without '=' in the name and without NUL, got {name!r}")


# ── The one that needs no set-up ─────────────────────────────────────────────────────────────────────────────────────

_default: Sandbox | None = None
_default_lock = threading.Lock()


def _shared() -> Sandbox:
    global _default
    with _default_lock:
        if _default is None:
            import atexit

            _default = Sandbox()
            atexit.register(_close_shared, _default, os.getpid())
        return _default


def _close_shared(sandbox: Sandbox, pid: int) -> None:
    """A fork inherits what is to be done at exit, and locks that somebody held who is not in it."""
    if os.getpid() == pid:
        sandbox.close()


def _after_fork() -> None:
    """The workers of the other process are not this one's, and its lock may be taken for ever."""
    global _default, _default_lock
    _default, _default_lock = None, threading.Lock()


os.register_at_fork(after_in_child=_after_fork)


def run(source: str | bytes | Path, **options: Any) -> Outcome:
    """`Sandbox.run` on a sandbox that is made at the first call and kept for the life of the process."""
    return _shared().run(source, **options)


async def run_async(source: str | bytes | Path, **options: Any) -> Outcome:
    """`run` as a coroutine."""
    return await _shared().run_async(source, **options)
