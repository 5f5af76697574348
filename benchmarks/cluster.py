"""The rate of a Ray cluster of two nodes on this machine beside the local runner, with as many workers.

    python benchmarks/cluster.py [--rounds 3] [--completions 96] [--tests 20] [--workers 1] [--wide]

Both judge the same batch of completions (Python programs, a third of them wrong on some tests) by `reward.score`, in
turns. `--workers` is for each node; the local runner has as many as both together. `--wide` lets the tests be larger
(40 KB each), so that they travel through the object store.

Text goes to stderr as it comes, one JSON object to stdout at the end. Needs the extra `ray`.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from typing import Any

from codejury import Jury, Sandbox
from codejury.reward import score


def batch(completions: int, tests: int, *, wide: bool) -> tuple[list[str], list[Any]]:
    more = " " + "7" * 40_000 if wide else ""
    truth = {"inputs": [f"{n}{more}" for n in range(tests)], "outputs": [str(2 * n) for n in range(tests)]}
    texts = []
    for number in range(completions):
        wrong = f" + (n > {tests // 2})" if number % 3 == 1 else ""
        texts.append(f"```python\n# {number}\nn = int(input().split()[0])\nprint(2 * n{wrong})\n```")
    return texts, [truth] * completions


def measured(jury: Jury, texts: list[str], truths: list[Any]) -> tuple[float, list[float | None]]:
    """Tests a second, and the scores."""
    began = time.perf_counter()
    said = score(texts, truths, rule="pass_rate", jury=jury)
    return sum(each.total for each in said) / (time.perf_counter() - began), [each.score for each in said]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--completions", type=int, default=96)
    parser.add_argument("--tests", type=int, default=20)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--wide", action="store_true")
    options = parser.parse_args()
    import ray
    from ray.cluster_utils import Cluster

    from codejury.runners.ray import RayPool

    def say(text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": options.workers, "include_dashboard": False})
    cluster.add_node(num_cpus=options.workers)
    ray.init(address=cluster.address, log_to_driver=False)
    texts, truths = batch(options.completions, options.tests, wide=options.wide)
    rates: dict[str, list[float]] = {"local": [], "ray": []}
    try:
        there = Sandbox(pool=RayPool(workers=options.workers))
        with there, Sandbox(workers=2 * options.workers) as here, Jury(there) as far, Jury(here) as near:
            juries = {"local": near, "ray": far}
            for jury in juries.values():
                measured(jury, texts[:8], truths[:8])
            for number in range(options.rounds):
                scores = []
                for name, jury in juries.items():
                    rate, found = measured(jury, texts, truths)
                    rates[name].append(rate)
                    scores.append(found)
                assert scores[0] == scores[1]
                say(f"round {number + 1}: " + ", ".join(f"{name} {rates[name][-1]:.0f}/s" for name in rates))
    finally:
        ray.shutdown()
        cluster.shutdown()
    ratios = [far / near for far, near in zip(rates["ray"], rates["local"], strict=True)]
    print(
        json.dumps(
            {
                "workers": 2 * options.workers,
                "tests_a_second": {name: [round(each, 1) for each in found] for name, found in rates.items()},
                "ratios": [round(each, 3) for each in ratios],
                "of_local": round(statistics.median(ratios), 3),
                "load": os.getloadavg()[0],
            },
            indent=2,
        )
    )


if __name__ == "__main__":
    main()
