"""The judge: a submission and a problem's tests in, a judgement out.

    given      what callers give as tests, as a Problem
    jury       scheduling: many submissions, all their cases, on all workers; verdicts in order
    case       one case of a program that reads standard input
    results    what cases came to, kept by content
    clock      when a program was too slow; gate: who may run beside it
    verdict    what an outcome is worth before anybody looks at the answer
    calls      functions: arguments in, value out, compared outside
    scripts    test code in one box, the candidate in another
    values     the closed encoding by which values cross
    inside/    what runs in the boxes

The package is not called `judge` because `codejury.judge` is the function.
"""
