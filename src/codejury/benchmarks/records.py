"""The rows of a run's two files, in evalscope's layout: what the model said, and what that is worth.

    predictions/<model>/<dataset>_<subset>.jsonl   {index, model, model_output, messages, metadata}
    reviews/<model>/<dataset>_<subset>.jsonl       {index, target, messages, sample_score}

`metadata` of a prediction has the task, what was cut of the reply on the way to its code, and `key`: a digest of the
question. A question that was not answered has its `error` in `model_output`, and no choices. `sample_metadata` of a
review has the verdicts in our words, and `key`: a digest of the question, the reply, and all that judges it. So a later
run takes what still holds and no more.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from codejury.benchmarks.catalog import Subset
from codejury.benchmarks.extract import Program
from codejury.benchmarks.samples import Judged, SubsetVerdict
from codejury.llm.client import Reply

_STOPPED = {"stop": "stop", "length": "max_tokens", "content_filter": "content_filter", "tool_calls": "tool_calls"}


class Item(msgspec.Struct, frozen=True):
    """One question of a run. `index` counts them all, `group` the tasks, `repeat` the questions of a task."""

    index: int
    group: int
    repeat: int
    task_id: str


def key_of(*parts: Any) -> str:
    return hashlib.blake2b(json.dumps(parts, sort_keys=True).encode(), digest_size=16).hexdigest()


def prediction_row(
    item: Item,
    model: str,
    messages: Sequence[Mapping[str, str]],
    reply: Reply,
    program: Program,
    *,
    key: str,
    took_s: float,
) -> dict[str, Any]:
    answer = {"role": "assistant", "content": reply.text}
    usage = None
    if reply.prompt_tokens is not None and reply.completion_tokens is not None:
        both = (reply.prompt_tokens, reply.completion_tokens)
        usage = {"input_tokens": both[0], "output_tokens": both[1], "total_tokens": sum(both)}
    return {
        "index": item.index,
        "model": model,
        "model_output": {
            "model": model,
            "choices": [{"message": answer, "stop_reason": _STOPPED.get(reply.finish_reason, "unknown")}],
            "usage": usage,
            "time": round(took_s, 3),
            "error": None,
        },
        "messages": [*messages, answer],
        "metadata": {
            **_place(item),
            "key": key,
            "finish_reason": reply.finish_reason,
            "extraction": {
                "what_was_cut": list(program.what_was_cut),
                "why_none": program.why_none,
                "detail": program.detail,
                "is_cut": program.is_cut,
            },
        },
    }


def failure_row(
    item: Item, model: str, messages: Sequence[Mapping[str, str]], error: str, *, trouble: str, key: str
) -> dict[str, Any]:
    """The model did not answer."""
    return {
        "index": item.index,
        "model": model,
        "model_output": {"model": model, "choices": [], "usage": None, "time": None, "error": error},
        "messages": list(messages),
        "metadata": {**_place(item), "key": key, "trouble": trouble},
    }


def review_row(
    item: Item,
    messages: Sequence[Mapping[str, str]],
    reply: str,
    program: Program,
    judged: Judged,
    *,
    target: str,
    key: str,
) -> dict[str, Any]:
    passed = passes(judged.subsets)
    value = {"acc": float(all(passed.values()))}
    if len(passed) > 1:
        value["base_acc"] = float(passed["base"])
    worst = next((each for each in judged.subsets.values() if each.status != "pass"), None)
    return {
        "index": item.index,
        "target": [target] if target.strip() else None,
        "messages": [*messages, {"role": "assistant", "content": reply}],
        "sample_score": {
            "score": {
                "value": value,
                "extracted_prediction": program.source,
                "prediction": reply,
                "explanation": "" if worst is None else f"{worst.verdict}: {worst.message}",
                "metadata": {"subsets": msgspec.to_builtins(judged.subsets)},
                "main_score_name": "acc",
            },
            "sample_id": item.index,
            "group_id": item.group,
            "generation_index": item.repeat,
            "sample_metadata": {**_place(item), "key": key},
        },
    }


def no_code(item: Item, program: Program, subsets: Sequence[Subset]) -> Judged:
    """A reply without code: wrong, with the reason, and nothing to run."""
    verdict = SubsetVerdict(
        status="fail", verdict="compile_error", message=f"no code: {program.why_none}: {program.detail}"
    )
    return Judged(task_id=item.task_id, source="", subsets=dict.fromkeys(subsets, verdict))


def passes(subsets: Mapping[Subset, SubsetVerdict]) -> dict[Subset, bool]:
    return {name: each.status == "pass" for name, each in subsets.items()}


def text_of(row: Mapping[str, Any]) -> str | None:
    """The reply in a row of predictions; None where the model did not answer."""
    choices = row["model_output"]["choices"]
    return str(choices[0]["message"]["content"]) if choices else None


def _place(item: Item) -> dict[str, Any]:
    return {"task_id": item.task_id, "group_id": item.group, "repeat": item.repeat}


class Rows:
    """The rows of a file by their index, each read when it is asked for. A context manager; safe from threads."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        self._guard = threading.Lock()
        self.places: dict[int, tuple[int, int]] = {}
        at = 0
        with open(path, "rb") as stream:
            for line in stream:
                if line.endswith(b"\n") and line.strip():
                    self.places[_index.decode(line).index] = (at, len(line))
                at += len(line)

    def __getitem__(self, index: int) -> dict[str, Any]:
        at, size = self.places[index]
        row: dict[str, Any] = json.loads(os.pread(self._file, size, at))
        return row

    def __contains__(self, index: int) -> bool:
        return index in self.places

    def close(self) -> None:
        with self._guard:
            if self._file >= 0:
                os.close(self._file)
                self._file = -1

    def __enter__(self) -> Rows:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class _Indexed(msgspec.Struct):
    index: int


_index = msgspec.json.Decoder(_Indexed)
