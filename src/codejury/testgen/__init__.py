"""Tests out of generators and golds, each with proof of where it comes from; and tests for what those miss.

    row ─► inputs ─► no duplicates ─► valid inputs ─► outputs of the golds ─► agreed ─► steady ─► row with tests

    options     what a caller may choose; the quorum
    rows        a file's lines -> tasks; what is wrong with a line; the row that is written
    inputs      generator programs -> inputs
    validate    input validator programs
    outputs     one gold on one input; what all golds answer to all inputs
    agreement   who agrees with whom, who is set aside, what is trusted: no program runs here
    special     the same question put to a checker program
    steady      a second run of a gold, to find answers that change
    pipeline    one row through all steps
    crew        the threads that all rows share, and the counts
    run         many rows: bounded memory, resumable
    record      what is written down beside the output about the run
    lint        what is weak in tests; stats: how much there is of what

    texts       inputs of programs, grown and answered by the golds; functions: the same for arguments
    kills       wrong programs, and which test rejects which; mutants: what became of mutants that ran
    order       tests that have rejected most come first
    harden      new tests until the programs that passed fail
    select      few tests that reject as much as many
    quality     programs that are known to be right or wrong, before suites of tests
    rework      a file of problems, each to a row with other tests
    trust       whether checkers and input validators have earned trust

Every program here is untrusted and runs in the sandbox. What comes out depends on the row and the options alone, not
on how runs interleave, as far as the programs themselves answer the same each time.
"""

from codejury.testgen.options import Options, Quorum
from codejury.testgen.run import Summary, generate

__all__ = ["Options", "Quorum", "Summary", "generate"]
