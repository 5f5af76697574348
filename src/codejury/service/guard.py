"""The outermost layer of the application: who may come in, and what leaves when something below has failed.

Owns the token, the defence against web pages (a browser on this host would carry their requests to a service on
loopback), and the last boundary. A service with a token trusts whoever has it. One without stands on loopback, and
answers only requests that name a loopback host and no foreign origin.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import ipaddress
import logging
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from codejury.service import refusals
from codejury.service.bodies import Body, Headers, Room
from codejury.service.operations import Endpoint, Site
from codejury.service.refusals import Refusal

_log = logging.getLogger("codejury.service")


class Guard:
    """Around the whole application."""

    def __init__(self, app: ASGIApp, site: Site) -> None:
        self._app = app
        self._site = site
        token = site.options.token
        self._token = token.reveal().encode() if token is not None else None
        self._open = {operation.path for operation in site.operations if operation.open}
        self._pages = {operation.path for operation in site.operations if operation.page}
        self._straight = {
            (operation.method, operation.path): Endpoint(site, operation) for operation in site.operations
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = 0

        async def counted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            self._check(scope)
            if scope["path"] in self._pages and not takes_html(scope["headers"]):
                raise Refusal("not_found", f"{scope['path']} is a page for browsers; /openapi.json lists the paths")
            # What the table has needs no router; what it has not, the router refuses, or another room serves.
            app = self._straight.get((scope["method"], scope["path"]), self._app)
            await app(scope, receive, counted)
        except Exception as error:
            refusal = refusals.of(error)
            if refusal.type == "internal":
                _log.exception("a fault in the service")
            if status:
                raise
            self._site.refused.add(refusal.type)
            await _refuse(refusal, scope, receive, counted)
        finally:
            self._site.answered.add(scope.get("codejury.path", "other"), str(status or "none"))

    def _check(self, scope: Scope) -> None:
        if scope["path"] in self._open:
            return
        if scope["path"] in self._pages and takes_html(scope["headers"]):
            return
        if self._token is not None:
            if not hmac.compare_digest(_given(scope["headers"]), self._token):
                raise Refusal("unauthorized", "expected the service's token: Authorization: Bearer <token>")
        elif not self._site.options.insecure:
            _check_local(scope["headers"])


def _given(headers: Headers) -> bytes:
    """The token of a request: as a bearer's, or as the password of the address, for clients that can set no header."""
    found = [value for name, value in headers if name == b"authorization"]
    if len(found) != 1:
        return b""
    scheme, _, rest = found[0].partition(b" ")
    rest = rest.strip()
    if scheme.lower() == b"bearer":
        return rest
    if scheme.lower() == b"basic":
        try:
            return base64.b64decode(rest, validate=True).partition(b":")[2]
        except binascii.Error:
            return b""
    return b""


def takes_html(headers: Headers) -> bool:
    """A browser says so. Other programs ask for JSON, or for anything."""
    return any(name == b"accept" and b"text/html" in value.lower() for name, value in headers)


def _check_local(headers: Headers) -> None:
    hosts = [value.decode("latin-1") for name, value in headers if name == b"host"]
    origins = [value.decode("latin-1") for name, value in headers if name == b"origin"]
    if len(hosts) != 1 or not _is_loopback(f"//{hosts[0]}"):
        raise Refusal(
            "forbidden", "without a token only requests to localhost are answered; start the service with --token"
        )
    if any(origin != f"http://{hosts[0]}" for origin in origins):
        raise Refusal("forbidden", "without a token no requests of other web pages are answered")


def _is_loopback(address: str) -> bool:
    try:
        host = urlsplit(address).hostname or ""
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


async def _refuse(refusal: Refusal, scope: Scope, receive: Receive, send: Send) -> None:
    body = refusal.body
    headers = [*refusal.headers, (b"content-length", str(len(body)).encode()), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": True})
    await Body(scope["headers"], receive, Room(0), 0).discard()
    await send({"type": "http.response.body", "body": b""})
