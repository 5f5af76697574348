"""The build hook: compiles `native/` with make and puts its two products into the wheel.

    wheel       built in a scratch directory, packed as codejury/_native/{keeper,box.so}
    editable    built where the sources are read from, src/codejury/_native (not under version control)

Invariant: a wheel holds both products or is not made. It is tagged py3-none-<platform>, since neither product
links against Python: one wheel serves every version. How the C is compiled is in native/Makefile.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PRODUCTS = ("keeper", "box.so")
COMPILERS = ("gcc", "cc", "clang")


class NativeBuildHook(BuildHookInterface):
    PLUGIN_NAME = "custom"
    scratch: str | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        self._require_tools()
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform}"
        if version == "editable":
            self._make()
            return
        self.scratch = tempfile.mkdtemp(prefix="codejury-build-")
        out = Path(self.scratch, "out")
        self._make(f"OUT={out}", f"BUILD={Path(self.scratch, 'objects')}")
        for name in PRODUCTS:
            if not (out / name).is_file():
                self._give_up(f"native/ did not give {name}: are its C sources complete?")
            build_data["force_include"][str(out / name)] = f"codejury/_native/{name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        self._remove_scratch()

    def _require_tools(self) -> None:
        if sys.platform != "linux":
            self._give_up(f"codejury isolates programs with Linux's own mechanisms; this is {sys.platform}")
        chosen = os.environ.get("CC")
        candidates = shlex.split(chosen)[:1] if chosen else COMPILERS
        missing = []
        if not any(map(shutil.which, candidates)):
            missing.append(f"a C compiler ({' or '.join(candidates)})")
        if not shutil.which("make"):
            missing.append("make")
        if missing:
            lacking = " and ".join(missing)
            self._give_up(
                f"codejury compiles a small C program when it is installed, and this machine lacks {lacking}.\n"
                "Install them, for example with:\n"
                "    Debian, Ubuntu    apt-get install gcc make libc6-dev\n"
                "    Fedora, RHEL      dnf install gcc make glibc-devel\n"
                "    Alpine            apk add gcc make musl-dev linux-headers"
            )

    def _make(self, *variables: str) -> None:
        # A make that runs this build would pass its job server and its variables on.
        inherited = {"MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "OUT", "BUILD"}
        environ = {name: value for name, value in os.environ.items() if name not in inherited}
        native = Path(self.root, "native")
        # Build back ends keep stdout for themselves.
        done = subprocess.run(["make", "-C", str(native), *variables], env=environ, stdout=sys.stderr, check=False)
        if done.returncode != 0:
            self._give_up(f"make in native/ ended with {done.returncode}; the compiler's own words are above")

    def _give_up(self, message: str) -> None:
        self._remove_scratch()
        self.app.abort(message)

    def _remove_scratch(self) -> None:
        if self.scratch is not None:
            shutil.rmtree(self.scratch, ignore_errors=True)
            self.scratch = None
