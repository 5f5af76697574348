"""What is read and written, from the headers of the readers."""

from __future__ import annotations

import importlib

from _made.markdown import code, plain, prose, table
from codejury.dataset import FORMATS
from codejury.dataset.writers import TARGETS

_MODULES = {"codejury": "native"}  # where the file is named otherwise than the format


def header(name: str) -> str:
    return importlib.import_module(f"codejury.dataset.formats.{_MODULES.get(name, name)}").__doc__ or ""


def page() -> str:
    written = set(TARGETS)
    parts = [
        "# Formats\n",
        "Problems are read as they come; which format a file is in is told from its first good row. Files are "
        "JSON lines, plain or "
        "gzipped, one JSON list, or Parquet (with the extra `parquet`). Nothing is unpickled or evaluated. A row "
        "that cannot be read is "
        "told with file, line, field and what was expected.\n",
        table(
            ["format", "", "read", "written by `convert`"],
            (
                [
                    f"[{code(name)}](#{name})",
                    plain(header(name).split(".\n")[0].split(".", 1)[0].strip()),
                    "yes",
                    "yes" if name in written else "",
                ]
                for name in FORMATS
            ),
        ),
        "Also written: " + ", ".join(code(name) for name in TARGETS if name not in FORMATS) + ".\n",
    ]
    for name in FORMATS:
        parts += [f"## {name}\n", prose(header(name))]
    parts.append(
        "## What commands write\n\n"
        "The rows of `gen`: [Making tests](../generation.md#rows); of `synth`: "
        "[Synthesis](../synthesis.md#the-rows); the files of `eval`: "
        "[Benchmarks](../evaluation.md#a-models-run); of `quality`: [Strong tests](../strength.md#quality). "
        "Verdicts of `judge --output` "
        "are a JSON line a submission.\n"
    )
    return "\n".join(parts)
