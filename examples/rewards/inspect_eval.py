"""inspect_ai: an eval whose programs run in codejury's sandbox.

    pip install inspect_ai
    python examples/rewards/inspect_eval.py
    inspect eval task.py --sandbox codejury --model …      with a task and a model of your own
"""

import tempfile

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Score, accuracy, scorer
from inspect_ai.solver import solver
from inspect_ai.util import sandbox


@solver
def answers():
    """In a model's place."""

    async def solve(state, generate):
        state.output = ModelOutput.from_content("mockllm/model", state.metadata["answer"])
        return state

    return solve


@scorer(metrics=[accuracy()])
def runs():
    async def score(state, target):
        await sandbox().write_file("main.py", state.output.completion)
        done = await sandbox().exec(["python3", "main.py"], input="21", timeout=10)
        return Score(value=float(done.stdout.strip() == target.text), explanation=done.stderr)

    return score


def main() -> None:
    codes = ("print(int(input()) * 2)", "print(7)")
    samples = [Sample(input="Double.", target="42", metadata={"answer": code}) for code in codes]
    task = Task(dataset=samples, solver=answers(), scorer=runs(), sandbox="codejury")
    with tempfile.TemporaryDirectory() as logs:
        (log,) = eval(task, model="mockllm/model", log_dir=logs, display="none")
    print(log.status, "accuracy", log.results.scores[0].metrics["accuracy"].value)


if __name__ == "__main__":
    main()
