"""Whether an answer is the right one.

    compare     expected text against the one that came -> the first difference, or none
    program     checker programs of the user's -> accepted or not; they run in the sandbox like everything untrusted
    klear_inside, testlib_inside   what runs inside the sandbox before a checker in Python: scripts, imported by nobody

Running submissions is the judge's.
"""

from __future__ import annotations
