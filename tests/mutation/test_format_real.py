"""Formats of real contest packages, from their samples and statements. Skips where they are absent."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from codejury.dataset.formats import kattis
from codejury.mutation.inputs import infer


@pytest.fixture(scope="module")
def packages(root: Path) -> list[Path]:
    folder = Path(os.environ.get("CODEJURY_SHARED") or root.parent / "shared") / "data" / "kattis"
    if not folder.is_dir():
        pytest.skip("no real data: neither `shared` beside the repository nor CODEJURY_SHARED has data/kattis")
    return sorted(path for path in folder.iterdir() if kattis.is_package(path))


def test_the_formats_accept_nearly_all_hidden_inputs(packages: list[Path]) -> None:
    """Secret inputs are like the samples, up to what only some of them have: most are accepted."""
    accepted, total = 0, 0
    for package in packages:
        problem = kattis.read(package)
        samples = [file.read_text() for file in sorted((package / "data" / "sample").glob("*.in"))]
        format = infer(samples, statement=problem.statement)
        assert all(format.accepts(sample) for sample in samples), package.name
        for file in sorted((package / "data" / "secret").rglob("*.in"))[:15]:
            if file.stat().st_size < 20_000:
                total += 1
                accepted += format.accepts(file.read_text(errors="surrogateescape"))
    assert total > 300
    assert accepted > 0.75 * total
