"""The wheel that would be released, as `make release-check` looks at it; dependencies are those of this environment, as
tests ask no network."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest
from release import check


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return check.built("wheel", tmp_path_factory.mktemp("wheel"))


@pytest.mark.slow
def test_what_is_in_the_wheel(wheel: Path) -> None:
    check.look_into_wheel(wheel)


@pytest.mark.slow
def test_what_must_not_be_in_the_wheel_is_found(wheel: Path, tmp_path: Path) -> None:
    """The same wheel, with a path of this machine, and without a product."""
    spoilt = tmp_path / wheel.name
    with zipfile.ZipFile(wheel) as given, zipfile.ZipFile(spoilt, "w") as made:
        for entry in given.infolist():
            made.writestr(entry, given.read(entry))
        made.writestr("codejury/left_over.txt", f"{check.ROOT}/native/keeper.c")
    with pytest.raises(check.Unfit, match=r"left_over\.txt: a path of this machine"):
        check.look_into_wheel(spoilt)
    with zipfile.ZipFile(wheel) as given, zipfile.ZipFile(spoilt, "w") as made:
        for entry in given.infolist():
            if entry.filename != check.NATIVE[1]:
                made.writestr(entry, given.read(entry))
    with pytest.raises(check.Unfit, match=r"has no codejury/_native/box\.so"):
        check.look_into_wheel(spoilt)


@pytest.mark.slow
def test_the_wheel_works_without_a_compiler(wheel: Path, tmp_path: Path) -> None:
    target = tmp_path / "site"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(target)]
    subprocess.run([*install, str(wheel)], check=True, env={**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"})
    environ = check.bare_environ(tmp_path)
    environ["PYTHONPATH"] = os.pathsep.join([str(target), sysconfig.get_path("purelib")])
    environ["CODEJURY_CACHE"] = str(tmp_path / "cache")
    (tmp_path / "trial").mkdir()
    check.tried(Path(sys.executable), tmp_path / "trial", environ)
