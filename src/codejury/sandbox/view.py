"""What of the host a program can see, as records for the keeper.

    /usr /bin /sbin /lib*    the system's directories, read-only (links stay links)
    the interpreter          bin, lib and pyvenv.cfg of its prefixes
    toolchains               what the languages name beyond that
    /etc                     a handful of files; passwd and group are made up
    /dev                     null zero full random urandom

Owns the list; nothing else of the host is there: no home directory, no project, no /var, no /run.
Paths inside are the same as outside, so that one list serves a mount tree and Landlock rules alike.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from codejury.sandbox import wire

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
# Read by the dynamic linker, by links into toolchains and by the C library's time functions.
_ETC_BINDS = ("/etc/alternatives",)
_ETC_COPIES = ("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/localtime", "/etc/mime.types", "/etc/ssl/openssl.cnf")
_ETC_MADE = {
    "/etc/passwd": "root:x:0:0:root:/:/bin/sh\nprogram:x:1000:1000::/box/run/work:/bin/sh\n"
    "nobody:x:65534:65534:nobody:/nonexistent:/bin/false\n",
    "/etc/group": "root:x:0:\nprogram:x:1000:\nnogroup:x:65534:\n",
    "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
    "/etc/hosts": "127.0.0.1 localhost codejury\n",
}
_LINKS = (
    ("/proc/self/fd", "/dev/fd"),
    ("/proc/self/fd/0", "/dev/stdin"),
    ("/proc/self/fd/1", "/dev/stdout"),
    ("/proc/self/fd/2", "/dev/stderr"),
    ("/box/run/shm", "/dev/shm"),
)


def outermost(paths: Iterable[Path]) -> list[Path]:
    """Without those that lie below another one, or below a system directory."""
    kept: list[Path] = []
    system = [Path(p) for p in SYSTEM if not os.path.islink(p)]
    for path in sorted(dict.fromkeys(paths), key=lambda p: len(p.parts)):
        if not any(path == other or other in path.parents for other in (*system, *kept)):
            kept.append(path)
    return kept


def inside(reads: Iterable[Path]) -> bytes:
    """Records for a prepared root."""
    records: list[bytes] = []
    for directory in SYSTEM:
        if os.path.islink(directory):
            records.append(wire.pair(wire.SYMLINK, os.readlink(directory), directory))
        elif os.path.isdir(directory):
            records.append(wire.record(wire.BIND, directory.encode()))
    shown = outermost([*reads, *(Path(p) for p in _ETC_BINDS)])
    for path in shown:
        if os.path.lexists(path):
            records.append(_link(path, shown) or _copy(path) or wire.record(wire.BIND, os.fsencode(path)))
    records += [copy for name in _ETC_COPIES if (copy := _copy(Path(name), at_most=None))]
    records += [wire.pair(wire.FILE_AT, name, text) for name, text in _ETC_MADE.items()]
    records += [wire.record(wire.DEVICE, device.encode()) for device in DEVICES if os.path.exists(device)]
    records += [wire.pair(wire.SYMLINK, target, link) for target, link in _LINKS]
    return b"".join(records)


# Each mount is copied and taken apart in every run: what can be shown without one has none.


def _link(path: Path, shown: list[Path]) -> bytes | None:
    """A link that leads to a place which is shown by itself: lib64 of a virtual environment, for one."""
    if not path.is_symlink():
        return None
    target = Path(os.path.normpath(path.parent / path.readlink()))
    system = [Path(p) for p in SYSTEM if not os.path.islink(p)]
    for end, places in ((target, shown), (Path(os.path.realpath(path)), [*shown, *system])):
        if not any(other != path and (end == other or other in end.parents) for other in places):
            return None
    if not target.exists() or not target.samefile(path):
        return None
    return wire.pair(wire.SYMLINK, os.fsdecode(path.readlink()), os.fsencode(path))


def _copy(path: Path, at_most: int | None = 1 << 18) -> bytes | None:
    """A small file that nobody starts as a program, and that everybody may read: as it was when the worker began."""
    try:
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):
            return None
        is_program = path.suffix != ".so" and about.st_mode & 0o111
        if at_most is not None and (about.st_size > at_most or is_program or not about.st_mode & 0o004):
            return None
        return wire.pair(wire.FILE_AT, os.fsdecode(path), path.read_bytes())
    except OSError:
        return None


def bare(reads: Iterable[Path]) -> bytes:
    """Records for rules on the host's own tree. The made-up files are the host's there: none of them is a secret."""
    system = [Path(p) for p in SYSTEM if os.path.isdir(p)]
    etc = [Path(p) for p in (*_ETC_BINDS, *_ETC_COPIES, *_ETC_MADE)]
    records = [wire.record(wire.BIND, os.fsencode(os.path.realpath(p))) for p in (*system, *outermost([*reads, *etc]))]
    records += [wire.record(wire.DEVICE, device.encode()) for device in DEVICES if os.path.exists(device)]
    return b"".join(records)


def readable_by_anybody(paths: Iterable[Path]) -> bool:
    """Whether a user who owns nothing can reach and read all of them."""
    for path in paths:
        try:
            if not os.stat(path).st_mode & 0o004:
                return False
            if not all(os.stat(parent).st_mode & 0o001 for parent in path.parents):
                return False
        except OSError:
            return False
    return True
