"""Rewards from the library alone: a batch of completions, the same rule for all.

    python examples/rewards/score.py
"""

import json

from codejury.reward import score

TESTS = json.dumps({"inputs": ["4\n", "-3\n", "0\n"], "outputs": ["8\n", "-6\n", "0\n"]})
COMPLETIONS = [
    "```python\nprint(2 * int(input()))\n```",
    "```python\nn = int(input())\nprint(n * n)\n```",
    "```cpp\n#include <iostream>\nint main() { int n; std::cin >> n; std::cout << 2 * n; }\n```",
    "I do not know.",
    "```python\nimport os\nprint(8)\nos._exit(0)\n```",
]


def main() -> None:
    rewards = score(COMPLETIONS, [TESTS] * len(COMPLETIONS), rule="pass_rate")
    for reward in rewards:
        print(f"{reward.score:.2f}  {reward.passed}/{reward.total}  {reward.verdict:<14} {reward.message[:60]}")


if __name__ == "__main__":
    main()
