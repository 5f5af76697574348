"""What a service is told when it is started, and how much it takes from a request.

Owns the bounds: everything that a client could make large has one here.
"""

from __future__ import annotations

import msgspec

from codejury.settings import Secret


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """
    places           requests that may wait; one more is refused at once
    body_mb          of a request, also after it was unpacked
    held_mb          of all requests that are being read, waiting or answered
    files            of one request
    items            of one batch
    timeout_s        the longest time limit that a request may ask for
    memory_mb        what a program gets at most, and where the request names no limit
    deadline_s       for requests that say nothing of how long their client waits
    request_s        in which a request has to arrive, unless it comes at `least_bytes_s`
    idle_s           after which a connection without requests is closed
    unread_s         in which a client has to take what is being sent to it
    grace_s          for what runs when the service is told to stop
    connections      at a time
    head_kb          of a request's first line and headers
    """

    host: str = "127.0.0.1"
    port: int = 8080
    workers: int | None = None
    level: str = "auto"
    token: Secret | None = None
    insecure: bool = False
    places: int = 1024
    body_mb: float = 64
    held_mb: float = 1024
    files: int = 1000
    items: int = 10_000
    timeout_s: float = 600
    memory_mb: float = 4096
    deadline_s: float = 600
    request_s: float = 20
    least_bytes_s: float = 65536
    idle_s: float = 75
    unread_s: float = 60
    grace_s: float = 60
    connections: int = 4096
    head_kb: int = 64

    @property
    def body_bytes(self) -> int:
        return int(self.body_mb * 2**20)

    @property
    def held_bytes(self) -> int:
        return int(self.held_mb * 2**20)
