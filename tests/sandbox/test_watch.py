"""Looking on: who has a worker, who waits, what ended how. The runner is a real one in a script's hands, so that each
moment is ours; then the sandbox itself."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

import codejury
from codejury.errors import WorkerLost
from codejury.languages.execute import Job, watching
from codejury.model import Command, Outcome
from codejury.sandbox.interpreter import Interpreter
from codejury.sandbox.pool import Task
from codejury.sandbox.watch import Spread, Watch, Watched

_T = TypeVar("_T")
WAIT_S = 60.0


def outcome(status: Any = "ok", memory_mb: float = 1.0) -> Outcome:
    return Outcome(
        status=status,
        exit_code=0,
        signal=None,
        stdout=b"",
        stderr=b"",
        cpu_s=0.0,
        wall_s=0.0,
        memory_mb=memory_mb,
        level="full",
        layers=("seccomp",),
    )


class Held:
    """A runner of two workers whose runs end when they are told to."""

    workers = 2
    level: Any = "full"
    layers = ()

    def __init__(self) -> None:
        self.ends: dict[str, threading.Event] = {}
        self.comes_to: dict[str, Outcome | Exception] = {}

    @property
    def python(self) -> Interpreter:
        raise NotImplementedError

    def shadows(self, files: Iterable[str]) -> bool:
        return False

    def show(self, paths: Iterable[Path]) -> None: ...

    def run(self, command: Command) -> Outcome:
        assert self.ends[command.label].wait(WAIT_S)
        what = self.comes_to.get(command.label, outcome())
        if isinstance(what, Exception):
            raise what
        return what

    def run_pair(self, first: Command, second: Command) -> tuple[Outcome, Outcome]:
        return self.run(first), self.run(second)

    def run_for(self, task: Task, call: Callable[[], _T]) -> _T:
        return call()

    def prepare(self) -> None: ...

    def close(self) -> None: ...


class Story:
    def __init__(self) -> None:
        self.watch, self.runner = Watch(), Held()
        self.watched = Watched(self.runner, self.watch)
        self.threads: dict[str, threading.Thread] = {}

    def begin(self, label: str, task: Task | None = None) -> None:
        self.runner.ends[label] = threading.Event()
        before = self.count

        def work() -> None:
            with contextlib.suppress(WorkerLost):
                self.watched.run_for(task or Task(), lambda: self.watched.run(Command(argv=("x",), label=label)))

        self.threads[label] = threading.Thread(target=work, daemon=True)
        self.threads[label].start()
        while self.count == before:
            assert self.threads[label].is_alive()

    def end(self, label: str) -> None:
        self.runner.ends[label].set()
        self.threads[label].join(WAIT_S)

    @property
    def count(self) -> int:
        look = self.watch.look()
        return len(look.runs) + look.waiting

    @property
    def running(self) -> list[str]:
        return [each.label for each in self.watch.look().runs]


@pytest.fixture
def story() -> Iterator[Story]:
    one = Story()
    yield one
    for label in one.threads:
        one.end(label)


def test_who_has_waited_longest_is_next(story: Story) -> None:
    for label in "abcd":
        story.begin(label)
    assert (story.running, story.watch.look().waiting) == (["a", "b"], 2)
    waited = story.watch.look().runs[0].seconds
    story.end("b")
    assert (story.running, story.watch.look().waiting) == (["a", "c"], 1)
    assert story.watch.look().runs[1].seconds < story.watch.look().runs[0].seconds, "counted from when it got a worker"
    assert story.watch.look().runs[0].seconds >= waited
    story.end("a")
    assert story.running == ["c", "d"]
    story.end("c")
    story.end("d")
    assert (story.running, story.count) == ([], 0)


def test_what_ended_is_counted_once(story: Story) -> None:
    story.runner.comes_to = {"b": outcome("runtime_error", 9.0), "c": WorkerLost("gone")}
    for label in "abc":
        story.begin(label)
    for label in "abc":
        story.end(label)
    ended = story.watch.take()
    assert ended.counts == {"ok": 1, "runtime_error": 1, "WorkerLost": 1}
    assert (ended.memory_mb, ended.took.total) == (9.0, 2)
    assert (story.watch.look().level, story.watch.look().layers) == ("full", ("seccomp",))
    assert story.watch.take().counts == {}


def test_whose_it_is(story: Story) -> None:
    task = Task()
    task.label = ("somebody", "/judge")
    story.begin("a", task)
    story.begin("b")
    assert [each.of for each in story.watch.look().runs] == [("somebody", "/judge"), ()]


def test_a_runner_that_was_closed_is_not_there(story: Story) -> None:
    story.begin("a")
    story.watched.close()
    assert (story.watch.look().workers, story.running) == (0, [])
    story.end("a")
    assert story.watch.take().counts == {"ok": 1}


def test_quantiles_are_right_to_a_tenth() -> None:
    spread, other = Spread(), Spread()
    assert spread.quantile(0.5) is None
    for n in range(1, 501):
        spread.add(n / 1000)
        other.add((n + 500) / 1000)
    spread.join(other)
    for share in (0.01, 0.5, 0.99, 1.0):
        found = spread.quantile(share)
        assert found is not None
        assert share <= found <= share * 1.1 + 1e-9
    spread.add(0.0)
    assert spread.quantile(0) is not None
    assert spread.total == 1001


def test_sandboxes_tell_only_who_asked() -> None:
    watch = Watch()
    with watching(watch), codejury.Sandbox(workers=1) as seen:
        with watching(Watch()):
            pass
        assert watch.look().workers == 1
        assert seen.run("print(1)", language="python").stdout == b"1\n"
        one, other = seen.run_pair(Job(source="print(1)", language="python"), Job(source="input()", language="python"))
        assert one.ok
        assert other.ok
        assert watch.take().counts == {"ok": 3}
    assert watch.look().workers == 0
    with codejury.Sandbox(workers=1) as unseen:
        unseen.run("print(1)", language="python")
    assert watch.take().counts == {}
