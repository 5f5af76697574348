"""Puts itself into what a container gives a process, and runs a command there. As root, on x86-64.

    python setting.py NAME COMMAND…

Containers are made of kernel parts that need no daemon: namespaces, a bounding set of capabilities, a filter of system
calls, parts of /proc that are covered, control groups that cannot be written. Each setting below puts together those of
one way to start a container, as its documentation names them. What it does not copy: an image, AppArmor, SELinux.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import subprocess
import sys
from typing import NamedTuple

_libc = ctypes.CDLL(None, use_errno=True)

# Docker's and containerd's default set, by number: chown, dac_override, fowner, fsetid, kill, setgid, setuid, setpcap,
# net_bind_service, net_raw, sys_chroot, mknod, audit_write, setfcap
DEFAULT_CAPABILITIES = frozenset({0, 1, 3, 4, 5, 6, 7, 8, 10, 13, 18, 27, 29, 31})
_LAST_CAPABILITY = 40
_NAMESPACE_FLAGS = 0x7E020000

# Refused by the default profile to whoever lacks CAP_SYS_ADMIN: unshare, mount, umount2, pivot_root, setns, the newer
# calls for mounts, bpf, perf_event_open, keys, host names, quotas.
_REFUSED = (272, 165, 166, 155, 308, 428, 429, 430, 431, 432, 433, 442, 321, 298, 248, 249, 250, 170, 171, 179)
_CLONE, _CLONE3 = 56, 435

_MASKED = ("/proc/kcore", "/proc/keys", "/proc/timer_list", "/proc/acpi", "/proc/scsi", "/sys/firmware")
_READ_ONLY = ("/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger")


def _check(result: int) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _filter() -> None:
    """The default profile's part that matters here."""
    load, jump, bit, give = 0x20, 0x15, 0x45, 0x06
    allow, refuse, absent = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS
    program: list[tuple[int, int, int, int]] = [(load, 0, 0, 0)]
    for number in _REFUSED:
        program += [(jump, 0, 1, number), (give, 0, 0, refuse)]
    program += [(jump, 0, 1, _CLONE3), (give, 0, 0, absent)]
    program += [(jump, 0, 3, _CLONE), (load, 0, 0, 16), (bit, 0, 1, _NAMESPACE_FLAGS), (give, 0, 0, refuse)]
    program += [(give, 0, 0, allow)]
    code = b"".join(struct.pack("HBBI", *each) for each in program)
    room = ctypes.create_string_buffer(code)
    head = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(program), ctypes.addressof(room)))
    _check(_libc.prctl(22, 2, head, 0, 0))


def _drop(kept: frozenset[int]) -> None:
    for number in range(_LAST_CAPABILITY + 1):
        if number not in kept:
            _check(_libc.prctl(24, number, 0, 0, 0))


def _run(*command: str) -> None:
    subprocess.run(command, check=True)


def _mask() -> None:
    for path in _MASKED:
        if os.path.isdir(path):
            _run("mount", "-t", "tmpfs", "-o", "ro,size=0", "tmpfs", path)
        elif os.path.exists(path):
            _run("mount", "--bind", "/dev/null", path)
    for path in _READ_ONLY:
        if os.path.exists(path):
            _run("mount", "--bind", path, path)
            _run("mount", "-o", "remount,bind,ro", path)


def _cover_groups() -> None:
    """Control groups are mounted read-only in a container that is not privileged."""
    with open("/proc/self/mountinfo") as file:
        places = [line.split()[4] for line in file if " - cgroup" in line]
    for place in places:
        _run("mount", "-o", "remount,bind,ro", place)


class Setting(NamedTuple):
    """users: a user namespace with a range of ids;  mask: parts of /proc are covered;  profile: the default filter of
    system calls;  capabilities: those that are left;  user: who runs it;  writable: control groups, and the root."""

    users: bool = False
    mask: bool = True
    profile: bool = True
    capabilities: frozenset[int] | None = DEFAULT_CAPABILITIES
    user: int = 0
    groups: bool = False
    root: bool = True
    more_users: bool = True


SETTINGS = {
    "default": Setting(),
    "read-only root": Setting(root=False),
    "non-root, nothing else": Setting(capabilities=frozenset(), user=65534),
    "root, no capabilities": Setting(capabilities=frozenset()),
    "no filter": Setting(profile=False),
    "no filter, unmasked": Setting(profile=False, mask=False),
    "non-root, no filter, unmasked": Setting(profile=False, mask=False, capabilities=frozenset(), user=65534),
    "user namespace": Setting(users=True),
    "user namespace, no filter": Setting(users=True, profile=False),
    "user namespace, no filter, unmasked": Setting(users=True, profile=False, mask=False),
    "user namespace, no filter, unmasked, all capabilities": Setting(
        users=True, profile=False, mask=False, capabilities=None
    ),
    "user namespace, non-root, no filter, unmasked": Setting(
        users=True, profile=False, mask=False, capabilities=frozenset(), user=65534
    ),
    "privileged": Setting(mask=False, profile=False, capabilities=None, groups=True),
    "no user namespaces": Setting(profile=False, mask=False, more_users=False),
}


def _inside(setting: Setting, command: list[str]) -> None:
    """In namespaces of its own already."""
    if not setting.more_users:
        with open("/proc/sys/user/max_user_namespaces", "w") as file:  # of this user namespace alone
            file.write("0")
    if setting.mask:
        _mask()
    if not setting.groups:
        _cover_groups()
    if not setting.root:
        project = os.path.realpath(f"{__file__}/../../..")
        held = os.open(project, os.O_PATH)
        _run("mount", "-t", "tmpfs", "tmpfs", "/tmp")
        if not os.path.exists(project):  # it lies below /tmp
            os.makedirs(project)
            source = f"/proc/self/fd/{held}".encode()  # mount(8) would look up where that leads, which is covered
            _check(_libc.mount(source, project.encode(), None, 0x1000, None))
        os.close(held)
        _run("mount", "-o", "remount,bind,ro", "/")
    if setting.profile:
        _filter()
    if setting.capabilities is not None:
        _drop(setting.capabilities)
    if setting.user:
        os.setgroups([])
        os.setgid(setting.user)
        os.setuid(setting.user)
        _check(_libc.prctl(38, 1, 0, 0, 0))  # no new privileges
    os.execvp(command[0], command)


def _with_users(command: list[str]) -> None:
    """In a user namespace whose ids are mapped by who made it, as the helpers newuidmap and newgidmap would."""
    here, there = os.pipe(), os.pipe()
    child = os.fork()
    if not child:
        _check(_libc.unshare(0x10000000))
        os.write(here[1], b"x")
        os.read(there[0], 1)
        os.setgid(0)
        os.setuid(0)
        os.execvp(command[0], command)
    os.read(here[0], 1)
    for name in ("uid_map", "gid_map"):
        with open(f"/proc/{child}/{name}", "w") as file:
            file.write("0 0 65536")
    os.write(there[1], b"x")
    os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


_ALL = ("--mount", "--pid", "--fork", "--ipc", "--uts", "--net", "--cgroup", "--mount-proc", "--propagation", "private")


def main() -> None:
    name, command = sys.argv[1], sys.argv[2:]
    if name.startswith("inside:"):
        _inside(SETTINGS[name.removeprefix("inside:")], command)
    unshared = ["unshare", *_ALL, sys.executable, __file__, f"inside:{name}", *command]
    if SETTINGS[name].users or not SETTINGS[name].more_users:
        _with_users(unshared)
    os.execvp("unshare", unshared)


if __name__ == "__main__":
    main()
