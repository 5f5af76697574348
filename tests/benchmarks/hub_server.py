"""A hub on loopback with one repository of files, in Hugging Face's addresses and in ModelScope's.

    with HubServer({"data/test-0.jsonl": b"…"}) as hub: CODEJURY_HF_URL=hub.url

`asked` are the paths that were asked for. `lies`: path -> a checksum that is not the file's. `broken`: every answer is
this status.
"""

from __future__ import annotations

import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class _Handler(BaseHTTPRequestHandler):
    server: Any

    def do_GET(self) -> None:
        hub: HubServer = self.server.owner
        parts = urlsplit(self.path)
        path, query = unquote(parts.path), parse_qs(parts.query)
        hub.asked.append(path)
        if hub.broken:
            self.give(b"no", hub.broken)
        elif path == f"/api/datasets/{hub.name}/revision/{hub.revision}":
            self.give(json.dumps(hub.listing_hf()).encode())
        elif path == f"/api/v1/datasets/{hub.name}":
            self.give(json.dumps({"Code": 200, "Data": {"Id": 7}}).encode())
        elif path == "/api/v1/datasets/7/repo/tree":
            self.give(json.dumps(hub.listing_ms(int(query["PageNumber"][0]), int(query["PageSize"][0]))).encode())
        elif path == f"/api/v1/datasets/{hub.name}/repo" and query["FilePath"][0] in hub.files:
            self.give(hub.files[query["FilePath"][0]])
        elif path.startswith(start := f"/datasets/{hub.name}/resolve/{COMMIT}/") and path[len(start) :] in hub.files:
            self.send_response(302)  # large files are elsewhere
            self.send_header("Location", f"/elsewhere/{path[len(start) :]}")
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif path.startswith("/elsewhere/"):
            self.give(hub.files[path.removeprefix("/elsewhere/")])
        else:
            self.give(b"none", 404)

    def give(self, content: bytes, status: int = 200) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *arguments: object) -> None:
        """Not into the tests' output."""


class HubServer:
    def __init__(self, files: dict[str, bytes], *, name: str = "somebody/tasks", revision: str = "main") -> None:
        self.files = files
        self.name = name
        self.revision = revision
        self.lies: dict[str, str] = {}
        self.broken = 0
        self.asked: list[str] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self._server.owner = self  # type: ignore[attr-defined]
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    def _sum(self, path: str) -> str:
        return self.lies.get(path) or hashlib.sha256(self.files[path]).hexdigest()

    def listing_hf(self) -> dict[str, Any]:
        siblings: list[dict[str, Any]] = [{"rfilename": "README.md"}]
        siblings += [{"rfilename": path, "lfs": {"sha256": self._sum(path)}} for path in self.files]
        return {"id": self.name, "sha": COMMIT, "siblings": siblings}

    def listing_ms(self, page: int, size: int) -> dict[str, Any]:
        files: list[dict[str, Any]] = [{"Path": "data", "Type": "tree"}]
        files += [
            {"Path": path, "Type": "blob", "Sha256": self._sum(path), "Revision": COMMIT, "Size": len(content)}
            for path, content in self.files.items()
        ]
        return {"Code": 200, "Data": {"Files": files[(page - 1) * size : page * size]}}

    def __enter__(self) -> HubServer:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
