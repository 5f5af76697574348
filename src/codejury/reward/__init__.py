"""Rewards for training: completions in, numbers with reasons out.

    from codejury.reward import score
    score(["```python\\nprint(int(input()) * 2)\\n```"], [{"inputs": ["4"], "outputs": ["8"]}])[0].score     # 1.0

    truths     what stands for the tests -> a Problem, by value or by reference; few tests of many
    programs   a completion -> the program in it
    rules      verdicts -> a number; rules.toml has the rules
    batch      a batch: duplicates once, our own failures again and then None
    records    a judged case as a file, and `codejury replay`

The peers' own call signatures are in `codejury.integrations`.
"""

from codejury.reward.batch import Reward, score, score_async
from codejury.reward.rules import Rule, rules

__all__ = ["Reward", "Rule", "rules", "score", "score_async"]
