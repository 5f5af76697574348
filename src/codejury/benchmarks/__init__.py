"""Benchmarks: what is asked, by which tests an answer is judged, and how the verdicts are counted.

    sets/         a benchmark is a file there
    catalog       the files as values; the prompt of a task
    sources, hub  where a benchmark's data is; data sets from a hub, in a cache
    prepared      a task's subsets of tests, with the gold's answers and limits from its times
    samples       files of samples ─► verdicts, resumable
    results       verdicts ─► eval_results.json in evalplus' layout, and back

    task          TaskConfig, run_task: a whole evaluation of a model, and the folder that it leaves
    evaluation    the model asked and its answers judged at the same time, resumable
    extract       a reply ─► the program that is judged
    records       the rows of a run's files;  report: evalscope's report

Nothing here runs code itself: the jury does. What pass@k is, and what two runs differ by, is in `score`.
"""
