"""Requests a second on /run_code beside the library, and beside a plain server that starts `python3` for each request.

    python benchmarks/service.py [--rounds 3] [--seconds 5] [--clients 64] [--workers 2] [--python python3]
    python benchmarks/service.py --crowd 1000       so many clients at once: answers, refusals, hangs
    python benchmarks/service.py --steady           p50 and p99 at 70 % of the full rate
    python benchmarks/service.py --flat 100000      resident memory over so many requests

The ways take turns in every round, on the same cores. Clients are a process of their own (this file, `--client`), on
keep-alive connections with sockets and no library, so that what is measured is the service. The library is called in
one process, by `run_many`. The plain server is asyncio's, with uvloop, and does nothing but start the interpreter.

On a machine that others use too, rates say as much of them as of us: so there is also the CPU time of a request, of all
processes on both sides, and the rates that two cores would give by it.

Text goes to stderr as it comes, one JSON object to stdout at the end.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

SOURCE = "a, b = map(int, input().split())\nprint(a + b)\n"
HERE = Path(__file__).resolve()


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


# ── The client: a process of its own ─────────────────────────────────────────────────────────────────────────────────


def request_of(number: int, deadline_s: float | None) -> bytes:
    body = json.dumps({"code": SOURCE, "language": "python", "stdin": f"{number} {number * 7}\n"}).encode()
    more = f"X-Deadline-S: {deadline_s}\r\n" if deadline_s is not None else ""
    head = f"POST /run_code HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{more}"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


async def exchange(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, message: bytes) -> tuple[int, bytes]:
    writer.write(message)
    head = await reader.readuntil(b"\r\n\r\n")
    status = int(head[9:12])
    length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
    return status, await reader.readexactly(length)


class Tally:
    def __init__(self) -> None:
        self.right = self.refused = self.wrong = self.broken = self.hung = 0
        self.took: list[float] = []

    def note(self, number: int, status: int, body: bytes, took_s: float) -> None:
        if status in (503, 504):
            self.refused += 1
        elif status == 200 and f'"stdout":"{number * 8}\\n"'.encode() in body.replace(b": ", b":"):
            self.right += 1
        else:
            self.wrong += 1
            say(f"WRONG {status} {body[:200]!r}")
        self.took.append(took_s)


async def load(
    port: int,
    *,
    clients: int,
    seconds: float | None,
    requests: int | None,
    rate: float | None,
    deadline_s: float | None,
) -> dict[str, Any]:
    tally, began, used = Tally(), time.perf_counter(), time.process_time()
    end = began + seconds if seconds is not None else None
    numbers = iter(range(requests if requests is not None else 10**9))
    due = began

    async def one() -> None:
        nonlocal due
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            for number in numbers:
                start = time.perf_counter()
                if rate is not None:  # an open loop: the time of an answer counts from when it was due
                    due = start = due + 1 / rate
                    await asyncio.sleep(max(0.0, start - time.perf_counter()))
                if end is not None and start > end:
                    return
                try:
                    async with asyncio.timeout(None if deadline_s is None else deadline_s + 1):
                        status, body = await exchange(reader, writer, request_of(number, deadline_s))
                except TimeoutError:
                    tally.hung += 1
                    return
                tally.note(number, status, body, time.perf_counter() - start)
        except (OSError, asyncio.IncompleteReadError):
            tally.broken += 1
        finally:
            writer.close()

    await asyncio.gather(*(one() for _ in range(clients)))
    took_s = time.perf_counter() - began
    took = sorted(tally.took) or [0.0]
    return {
        "cpu_s": time.process_time() - used,
        "rate": (tally.right + tally.refused) / took_s,
        "right": tally.right,
        "refused": tally.refused,
        "wrong": tally.wrong,
        "broken": tally.broken,
        "hung": tally.hung,
        "p50_ms": took[len(took) // 2] * 1000,
        "p99_ms": took[min(len(took) - 1, len(took) * 99 // 100)] * 1000,
        "most_ms": took[-1] * 1000,
    }


def client(port: int, **options: Any) -> dict[str, Any]:
    """`load`, in a process of its own."""
    done = subprocess.run(
        [sys.executable, str(HERE), "--client", json.dumps({"port": port, **options})],
        stdout=subprocess.PIPE,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


FULL = {"seconds": None, "requests": None, "rate": None, "deadline_s": None}


# ── The servers ──────────────────────────────────────────────────────────────────────────────────────────────────────


def cpu_of(pid: int) -> float:
    """CPU seconds of a process, its descendants, and those of theirs that have ended."""
    children: dict[int, list[int]] = {}
    used: dict[int, float] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        each = int(path.parent.name)
        children.setdefault(int(fields[1]), []).append(each)
        used[each] = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    found = [pid]
    for each in found:
        found += children.get(each, ())
    return sum(used.get(each, 0.0) for each in found)


class Running:
    """A server in a process of its own, by the line that says where it listens."""

    def __init__(self, *command: str) -> None:
        self.process = subprocess.Popen([sys.executable, *command], stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        line = ""
        while "http://" not in line:
            line = self.process.stderr.readline()
            if not line:
                raise SystemExit(f"{command}: did not start")
        self.port = int(line.rsplit(":", 1)[1])
        threading.Thread(target=lambda: sys.stderr.writelines(self.process.stderr or ()), daemon=True).start()

    def resident_mb(self) -> float:
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGESIZE") / 2**20

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(60)


def service(workers: int) -> Running:
    return Running("-m", "codejury.cli", "serve", "--port", "0", "--workers", str(workers))


async def plain(python: str) -> None:
    """A server that starts python3 for each request, and is no sandbox at all."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
                asked = json.loads(await reader.readexactly(length))
                async with places:
                    child = await asyncio.create_subprocess_exec(
                        python, "-c", asked["code"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
                    )
                    out, _ = await child.communicate(asked["stdin"].encode())
                body = json.dumps({"stdout": out.decode()}).encode()
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        except (OSError, asyncio.IncompleteReadError):
            writer.close()

    places = asyncio.Semaphore(2 * len(os.sched_getaffinity(0)))
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    say(f"listening on http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
    await server.serve_forever()


def library(seconds: float, workers: int) -> tuple[float, float]:
    """Runs a second, and CPU milliseconds of one, by `run_many` in a process that does nothing else."""
    code = f"""
import os, sys, time, codejury
sys.path.insert(0, {str(HERE.parent)!r})
from service import cpu_of
with codejury.Sandbox({workers}) as box:
    box.prepare()
    end = [0.0]
    def jobs():
        n = 0
        while time.perf_counter() < end[0]:
            yield codejury.Job(source={SOURCE!r}, language="python", stdin=f"{{n}} {{n * 7}}\\n")
            n += 1
    end[0] = time.perf_counter() + 0.5
    list(box.run_many(jobs()))
    began, used = time.perf_counter(), cpu_of(os.getpid())
    end[0] = began + {seconds}
    count = sum(outcome.ok for outcome in box.run_many(jobs()))
    print(count / (time.perf_counter() - began), (cpu_of(os.getpid()) - used) / count * 1000)
"""
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True)
    rate, cpu_ms = map(float, done.stdout.split())
    return rate, cpu_ms


# ── What is measured ─────────────────────────────────────────────────────────────────────────────────────────────────


def compare(options: argparse.Namespace) -> dict[str, Any]:
    ours, other = service(options.workers), Running(str(HERE), "--plain", options.python)
    rates: dict[str, list[float]] = {"service": [], "library": [], "plain": []}
    costs: dict[str, list[float]] = {"service": [], "library": [], "plain": []}
    try:
        client(ours.port, **{**FULL, "clients": options.clients, "seconds": 1.0})
        for number in range(options.rounds):
            rate, cpu_ms = library(options.seconds, options.workers)
            rates["library"].append(rate)
            costs["library"].append(cpu_ms)
            for name, running in (("service", ours), ("plain", other)):
                used = cpu_of(running.process.pid)
                found = client(running.port, **{**FULL, "clients": options.clients, "seconds": options.seconds})
                assert found["wrong"] == found["broken"] == 0, found
                rates[name].append(found["rate"])
                used = cpu_of(running.process.pid) - used + found["cpu_s"]
                costs[name].append(used / found["right"] * 1000)
            shown = (f"{name} {rates[name][-1]:.0f}/s {costs[name][-1]:.2f} ms" for name in rates)
            say(f"round {number + 1}: " + ", ".join(shown))
    finally:
        ours.stop()
        other.stop()
    ratios = [a / b for a, b in zip(rates["service"], rates["library"], strict=True)]
    times = [a / b for a, b in zip(rates["service"], rates["plain"], strict=True)]
    return {
        "clients": options.clients,
        "rates": {name: [round(each, 1) for each in found] for name, found in rates.items()},
        "of_library": round(statistics.median(ratios), 3),
        "times_plain": round(statistics.median(times), 2),
        "cpu_ms": {name: [round(each, 3) for each in found] for name, found in costs.items()},
        "of_library_by_cpu": round(statistics.median(costs["library"]) / statistics.median(costs["service"]), 3),
        "times_plain_by_cpu": round(statistics.median(costs["plain"]) / statistics.median(costs["service"]), 2),
    }


def crowd(options: argparse.Namespace) -> dict[str, Any]:
    running = service(options.workers)
    try:
        asked = {"clients": options.crowd, "requests": 5 * options.crowd, "deadline_s": 20.0}
        return client(running.port, **{**FULL, **asked})
    finally:
        running.stop()


def steady(options: argparse.Namespace) -> dict[str, Any]:
    running = service(options.workers)
    try:
        full = client(running.port, **{**FULL, "clients": 64, "seconds": options.seconds})["rate"]
        found = client(running.port, **{**FULL, "clients": 64, "seconds": 2 * options.seconds, "rate": 0.7 * full})
        return {"full_rate": full, **found, "p99_of_p50": found["p99_ms"] / found["p50_ms"]}
    finally:
        running.stop()


def flat(options: argparse.Namespace) -> dict[str, Any]:
    running = service(options.workers)
    memory: list[float] = []
    try:
        step = max(1000, options.flat // 20)
        for done in range(0, options.flat, step):
            found = client(running.port, **{**FULL, "clients": 64, "requests": step})
            assert found["wrong"] == found["broken"] == 0, found
            memory.append(round(running.resident_mb(), 1))
            say(f"{done + step:7} requests   {memory[-1]:.1f} MB   {found['rate']:.0f}/s")
        return {"requests": options.flat, "resident_mb": memory}
    finally:
        running.stop()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--crowd", type=int)
    parser.add_argument("--steady", action="store_true")
    parser.add_argument("--flat", type=int)
    parser.add_argument("--client", help=argparse.SUPPRESS)
    parser.add_argument(
        "--python", default=sys.executable, help="of the plain server; python3 may be a launcher script"
    )
    parser.add_argument("--plain", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.client or options.plain:
        import uvloop

        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            if options.plain:
                runner.run(plain(options.plain))
            asked = json.loads(options.client)
            print(json.dumps(runner.run(load(asked.pop("port"), **asked))))
        return
    measure = crowd if options.crowd else steady if options.steady else flat if options.flat else compare
    print(json.dumps(measure(options), indent=2))


if __name__ == "__main__":
    main()
