#!/usr/bin/env python3
"""The directories of problems/ as two files of rows: problems.jsonl and submissions.jsonl.

    problems/<name>/
    ├── problem.md              title, type and limits between two lines ---, then the statement
    ├── public.json             {"inputs": […], "outputs": […], "fn_name"?}: the samples, shown under the statement
    ├── starter.py              function_call: how the function begins
    ├── golds/*                 right programs
    ├── generators/*.py         regular.py, corner.py, then the others by name
    ├── checker.py              where several outputs are right
    ├── validator.py            says whether an input keeps to the statement
    ├── probes.json             inputs and outputs that validator and checker must accept or reject (for the tests)
    └── wrong/<verdict>/*       programs that get this verdict

Called without arguments it writes the two files; with --check it writes nothing, and ends with code 1 where they are
not what the directories say. It needs nothing but Python, and runs no program.
"""

import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROBLEMS = HERE / "problems"
FIRST = ("regular", "corner")  # the first generators of every problem, in this order
LANGUAGES = {
    ".cpp": "cpp17",
    ".go": "go",
    ".java": "java",
    ".js": "javascript",
    ".py": "python",
    ".rs": "rust",
}


class BadExample(Exception):
    """A file is not as it should be: which, and what was expected."""


def names():
    return sorted(path.name for path in PROBLEMS.iterdir() if (path / "problem.md").is_file())


def head_and_statement(folder):
    file = folder / "problem.md"
    parts = file.read_text(encoding="utf-8").split("---\n", 2)
    if len(parts) != 3 or parts[0]:
        raise BadExample(f"{file}: expected a head between two lines ---")
    head = dict(line.split(": ", 1) for line in parts[1].splitlines())
    missing = {"title", "type", "time-limit", "memory-limit"} - head.keys()
    if missing:
        raise BadExample(f"{file}: expected {', '.join(sorted(missing))} in the head")
    if (head["type"] == "function_call") != ("fn_name" in head):
        raise BadExample(f"{file}: expected fn_name where the type is function_call, and only there")
    return head, parts[2].strip()


def question(head, statement, public):
    """The statement as a person, or a model, is given it: with its title and its samples."""
    parts = [f"# {head['title']}", statement]
    for number, (given, expected) in enumerate(zip(public["inputs"], public["outputs"], strict=True), 1):
        if head["type"] == "function_call":
            call = f"{head['fn_name']}({', '.join(given.splitlines())})"
            parts.append(f"Sample {number}: `{call}` returns `{expected}`")
        else:
            parts.append(f"Sample input {number}\n```\n{given.rstrip()}\n```")
            parts.append(f"Sample output {number}\n```\n{expected.rstrip()}\n```")
    return "\n\n".join(parts) + "\n"


def generators(folder):
    files = {path.stem: path for path in (folder / "generators").glob("*.py")}
    others = sorted(files.keys() - set(FIRST))
    return [files[stem] for stem in (*FIRST, *others) if stem in files]


def golds(folder):
    """C++ before Python before the others: the first one is asked for outputs, and is the fastest."""
    first = (".cpp", ".py")
    paths = (folder / "golds").iterdir()
    return sorted(paths, key=lambda path: (first.index(path.suffix) if path.suffix in first else 2, path.name))


def wrongs(folder):
    """(verdict, file) of each program that is not right."""
    return [(path.parent.name, path) for path in sorted((folder / "wrong").glob("*/*"))]


def row(name):
    folder = PROBLEMS / name
    head, statement = head_and_statement(folder)
    public = json.loads(text(folder / "public.json"))
    made = {
        "custom_id": name,
        "question": question(head, statement, public),
        "solutions": [text(path) for path in golds(folder)],
        "input_generator": [text(path) for path in generators(folder)],
        "type": head["type"],
        "input_output": json.dumps(public),
        "time-limit": number(head["time-limit"]),
        "memory-limit": number(head["memory-limit"]),
    }
    for field, file in (("checker", "checker.py"), ("input_validator", "validator.py")):
        if (folder / file).exists():
            made[field] = [text(folder / file)]
    if head["type"] == "function_call":
        made["fn_name"] = head["fn_name"]
        made["starter_code"] = text(folder / "starter.py").rstrip() + "\n    "
    return made


def submissions(name):
    folder = PROBLEMS / name
    for path in golds(folder):
        yield submission(name, "success", path)
    for verdict, path in wrongs(folder):
        yield submission(name, verdict, path)


def submission(name, label, path):
    if path.suffix not in LANGUAGES:
        raise BadExample(f"{path}: expected one of the endings {' '.join(LANGUAGES)}")
    return {
        "custom_id": name,
        "name": f"{label}/{path.name}",
        "solution": text(path),
        "language": LANGUAGES[path.suffix],
        "label": label,
        "correct": label == "success",
    }


def text(path):
    return path.read_text(encoding="utf-8")


def number(word):
    value = float(word)
    return int(value) if value.is_integer() else value


def files():
    """File -> what belongs into it."""
    rows = {
        "problems.jsonl": [row(name) for name in names()],
        "submissions.jsonl": [each for name in names() for each in submissions(name)],
    }
    return {
        HERE / file: "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in made)
        for file, made in rows.items()
    }


def main():
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        sys.exit(f"usage: {Path(sys.argv[0]).name} [--check]")
    try:
        made = files()
    except (BadExample, OSError, ValueError) as error:
        sys.exit(f"build.py: {error}")
    stale = [path for path, content in made.items() if not path.exists() or text(path) != content]
    for path in stale:
        if check:
            print(f"{path.name} is not what problems/ says: run examples/build.py", file=sys.stderr)
        else:
            path.write_text(made[path], encoding="utf-8")
            print(f"wrote {path.name}: {made[path].count(chr(10))} rows")
    if check and stale:
        sys.exit(1)


if __name__ == "__main__":
    main()
