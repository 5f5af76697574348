"""rllm: `code_reward_fn(task_info, action)`, with each of its shapes of tests.

    python examples/rewards/rllm_reward.py
"""

from codejury.integrations.rllm import code_reward_fn

FUNCTION = "```python\ndef double(n):\n    return 2 * n\n```"
TESTS = {
    "taco": {"fn_name": "double", "inputs": [[4], [-3]], "outputs": [[8], [-6]]},
    "livecodebench": [{"input": "4", "output": "8", "testtype": "functional", "metadata": {"func_name": "double"}}],
    "leetcode": {"functional": "def check(candidate):\n    assert candidate(4) == 8\n\ncheck(double)\n"},
    "kodcode": "from solution import double\n\ndef test_double():\n    assert double(4) == 8\n",
}


def main() -> None:
    for source, tests in TESTS.items():
        said = code_reward_fn({"data_source": source, "ground_truth": tests}, FUNCTION)
        print(f"{source:<14} {said.reward} {said.is_correct} {said.metadata['verdict']}")


if __name__ == "__main__":
    main()
