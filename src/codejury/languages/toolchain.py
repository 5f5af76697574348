"""A language on this host: where its tools are, what they need to see, and the commands that they make.

Owns the search for tools, the choice of host paths that the sandbox must show, and the filling of templates.

    Language ──find──► Toolchain ──┬─ compile_command ─► Command | None
                                   ├─ run_command ─────► Command
                                   └─ version_command ─► Command

Invariant: what is shown to a program is never `/`, a home directory or another broad place: a tool outside of the
system's directories shows its own installation, or, where that cannot be told from a home directory, its file alone.
Nothing here starts a process: the one question that the host itself must answer goes through the caller's `ask`.
"""

from __future__ import annotations

import functools
import glob
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from codejury.errors import LanguageUnavailable, UsageError
from codejury.languages.catalog import PLACEHOLDER, Entry, Language
from codejury.model import Command, Limits, Outcome

Ask = Callable[[Sequence[str]], str]
"""Runs a command on the host and returns what it printed; OSError, or nothing printed, where it failed."""

SYSTEM_DIRECTORIES = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")  # always readable inside
STORES = ("/nix/store", "/gnu/store")  # readable by everyone by design, and full of links from one package to the next
SYSTEM_PATH = ("/usr/local/bin", "/usr/bin", "/bin")

UNLIMITED_MB = 16384  # what a runtime is told where there is no memory limit: it wants a number
STACK_MB = 256  # deep enough for ten million frames in the leanest runtime, small beside any usual limit

# Programs that stand in for a tool and pick the real one by the user's settings, which are not there inside.
_LAUNCHERS = frozenset({"rustup", "rustup-init", "volta-shim", "mise", "snap", "julialauncher", "juliaup", "ghcup"})


class Toolchain(msgspec.Struct, frozen=True):
    """A language whose tools were found.

    tools    role -> absolute path, as seen inside
    reads    host paths that must be readable inside, beyond SYSTEM_DIRECTORIES
    """

    language: Language
    tools: dict[str, str]
    reads: tuple[str, ...] = ()

    def fingerprint(self) -> tuple[tuple[str, int, int], ...]:
        """(real path, size, mtime_ns) of each tool: another compiler has another one."""
        marks = []
        for path in sorted(self.tools.values()):
            real = os.path.realpath(path)
            try:
                state = os.stat(real)
            except OSError:  # gone since it was found; the run will say so
                marks.append((real, -1, -1))
            else:
                marks.append((real, state.st_size, state.st_mtime_ns))
        return tuple(marks)


# ── Finding ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def find(language: Language, *, python: str, path: str | None = None, ask: Ask | None = None) -> Toolchain:
    """The tools of `language` on this host; LanguageUnavailable says what was looked for and what to install.

    python   the interpreter that the sandbox was set up with, which shows it and its packages: the role `python`
    path     where to look, in the form of PATH. None: the PATH of this process
    ask      runs the language's `sysroot` command on the host. None: launchers such as rustup's are passed over
    """
    search = os.environ.get("PATH", os.defpath) if path is None else path
    tools: dict[str, str] = {}
    reads: list[str] = []
    for role, names in language.tools.items():
        if role == "python":
            tools[role] = python
            continue
        found = _find_tool(language, role, names, search, ask)
        if found is None:
            raise LanguageUnavailable(_unavailable(language, role, names))
        inside, shown = _place(found)
        tools[role] = inside
        reads += shown
    for pattern in language.reads:
        reads += sorted(glob.glob(os.path.expanduser(pattern)))
    return Toolchain(
        language, tools, tuple(dict.fromkeys(path for path in reads if not _within(path, SYSTEM_DIRECTORIES)))
    )


def _unavailable(language: Language, role: str, names: Sequence[str]) -> str:
    advice = f"; install: {language.package}" if language.package else ""
    return f"{language.title} is not available here: found no {role} (looked for {', '.join(names)}){advice}"


def _find_tool(language: Language, role: str, names: Sequence[str], search: str, ask: Ask | None) -> str | None:
    for name in names:
        for found in _candidates(name, search):
            if not _is_launcher(found):
                return found
            real = _behind(language, role, found, ask)
            if real is not None:
                return real
    return None


def _candidates(name: str, search: str) -> Iterator[str]:
    if "/" in name:
        for match in sorted(glob.glob(os.path.expanduser(name)), key=_natural, reverse=True):
            if _is_executable(match):
                yield match
        return
    for directory in search.split(os.pathsep):
        found = os.path.join(directory, name)
        if os.path.isabs(directory) and _is_executable(found):  # a relative entry would search the current directory
            yield found


def _is_executable(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


def _natural(text: str) -> list[tuple[int, str]]:
    """Sorts v9 before v10."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", text)]


def _is_launcher(path: str) -> bool:
    in_shims = os.path.basename(os.path.dirname(path)) == "shims"  # pyenv, rbenv, asdf, mise...: all call it so
    return in_shims or os.path.basename(os.path.realpath(path)) in _LAUNCHERS


def _behind(language: Language, role: str, launcher: str, ask: Ask | None) -> str | None:
    """The tool that a launcher would start, by the language's `sysroot` command."""
    if ask is None or not any(f"{{{role}}}" in word for word in language.sysroot):
        return None
    command = [PLACEHOLDER.sub(lambda m: launcher if m[1] == role else m[0], word) for word in language.sysroot]
    try:
        root = ask(command).strip()
    except OSError:
        return None
    if not os.path.isabs(root):
        return None
    tool = os.path.join(root, "bin", os.path.basename(launcher))
    return tool if _is_executable(tool) and not _is_launcher(tool) else None


def _place(found: str) -> tuple[str, list[str]]:
    """The path to call a tool by inside, and the host paths to show for it.

    The name matters (clang++ is a link to clang), so the first link of the chain that can be followed inside is taken:
    /usr/bin/java leads through /etc/alternatives, which is not shown, to /usr/lib/jvm/.../bin/java, which is.
    """
    chain = [os.path.abspath(found)]
    while os.path.islink(chain[-1]) and len(chain) < 40:
        chain.append(os.path.normpath(os.path.join(os.path.dirname(chain[-1]), os.readlink(chain[-1]))))
    real = os.path.realpath(found)
    chain.append(real)
    shown = [] if _within(real, SYSTEM_DIRECTORIES) else [_installation(real)]
    visible = (*SYSTEM_DIRECTORIES, *shown)
    start = len(chain) - 1
    while start > 0 and _within(chain[start - 1], visible):
        start -= 1
    return chain[start], shown


def _installation(tool: str) -> str:
    """The directory that a tool outside of the system's is installed in; the tool itself where that is too broad."""
    for store in STORES:
        if _within(tool, (store,)):
            return store
    directory = os.path.dirname(tool)
    prefix = os.path.dirname(directory) if os.path.basename(directory) in ("bin", "sbin") else directory
    return tool if _is_broad(prefix) else prefix


def _is_broad(directory: str) -> bool:
    parts = Path(directory).parts
    if len(parts) < 3 or (len(parts) == 3 and parts[1] in ("home", "Users", "var")):
        return True  # /, /opt, /root, /home/someone
    homes = {os.path.realpath(os.path.expanduser("~")), os.path.expanduser("~")}
    return any(_within(home, (directory,)) or directory in (f"{home}/.local", f"{home}/.cargo") for home in homes)


def _within(path: str, directories: Sequence[str]) -> bool:
    return any(path == directory or path.startswith(directory.rstrip("/") + "/") for directory in directories)


_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)

# ── Commands ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def compile_command(
    toolchain: Toolchain,
    source: str | bytes,
    limits: Limits | None,
    *,
    files: Mapping[str, bytes] | None = None,
) -> Command | None:
    """The compiler's run on `source`, with the caller's `files` beside it; None where the language has no such step.

    limits   None: the language's own
    """
    language = toolchain.language
    if not language.compile:
        return None
    limits = limits or language.compile_limits
    fields = _fields(toolchain, source, limits)
    return Command(
        argv=_fill(_with_units(language, source, files or {}), fields),
        env=_env(toolchain, fields),
        files=_beside({fields["source"]: _encoded(source)}, files),
        fetch=language.artifacts,
        limits=limits,
        label=f"{language.name}, compiling",
    )


def run_command(
    toolchain: Toolchain,
    source: str | bytes,
    artifacts: Mapping[str, bytes] | None,
    args: Sequence[str],
    stdin: bytes,
    limits: Limits,
    *,
    files: Mapping[str, bytes] | None = None,
    fresh: bool = False,
) -> Command:
    """One run of a program.

    artifacts   what compiling left; None where the language has no such step
    fresh       a new interpreter even where the language can be run warm
    """
    language = toolchain.language
    if language.compile and artifacts is None:
        raise UsageError(f"{language.title} has to be compiled before it is run")
    fields = _fields(toolchain, source, limits)
    program = {fields["source"]: _encoded(source)} if artifacts is None else dict(artifacts)
    warm = language.warm and not fresh
    argv = (fields["source"],) if warm else _fill(language.run, fields)
    if limits.processes is not None and limits.processes < language.least_processes:
        limits = msgspec.structs.replace(limits, processes=language.least_processes)
    return Command(
        argv=(*argv, *args),
        env=_env(toolchain, fields),
        files=_beside(program, files),
        stdin=stdin,
        warm=warm,
        limits=limits,
        label=language.name,
    )


def version_command(toolchain: Toolchain) -> Command:
    """Prints the version; `version_of` finds it in what comes out."""
    limits = toolchain.language.compile_limits
    fields = _fields(toolchain, b"", limits)
    return Command(
        argv=_fill(toolchain.language.version, fields),
        env=_env(toolchain, fields),
        limits=limits,
        label=f"{toolchain.language.name}, version",
    )


def version_of(outcome: Outcome) -> str:
    """The line of a version command's output that says it: the first with a digit that is no warning; else nothing."""
    lines = (outcome.stdout + b"\n" + outcome.stderr).decode("utf-8", "replace").splitlines()
    telling = (line.strip() for line in lines if re.search(r"\d", line) and not re.search(r"(?i)\bwarning\b", line))
    return next(telling, "") if outcome.ok else ""


def _fields(toolchain: Toolchain, source: str | bytes, limits: Limits) -> dict[str, str]:
    language = toolchain.language
    memory_mb = UNLIMITED_MB if limits.memory_mb is None else max(int(limits.memory_mb), 1)
    heap_mb = max(memory_mb - language.overhead_mb, memory_mb // 2, 1)
    stack_kb = min(memory_mb * 1024 // 4, STACK_MB * 1024)
    numbers = {"memory_mb": str(memory_mb), "heap_mb": str(heap_mb), "stack_kb": str(stack_kb)}
    if language.entry is None:
        file = language.source
        return {**toolchain.tools, **numbers, "source": file, "stem": os.path.splitext(file)[0], "entry": ""}
    start = entry_of(source, language.entry)
    file = PLACEHOLDER.sub(lambda m: start.stem if m[1] == "stem" else m[0], language.source)
    return {**toolchain.tools, **numbers, "source": file, "stem": start.stem, "entry": start.entry}


def _with_units(language: Language, source: str | bytes, files: Mapping[str, bytes]) -> list[str]:
    """The compiler's words with the program's other sources in the place of {units}."""
    others = [name for name in files if os.path.splitext(name)[1].removeprefix(".") in language.extensions]
    if others:
        everything = b"\n".join([_encoded(source), *files.values()])
        included = {os.path.basename(name) for name in _INCLUDE.findall(everything)}
        others = [f"./{name}" for name in others if os.path.basename(name).encode() not in included]
    return [unit for word in language.compile for unit in (others if word == "{units}" else [word])]


def _fill(words: Sequence[str], fields: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(PLACEHOLDER.sub(lambda m: fields[m[1]], word) for word in words)


def _env(toolchain: Toolchain, fields: Mapping[str, str]) -> dict[str, str]:
    """The language's variables, and a PATH on which its tools find each other."""
    own = (os.path.dirname(tool) for tool in toolchain.tools.values())
    beside = [directory for directory in own if not _within(directory, SYSTEM_PATH)]
    path = os.pathsep.join(dict.fromkeys((*beside, *SYSTEM_PATH)))
    return {"PATH": path, **{name: _fill((text,), fields)[0] for name, text in toolchain.language.env.items()}}


def _beside(program: dict[str, bytes], files: Mapping[str, bytes] | None) -> dict[str, bytes]:
    for name in files or ():
        if os.path.normpath(name) in program:
            raise UsageError(f"files: {name!r} is the name of the program's own file; choose another")
    return {**(files or {}), **program}


def _encoded(source: str | bytes) -> bytes:
    return source if isinstance(source, bytes) else source.encode("utf-8", "surrogateescape")


# ── The class that a program starts in ───────────────────────────────────────────────────────────────────────────────


class Start(msgspec.Struct, frozen=True):
    """stem: what the source file is called, without its ending. entry: the class to start, with its package."""

    stem: str
    entry: str


# Comments and strings, which may hold braces and declarations that mean nothing; then the braces.
_NOISE = re.compile(
    r'//[^\n]*|/\*.*?(?:\*/|\Z)|"""(?:\\.|[^\\])*?(?:"""|\Z)|"(?:\\.|[^"\\\n])*"?|\'(?:\\.|[^\'\\\n])\'', re.DOTALL
)


def entry_of(source: str | bytes, entry: Entry) -> Start:
    """Where a program of this source starts, by the patterns of `entry`."""
    text = source.decode("utf-8", "replace") if isinstance(source, bytes) else source
    text = _NOISE.sub(lambda m: " " * len(m[0]), text)
    depth = _depths(text)
    units = [match for match in _pattern(entry.unit).finditer(text) if depth(match.start(1)) == 0]
    name = entry.default
    if units:
        ends = [match.start() for match in units[1:]] + [len(text)]
        bodies = zip(units, ends, strict=True)
        holding = [unit for unit, end in bodies if _pattern(entry.holds).search(text, unit.end(), end)]
        name = (holding or units)[0][1]
    file = next((m[1] for m in _pattern(entry.file).finditer(text) if depth(m.start(1)) == 0), "") if entry.file else ""
    package = _pattern(entry.package).search(text) if entry.package else None
    return Start(stem=file or name, entry=f"{package[1]}.{name}" if package else name)


def _depths(text: str) -> Callable[[int], int]:
    """How many braces are open at a position."""
    import bisect

    places: list[int] = []
    depths: list[int] = []
    depth = 0
    for match in re.finditer(r"[{}]", text):
        depth = depth + 1 if match[0] == "{" else max(depth - 1, 0)
        places.append(match.start())
        depths.append(depth)

    def at(position: int) -> int:
        before = bisect.bisect_left(places, position)
        return depths[before - 1] if before else 0

    return at


@functools.cache
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.MULTILINE)
