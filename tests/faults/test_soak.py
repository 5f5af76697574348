"""The short form of benchmarks/soak.py: six hundred runs leave nothing, and memory stays where it was."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from faults import host


@pytest.mark.slow
@pytest.mark.parametrize("level", ["strongest", "landlock"], indirect=True)  # inside namespaces or not
def test_six_hundred_runs(level: str, root: Path, remains: host.Remains) -> None:
    done = subprocess.run(
        [sys.executable, str(root / "benchmarks" / "soak.py"), "--runs", "600", "--level", level],
        capture_output=True,
        text=True,
        timeout=4 * host.LONGEST_S,
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["level"], report["runs"], report["faults"]) == (level, 600, [])
    assert report["start"] == report["end"]
