"""Benchmarks: what is asked, by which tests an answer is judged, and how the verdicts are counted.

    benchmarks.toml   a benchmark is a table of it
    catalog           the tables as values; the prompt of a task
    prepared          a task's subsets of tests, with the gold's answers and limits from its times
    samples           files of samples ─► verdicts, resumable
    results           verdicts ─► eval_results.json in evalplus' layout, and back

Nothing here runs code itself: the jury does. What pass@k is, and what two runs differ by, is in `score`.
"""
