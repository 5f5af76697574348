"""Results of every kind, small, as the commands write them; and one text that attacks whoever shows it.

ATTACK leaves every context that a report could put it into: text, attribute, comment, script, style, address, a closing
tag of whatever holds the data. If any of it is taken for markup, `window.stolen` is set, an element `.stolen` is there,
or something is fetched.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ATTACK = (
    "</script></title></style></textarea></svg></pre>--><script>window.stolen = 1</script>"
    '"\'><img class=stolen src=http://stolen.invalid/x onerror="window.stolen=1"><svg onload=window.stolen=1>'
    "<iframe srcdoc='<script>parent.stolen=1</script>'></iframe><a class=stolen href='javascript:window.stolen=1'>"
    "{{7*7}}${7*7}<base href=//stolen.invalid>\u202e\x00\ud800]]>"
)


def write(path: Path, rows: list[Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def problem(name: str, *, text: str = "", tests: int = 3, large: int = 0, **more: Any) -> dict[str, Any]:
    """A row of `gen`. `text` goes to every place that text can be in."""
    given = [{"input": f"{text}{n}\n" + "7 " * large, "output": f"{text}{n * 2}\n"} for n in range(tests)]
    told = [{"generator": 0, "position": n, "golds": [0, 1], "cpu_s": 0.01, "memory_mb": 3.5} for n in range(tests)]
    return {
        "custom_id": name,
        "question": f"# Sum of {name}\n\nAdd the numbers. {text}",
        "solutions": [f"print(sum(map(int, input().split())))  # {text}", f"int main() {{}} // {text}"],
        "input_generator": [f"print(['1 2'])  # {text}"],
        "type": "stdin",
        "input_output": json.dumps({"inputs": ["1 2\n"], "outputs": ["3\n"]}),
        "time-limit": "2",
        "memory-limit": "256",
        "error_info": None if tests else f"step: agree\nwhat: the golds agree on no input {text}",
        "reward": {"ground_truth": {"input_output": given, "type": "stdin", "fn_name": None}},
        "test_provenance": {
            "style": "list",
            "quorum": "all",
            "tests": told,
            "dropped": [
                {
                    "step": "inputs",
                    "reason": "duplicate",
                    "count": 2,
                    "first": f"'1' {text}",
                    "positions": [[0, 1], [0, 2]],
                },
                {"step": "agree", "reason": "golds disagree", "count": 1, "first": text, "positions": [[0, 3]]},
            ],
            "set_aside": [{"gold": 1, "why": f"fails {text}"}],
        },
        **more,
    }


def hardened(name: str, *, text: str = "") -> dict[str, Any]:
    row = problem(name, text=text, tests=4)
    row["test_provenance"] = {
        "tests": [
            {"origin": "given"},
            {"origin": "given"},
            *({"origin": "mutation", "how": f"small{text}"} for _ in range(3)),
        ],
        "hardened": {
            "golds": [0],
            "programs": 5,
            "mutants": 4,
            "killed_before": 1,
            "killed": 3,
            "states": {"killed before": 1, "killed by new tests": 2, "survives": 2},
            "survivors": [
                {
                    "id": f"{name}/gold0/boundary/1",
                    "operator": "boundary",
                    "line": 3,
                    "before": f"a < b{text}",
                    "after": f"a <= b{text}",
                },
                {"id": f"{name}#1{text}"},
            ],
            "tests_before": 2,
            "tests_new": 3,
            "kills": [[f"{name}/gold0/boundary/0"], [], [f"{name}/gold0/drop/2"]],
            "inputs": {"tried": 20, "invalid": 2, f"golds disagree{text}": 1},
            "seconds": 1.5,
        },
    }
    return row


def record(path: Path, text: str = "") -> None:
    """T.run.json."""
    run = {
        "state": "done",
        "started": "2026-05-04T03:02:01.000+00:00",
        "seconds": 12.5,
        "input": f"problems{text}.jsonl",
        "output": str(path),
        "settings": {"quorum": "all", f"name{text}": text, "run": {"cpu_s": 5.0, "wall_s": None}},
        "versions": {"codejury": f"0.1.0{text}", "python": "3.11"},
        "host": {"processor": f"fast{text}", "cores": 2},
        "counts": {"rows": 3, "runs": 30},
        "timings": {"inputs": {"runs": 3, "total_s": 2.5}, f"outputs{text}": {"runs": 9, "total_s": 7.5}},
        "sandbox": {"level": "full", "layers": ["pid", f"net{text}"], "workers": 2},
    }
    path.with_name(path.name.removesuffix(".jsonl") + ".run.json").write_text(json.dumps({"runs": [run]}))


def quality(path: Path, *, text: str = "", suites: tuple[str, ...] = ("weak", "strong")) -> Path:
    """Q.json and Q.programs.jsonl: the first suite lets one wrong program of two pass, the others none."""
    table, problems, programs = [], [], []
    for at, suite in enumerate(suites):
        suite += text
        rate = {"tpr_hits": 4, "tpr_programs": 4, "tnr_hits": 4 if at else 2, "tnr_programs": 4, "not_judged": 0}
        table += [{"suite": suite, "language": language, **rate} for language in (f"Python 3{text}", "All")]
        for name in ("sum", f"product{text}"):
            half = {"tpr_hits": 2, "tpr_programs": 2, "tnr_hits": 2 if at else 1, "tnr_programs": 2, "not_judged": 0}
            problems.append({"suite": suite, "problem": name, **half})
            for number in range(4):
                right = number < 2
                programs.append(
                    {
                        "suite": suite,
                        "problem": name,
                        "program": f"{name}#{number}",
                        "language": f"python{text}",
                        "correct": right,
                        "accepted": right or (number == 3 and not at),
                    }
                )
    path.write_text(json.dumps({"table": table, "problems": problems}))
    write(path.with_name(path.name.removesuffix(".json") + ".programs.jsonl"), programs)
    return path


def evals(path: Path, *, passing: int, tasks: int = 12, samples: int = 3, text: str = "") -> Path:
    """eval_results.json and its verdicts: the first `passing` tasks pass, the next two pass base alone."""
    rows: dict[str, Any] = {}
    verdicts = []
    for at in range(tasks):
        task = f"Demo/{at}{text if at == 1 else ''}"
        base = at < passing + 2
        plus = at < passing
        row = {
            "task_id": task,
            "solution": f"def f(x):\n    return x + {at}  # {text}",
            "base_status": "pass" if base else "fail",
            "plus_status": "pass" if plus else "fail",
            "base_fail_tests": [] if base else [[f"1{text}"]],
            "plus_fail_tests": [] if plus else [[2]],
            "reply": f"Here it is: {text}",
        }
        rows[task] = [row] * samples
        subsets = {
            "base": {
                "status": row["base_status"],
                "verdict": "success" if base else "wrong_answer",
                "message": f"expected 2{text}",
                "failed": row["base_fail_tests"],
            },
            "plus": {
                "status": row["plus_status"],
                "verdict": "success" if plus else "runtime_error",
                "message": "boom",
                "failed": row["plus_fail_tests"],
            },
        }
        verdicts.append({"key": str(at), "task_id": task, "subsets": subsets})
    about = {
        "version": "0.1.0",
        "dataset": f"demo{text}",
        "scoring": "codejury",
        "not_judged": [],
        "without_samples": [],
    }
    path.write_text(
        json.dumps({"date": "2026-05-04 03:02", "hash": "0" * 32, "eval": rows, "pass_at_k": {}, "codejury": about})
    )
    write(path.with_name(path.name.removesuffix("results.json") + "verdicts.jsonl"), verdicts)
    return path


def verdicts(path: Path, *, count: int = 6, text: str = "") -> Path:
    rows = []
    for at in range(count):
        right = at % 2 == 0
        rows.append(
            {
                "custom_id": f"sum#{at}{text}",
                "problem": f"sum{text}",
                "verdict": "success" if right else "wrong_answer",
                "passed": 5 if right else at % 5,
                "total": 5,
                "cpu_s": 0.01 * at,
                "memory_mb": 2.5,
                "first_failure": None if right else {"index": 1, "message": f"line 1: expected 3, got 4 {text}"},
                "compile_message": text,
                "cases": ["success"] * 5
                if right
                else ["success", "wrong_answer", "success", "runtime_error", "success"],
                "shared_process": False,
                "label": "success" if right else "wrong_answer",
            }
        )
    return write(path, rows)


def speeds(path: Path, text: str = "") -> Path:
    ways = [
        {"name": "bare", "median_ms": 10.0, "ratio_to_bare": 1.0, "failed": ""},
        {"name": "codejury", "median_ms": 2.0, "ratio_to_bare": 0.2, "failed": ""},
        {"name": f"other{text}", "median_ms": 30.0, "ratio_to_bare": 3.0, "failed": ""},
        {"name": "missing", "median_ms": 0.0, "ratio_to_bare": 0.0, "failed": f"no {text}"},
    ]
    through = [{"program": f"python{text}", "one_worker": 400.0, "all_workers": 700.0, "workers": 2, "ratio": 1.75}]
    path.write_text(
        json.dumps({"level": f"full{text}", "runs": 10, "python": ways, "cpp": ways, "throughput": through})
    )
    return path


def programs(path: Path, text: str = "") -> Path:
    rows = [
        {"custom_id": name, "solution": f"print('wrong {name}')  # {text}", "language": "python", "correct": False}
        for name in ("sum",) * 4
    ]
    return write(path, rows)


def everything(folder: Path, text: str = "") -> list[Path]:
    """A file of each kind, with the text in every place of it; their names too, as far as a file system takes it."""
    name = text.replace("/", "").replace("\0", "").encode("utf-8", "replace").decode()[:120]
    tests = write(folder / f"tests{name}.jsonl", [problem(f"p{n}{text}", text=text, tests=n) for n in range(4)])
    record(tests, text)
    return [
        tests,
        write(folder / "hard.jsonl", [hardened(f"h{n}{text}", text=text) for n in range(2)]),
        quality(folder / f"Q{name}.json", text=text),
        evals(folder / "a_eval_results.json", passing=4, text=text),
        evals(folder / "b_eval_results.json", passing=7, text=text),
        verdicts(folder / f"verdicts{name}.jsonl", text=text),
        speeds(folder / "bench.json", text),
        programs(folder / "submissions.jsonl", text),
    ]
