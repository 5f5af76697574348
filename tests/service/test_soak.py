"""Everything at once: workers killed at random, clients that drop, requests that are too large or make no sense.

What may come out: right answers and typed refusals. CODEJURY_SOAK_S is how long (4 seconds unless it says more).
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import threading
import time
from collections import Counter

import pytest
from faults import host
from service.conftest import Make
from service.wire import Client, head, until

from codejury.service.refusals import STATUS

SECONDS = float(os.environ.get("CODEJURY_SOAK_S", "4"))

PROGRAMS = [
    # source, language, status, stdout
    ("print(int(input()) * 2)", "python", "Success", "42\n"),
    ("import sys\nsys.exit(int(input()))", "python", "Failed", ""),
    ("import collections\nprint(collections.Counter(input()))", "python", "Success", "Counter({'2': 1, '1': 1})\n"),
    ("read x; echo $((x + 1))", "bash", "Success", "22\n"),
    ('#include <cstdio>\nint main() { int n; scanf("%d", &n); printf("%d", n * n); }', "cpp", "Success", "441"),
]


VICTIMS = ["launcher", "keeper", "zygote"]


class Soak:
    def __init__(self, client: Client) -> None:
        self.client = client
        self.end = time.monotonic() + SECONDS
        self.seen: Counter[str] = Counter()
        self.faults: list[str] = []
        self._lock = threading.Lock()

    def note(self, what: str, fault: str = "") -> None:
        with self._lock:
            self.seen[what] += 1
            if fault:
                self.faults.append(fault)

    def asks(self, seed: int) -> None:
        dice = random.Random(seed)
        while time.monotonic() < self.end and not self.faults:
            try:
                dice.choice([self.run, self.run, self.judge, self.drops, self.oversize, self.nonsense])(dice)
            except OSError as error:
                self.note("connection", f"a connection broke: {error!r}")

    def run(self, dice: random.Random) -> None:
        source, language, status, stdout = dice.choice(PROGRAMS)
        answer = self.client.post("/run_code", {"code": source, "language": language, "stdin": "21\n"})
        if answer.status != 200:
            self.refusal(answer.status, answer.json)
        elif answer.json["status"] == "SandboxError":
            self.note("SandboxError")  # its worker was killed, and the next one's too
        else:
            found = (answer.json["status"], answer.json["run_result"]["stdout"])
            self.note("ran", "" if found == (status, stdout) else f"{source!r}: {answer.json}")

    def judge(self, dice: random.Random) -> None:
        right = dice.random() < 0.5
        item = {"source": f"print(int(input()) {'*' if right else '+'} 3)", "language": "python"}
        tests = [{"input": str(n), "output": str(n * 3)} for n in (4, 5)]
        answer = self.client.post("/judge_batch", {"items": [{**item, "tests": tests}] * 3})
        for line in answer.lines:
            if line["error"] is not None:
                self.refusal(STATUS[line["error"]["type"]], line)
                continue
            verdict = line["judgement"]["verdict"]
            expected = "success" if right else "wrong_answer"
            self.note("judged", "" if verdict == expected else f"{item}: {line}")

    def refusal(self, status: int, body: dict[str, dict[str, str]]) -> None:
        kind = body["error"]["type"]
        bad = kind not in ("infrastructure", "overloaded") or STATUS[kind] != status  # type: ignore[index]
        self.note(kind, str(body) if bad else "")

    def drops(self, dice: random.Random) -> None:
        raw = json.dumps({"code": "import time; time.sleep(2)", "language": "python"}).encode()
        with self.client.connect() as connection:
            connection.sendall((head("/run_code", length=len(raw)) + raw)[: dice.randrange(10, 300)])
            time.sleep(dice.random() / 20)
        self.note("dropped")

    def oversize(self, dice: random.Random) -> None:
        answer = self.client.send(b"x" * 300_000)
        self.note("oversize", "" if answer.status == 413 else str(answer))

    def nonsense(self, dice: random.Random) -> None:
        answer = self.client.send(dice.randbytes(dice.randrange(2000)))
        self.note("nonsense", "" if answer.status == 422 else str(answer))

    def kills(self, spared: set[int]) -> None:
        """Of the service's own: to kill a program is to change what it does."""
        dice = random.Random(7)
        while time.monotonic() < self.end:
            time.sleep(dice.random() / 2)
            launchers = [pid for pid in host.launchers(os.getpid()) if pid not in spared]
            victims = host.parts(dice.choice(launchers)).named(dice.choice(VICTIMS)) if launchers else []
            if victims:
                with contextlib.suppress(ProcessLookupError):  # it has ended by itself
                    os.kill(dice.choice(victims), signal.SIGKILL)
                    self.note("killed")


@pytest.mark.slow
@pytest.mark.timeout(SECONDS + 600)
def test_soak(make_service: Make) -> None:
    spared = set(host.launchers(os.getpid()))  # of other tests
    service = make_service(body_mb=0.25)
    before, open_files = threading.active_count(), len(os.listdir("/proc/self/fd"))
    soak = Soak(service.client)
    threads = [threading.Thread(target=soak.asks, args=[seed]) for seed in range(6)]
    threads.append(threading.Thread(target=soak.kills, args=[spared]))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS + 300)
    assert soak.faults == []
    assert not any(thread.is_alive() for thread in threads), "a client hangs"
    assert {"ran", "judged", "killed", "dropped", "oversize", "nonsense"} <= set(soak.seen), soak.seen
    until(lambda: service.metric("codejury_waiting") == service.metric("codejury_running") == 0)
    until(lambda: service.metric("codejury_held_bytes") == 0)
    until(lambda: len(os.listdir("/proc/self/fd")) <= open_files + 4)  # a worker more, and who asks just now
    for source, language, status, stdout in PROGRAMS:  # the same as before
        found = service.client.run(source, language, stdin="21\n")
        assert (found["status"], found["run_result"]["stdout"]) == (status, stdout)
    assert threading.active_count() <= before + 8  # the jury's own
    print(dict(soak.seen))
