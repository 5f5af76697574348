"""Results as one HTML file that opens from disk: figures first, then every problem, task and program.

    PATH … ─► sources (what is it?) ─► a section each: figures, charts, a list ─► page ─► report.html
                                             │
                                             └─ items, cut and packed (pack.py), opened by report.js

Nothing that comes from programs, models or data becomes markup: the page's own parts are elements (markup.py) whose
texts are escaped when they are written, and what report.js shows it sets as text. The page's rules forbid any script,
style or address but its own.
"""

from codejury.report.build import Built, build

__all__ = ["Built", "build"]
