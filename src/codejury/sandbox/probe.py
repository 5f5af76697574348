"""Which levels and layers this host can give: found out by setting them up, not by guessing from versions.

Owns the truth that `codejury doctor` prints, and the advice on how to get more.
"""

from __future__ import annotations

import os

import msgspec

from codejury.errors import CodejuryError, LevelUnavailable, SetupError
from codejury.model import LEVELS, Command, Level
from codejury.sandbox import cgroups
from codejury.sandbox.pool import Pool

_ADVICE = {
    "cgroup": "run as root, or hand codejury a group of its own: systemd-run --user --scope -p Delegate=yes codejury,"
    " or name one in CODEJURY_CGROUP",
    "cgroup-make": "the control groups are seen but may not be changed: run as root, or outside of this container",
    "namespaces": "allow user namespaces: sysctl user.max_user_namespaces=15000, kernel.unprivileged_userns_clone=1,"
    " kernel.apparmor_restrict_unprivileged_userns=0; in a container: --security-opt seccomp=unconfined",
    "id-map": "the kernel refuses id maps here: the container or a security module restricts user namespaces",
    "root-private": "mounting is refused inside a user namespace here: a security module (AppArmor) restricts it",
    "root-bind": "a read-only view of the system needs mount_setattr (Linux 5.12) and paths that can be read",
    "root-proc": "a fresh /proc is refused because parts of this one are hidden: in a container,"
    " --security-opt systempaths=unconfined",
    "landlock": "boot a kernel from 5.13 on, for the level landlock from 6.2 on, with CONFIG_SECURITY_LANDLOCK and"
    " lsm=landlock,... on its command line",
    "seccomp": "the kernel or the container refuses seccomp filters: CONFIG_SECCOMP_FILTER is needed",
}


class LevelReport(msgspec.Struct, frozen=True):
    """One level on this host. `layers` when it is there; else the layer that failed, why, and what to change."""

    level: Level
    available: bool
    layers: tuple[str, ...] = ()
    failed: str = ""
    reason: str = ""
    advice: str = ""


class Report(msgspec.Struct, frozen=True):
    chosen: Level | None  # what `auto` takes
    levels: tuple[LevelReport, ...]
    cgroup_version: int
    kernel: str
    user: str
    python: str


def _probe(level: Level) -> LevelReport:
    try:
        with Pool(workers=1, level=level) as pool:
            outcome = pool.run(Command(argv=("/bin/true",)))
            if not outcome.ok:
                return LevelReport(level, False, failed="run", reason=f"/bin/true ended with {outcome.status}")
            return LevelReport(level, True, layers=outcome.layers)
    except LevelUnavailable as error:
        return LevelReport(level, False, failed=error.layer, reason=error.reason, advice=_ADVICE.get(error.layer, ""))
    except SetupError as error:
        return LevelReport(level, False, failed=error.step, reason=error.detail, advice=_ADVICE.get(error.step, ""))
    except CodejuryError as error:
        return LevelReport(level, False, failed="run", reason=str(error))


def probe() -> Report:
    """Tries every level."""
    levels = tuple(_probe(level) for level in LEVELS)
    with Pool(workers=1) as pool:
        python = str(pool.python.executable)
    return Report(
        chosen=next((report.level for report in levels if report.available), None),
        levels=levels,
        cgroup_version=cgroups.find().version,
        kernel=os.uname().release,
        user="root" if os.geteuid() == 0 else f"uid {os.geteuid()}",
        python=python,
    )
