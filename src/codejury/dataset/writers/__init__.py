"""Problems into other people's formats: one writer a format, the counterpart of `formats`.

    write(problem: Problem) -> dict        the row; Inexpressible where the format cannot hold such a problem at all
    kattis.write(problem, folder, …)       a directory instead

A writer does not say what it leaves out: every row is read back by the format's own reader, and what differs from the
problem that went in is what was lost (`losses`). So nothing is lost without a word, whatever a writer forgets. Fields
of `Problem.extra` go into the row beside the format's own, as long as the reader leaves them alone.

    values     arguments, results and tests as the formats spell them
    losses     what of a problem is not the same after reading it back
    sinks      rows into JSON lines or Parquet, packages into a directory; whole or not at all
    convert    one file into another
"""

from codejury.dataset.writers.convert import TARGETS, Conversion, convert
from codejury.dataset.writers.values import Inexpressible

__all__ = ["TARGETS", "Conversion", "Inexpressible", "convert"]
