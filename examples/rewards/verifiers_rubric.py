"""verifiers up to 0.1.x: a Rubric whose one function is codejury's.

    pip install 'verifiers<0.2'
    python examples/rewards/verifiers_rubric.py
"""

import asyncio
import json

import verifiers as vf

from codejury.integrations.verifiers import rubric

TESTS = json.dumps({"inputs": ["4\n"], "outputs": ["8\n"]})


async def scored(completion: str) -> float:
    state = vf.State(input={"prompt": "Double.", "answer": TESTS, "example_id": 0, "task": "code"})
    state["prompt"] = [{"role": "user", "content": "Double."}]
    state["completion"] = [{"role": "assistant", "content": completion}]
    state["answer"], state["task"], state["info"], state["trajectory"] = TESTS, "code", {}, []
    state["timing"] = vf.types.RolloutTiming()
    await rubric(rule="pass_rate").score_rollout(state)
    return state["reward"]


def main() -> None:
    for code in ("print(2 * int(input()))", "print(7)"):
        print(asyncio.run(scored(f"```python\n{code}\n```")), code)


if __name__ == "__main__":
    main()
