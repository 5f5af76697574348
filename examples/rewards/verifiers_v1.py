"""verifiers from v1 on: a task whose reward is codejury's, scored by verifiers itself.

    pip install verifiers
    python examples/rewards/verifiers_v1.py
"""

import asyncio
import json

import verifiers.v1 as vf

from codejury.integrations.verifiers import reward_of


class CodeData(vf.TaskData):
    tests: str


class CodeTask(vf.Task[CodeData]):
    @vf.reward(weight=1.0)
    async def tests_pass(self, trace: vf.Trace) -> float:
        return await reward_of(self.data, trace, rule="pass_rate")


async def scored(completion: str) -> float:
    """What a rollout does after the model has answered."""
    task = CodeTask(CodeData(prompt="Double.", tests=json.dumps({"inputs": ["4\n"], "outputs": ["8\n"]})))
    agent = vf.AgentInfo(config=vf.AgentConfig())
    trace = vf.Trace(task=vf.TraceTask(type="CodeTask", data=task.data), agent=agent, root_reply=completion)
    await task.score(trace)
    return trace.reward


def main() -> None:
    for code in ("print(2 * int(input()))", "print(7)"):
        print(asyncio.run(scored(f"```python\n{code}\n```")), code)


if __name__ == "__main__":
    main()
