"""How others run a program: bare, and in the sandboxes that are installed beside us.

Owns the command lines that the bench compares with, each with what comes closest to our isolation: no network, a
private working directory, read-only system directories, no privileges. Only our own a+b programs are run by them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import msgspec

from codejury.sandbox import view
from codejury.sandbox.interpreter import Interpreter


class Peer(msgspec.Struct, frozen=True):
    name: str
    prefix: tuple[str, ...]  # put before the program's own argv


def _bubblewrap(shown: Sequence[str]) -> tuple[str, ...]:
    words = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--tmpfs", "/tmp"]
    for directory in ("/usr", *shown):  # after /tmp, where some of it may lie
        words += ["--ro-bind", directory, directory]
    for link in ("/bin", "/sbin", "/lib", "/lib32", "/lib64"):
        if os.path.islink(link):
            words += ["--symlink", os.readlink(link), link]
        elif os.path.isdir(link):
            words += ["--ro-bind", link, link]
    return (*words, "--proc", "/proc", "--dev", "/dev", "--")


def _nsjail(shown: Sequence[str]) -> tuple[str, ...]:
    words = ["nsjail", "--quiet", "--mode", "o", "--user", "65534", "--group", "65534", "--time_limit", "10"]
    for directory in ("/usr", "/bin", "/lib", "/lib64", "/dev/null", "/dev/urandom", *shown):
        if os.path.exists(directory):
            words += ["-R", directory]
    return (*words, "--tmpfsmount", "/tmp", "--")


def _firejail() -> tuple[str, ...]:
    return ("firejail", "--quiet", "--noprofile", "--net=none", "--private-dev", "--seccomp", "--caps.drop=all", "--")


def _isolate(shown: Sequence[str]) -> tuple[str, ...]:
    return ("isolate", "--processes", *(f"--dir={directory}" for directory in shown), "--run", "--")


def installed(work: Path, interpreter: Interpreter) -> list[Peer]:
    """Bare execution, and the peers that this host has."""
    shown = [str(path) for path in view.outermost([*interpreter.reads, work])]
    candidates = [
        Peer("bare", ()),
        Peer("firejail", _firejail()),
        Peer("bubblewrap", _bubblewrap(shown)),
        Peer("nsjail", _nsjail(shown)),
        Peer("isolate", _isolate(shown)),
    ]
    return [peer for peer in candidates if not peer.prefix or shutil.which(peer.prefix[0])]


def run(peer: Peer, argv: Sequence[str], stdin: Path) -> bytes:
    """What the program printed. OSError where the peer fails."""
    with open(stdin, "rb") as file:
        done = subprocess.run([*peer.prefix, *argv], stdin=file, capture_output=True)
    if done.returncode:
        words = done.stderr.decode(errors="replace").strip().splitlines()
        raise OSError(f"{peer.name} ended with {done.returncode}: {words[-1] if words else 'no words'}")
    return done.stdout
