"""verl: what goes on its command line, and what it then does with it, without verl.

    python examples/rewards/verl_reward.py
"""

import importlib.util
import json

import codejury.integrations.verl

TESTS = json.dumps({"fn_name": "double", "inputs": ["4", "-3"], "outputs": ["8", "-6"]})


def main() -> None:
    path = codejury.integrations.verl.__file__
    print(f"custom_reward_function.path={path}")
    print("custom_reward_function.name=compute_score")
    print("custom_reward_function.reward_kwargs.rule=pass_rate")

    spec = importlib.util.spec_from_file_location("custom_module", path)  # as verl loads it
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for solution in ("```python\ndef double(n):\n    return 2 * n\n```", "```python\ndef double(n):\n    return 8\n```"):
        row = module.compute_score(
            data_source="taco", solution_str=solution, ground_truth=TESTS, extra_info={"index": 0}, rule="pass_rate"
        )
        print(row)


if __name__ == "__main__":
    main()
