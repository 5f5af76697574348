"""open-r1: its reward function's place, its provider's place, and a request to its router.

    python examples/rewards/open_r1_provider.py
"""

import json

from codejury.integrations.open_r1 import Provider, code_reward, execute_batch

CASES = [{"input": "4", "output": "8"}, {"input": "-3", "output": "-6"}]
CODE = "print(2 * int(input()))"
SCRIPT = f"""
    code_snippet = {json.dumps(CODE)}
    test_cases = json.loads({json.dumps(json.dumps(CASES))})

    evaluate_code(code_snippet, test_cases)
"""


def main() -> None:
    completion = [{"role": "assistant", "content": f"```python\n{CODE}\n```"}]
    print("code_reward      ", code_reward([completion], verification_info=[{"language": "python", "test_cases": CASES}]))
    print("execute_scripts  ", Provider().execute_scripts([SCRIPT], ["python"]))
    (answer,) = execute_batch({"scripts": [SCRIPT], "languages": ["python"], "timeout": 30, "request_timeout": 28})
    print("/execute_batch   ", answer)


if __name__ == "__main__":
    main()
