"""Listening: from options to a running server, and to its end.

Owns the order of starting (the sandbox is ready before the first connection is taken) and of stopping: at a signal no
more is taken, who waits is refused, what runs may finish for a while, then it is ended.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import resource
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from types import FrameType

import uvicorn
from starlette.types import ASGIApp

from codejury.errors import UsageError
from codejury.judging.jury import Jury
from codejury.languages.execute import watching
from codejury.sandbox.watch import Watch
from codejury.service.app import application
from codejury.service.connection import Connection, bound
from codejury.service.dashboard import live_of
from codejury.service.operations import Service, Site
from codejury.service.options import Options

_BACKLOG = 4096
_SPARE = 256  # descriptors for the sandbox and ourselves


class Server(uvicorn.Server):
    """uvicorn's, which tells the service when to stop, and lets a signal be no more than that."""

    def __init__(self, config: uvicorn.Config, site: Site) -> None:
        super().__init__(config)
        self.site = site
        self.signal: int | None = None

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.site.stop()
        for connection in list(self.server_state.connections):
            if isinstance(connection, Connection):
                connection.end_stream()
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.signal = sig
        super().handle_exit(sig, frame)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {each: signal.signal(each, self.handle_exit) for each in (signal.SIGTERM, signal.SIGINT)}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)


def check(options: Options) -> None:
    """Only loopback needs no token."""
    if options.token is not None or options.insecure or is_loopback(options.host):
        return
    raise UsageError(
        f"--host {options.host}: expected --token as well, since others can reach this address; "
        "or --insecure, if everybody who can may run programs here"
    )


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def listen(options: Options) -> socket.socket:
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    listening = socket.socket(family)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((options.host, options.port))
        listening.listen(_BACKLOG)
    except (OSError, OverflowError) as error:
        listening.close()
        raise UsageError(f"{options.host}:{options.port}: cannot be listened on: {error}") from None
    listening.set_inheritable(False)
    return listening


def serve(options: Options, *, started: Callable[[Server, int], None] | None = None) -> int | None:
    """Until a signal, which is returned. `started` is told the server, and the port that it listens on."""
    check(options)
    options = _within_descriptors(options)
    watch = Watch()
    with contextlib.ExitStack() as stack:
        listening = stack.enter_context(listen(options))
        with watching(watch):
            jury = stack.enter_context(Jury(workers=options.workers, level=options.level))
        jury.sandbox.prepare()
        jury.sandbox.run("pass", language="python")
        watch.take()
        with asyncio.Runner(loop_factory=quick_loop()) as runner:
            return runner.run(_serve(options, jury, watch, listening, started))


def quick_loop() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:  # where it is not to be had, Python's own does as well, at a lower rate
        return None
    made: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop
    return made


async def _serve(
    options: Options, jury: Jury, watch: Watch, listening: socket.socket, started: Callable[[Server, int], None] | None
) -> int | None:
    service = Service(options, jury.sandbox, jury)
    service.live = live_of(service, watch)
    heart = asyncio.create_task(service.live.run())
    try:
        server = Server(config_of(options, application(service)), service)
        if started is not None:
            started(server, listening.getsockname()[1])
        await server.serve([listening])
        return server.signal
    finally:
        heart.cancel()
        await asyncio.to_thread(service.turns.close)


def config_of(options: Options, app: ASGIApp) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=bound(options),
        ws="none",
        lifespan="off",
        access_log=False,
        log_level="warning",
        proxy_headers=False,  # whoever sets X-Forwarded-For would be somebody else in the queue
        server_header=False,
        date_header=False,
        backlog=_BACKLOG,
        timeout_keep_alive=int(options.idle_s),
        timeout_graceful_shutdown=int(options.grace_s),
    )


def _within_descriptors(options: Options) -> Options:
    """As many connections as descriptors allow; asks for as many as it may have."""
    import msgspec

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = options.connections + _SPARE
    if soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return msgspec.structs.replace(options, connections=max(1, min(options.connections, soft - _SPARE)))
