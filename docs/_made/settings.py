"""The settings, from the table in the header of `codejury.settings`; tests/test_settings.py holds that to the code."""

from __future__ import annotations

import re

from _made.markdown import code, plain, table
from codejury import settings


def rows() -> list[tuple[str, str, str, str]]:
    """Name, expected, meaning, default."""
    found = []
    for line in (settings.__doc__ or "").splitlines():
        if line.startswith("    CODEJURY_"):
            name, expected, meaning, default = re.split(r" {2,}", line.strip())
            found.append((name, expected, meaning, default))
    return found


def page() -> str:
    def default(text: str) -> str:
        return code(settings.DEFAULT_PRELOAD.replace(",", ", ")) if text == "DEFAULT_PRELOAD" else plain(text)

    return "\n".join(
        [
            "# Settings\n",
            "Settings are environment variables. What is given to a function or on the command line goes before "
            "them.\n",
            table(
                ["variable", "expected", "meaning", "default"],
                ([code(name), plain(want), plain(why), default(usual)] for name, want, why, usual in rows()),
            ),
            "Sizes are megabytes of 2^20 bytes, times are seconds. A value that cannot be used is a "
            "`SettingsError` that names the "
            "variable and what was expected.\n",
        ]
    )
