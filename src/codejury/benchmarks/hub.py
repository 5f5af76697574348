"""Data sets from a hub, into a cache: Hugging Face's way of addresses, or ModelScope's.

    CACHE/<hub>/<owner>--<name>/<asked revision>/
      codejury.json        which hub, id, commit, and each file with its size and SHA-256: written last, so that a
                           folder with it is whole
      data/test-0.parquet  the files as the repository has them

Invariant: nothing is asked of the hub where the cache has the data set, and no file is used whose checksum is not the
recorded one. What the hub says of a file's checksum is held against what came.

    Hugging Face   GET /api/datasets/ID/revision/REV?blobs=true   {sha, siblings: [{rfilename, lfs: {sha256}}]}
                   GET /datasets/ID/resolve/SHA/PATH
    ModelScope     GET /api/v1/datasets/ID                        {Data: {Id}}
                   GET /api/v1/datasets/Id/repo/tree              {Data: {Files: [{Path, Type, Sha256, Revision}]}}
                   GET /api/v1/datasets/ID/repo?Revision=&FilePath=
"""

from __future__ import annotations

import contextlib
import fnmatch
import hashlib
import os
import re
import time
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

import msgspec

from codejury.benchmarks.catalog import HubName
from codejury.errors import UsageError
from codejury.settings import Settings

if TYPE_CHECKING:
    import httpx

MANIFEST = "codejury.json"
_REVISIONS: dict[HubName, str] = {"huggingface": "main", "modelscope": "master"}
_PAGE = 100
_MAX_FILES = 100_000
_TRIES = 3


class CachedFile(msgspec.Struct, frozen=True):
    path: str
    bytes: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What the cache has of a data set. `commit`: the hub's name for what was current; "" where it gives none."""

    hub: HubName
    url: str
    id: str
    revision: str
    commit: str
    patterns: tuple[str, ...]
    files: tuple[CachedFile, ...]
    fetched_at: float


class Fetched(NamedTuple):
    paths: list[Path]
    manifest: Manifest


class _Listed(NamedTuple):
    path: str
    sha256: str  # "" where the hub does not say


def dataset(
    hub: HubName,
    name: str,
    patterns: Sequence[str],
    *,
    settings: Settings,
    revision: str = "",
    folder: Path | None = None,
    again: bool = False,
) -> Fetched:
    """The files of a data set, from the cache or the hub.

    name       OWNER/NAME
    patterns   of paths: the first that some file matches counts
    revision   a branch, a tag or a commit; "": the hub's main branch
    folder     of the cache; None: below the one of the settings
    again      what the cache has is fetched again
    """
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", name) or ".." in name:
        raise UsageError(f"dataset_id: expected OWNER/NAME or a path, got {name!r}")
    revision = revision or _REVISIONS[hub]
    if not re.fullmatch(r"[\w./-]+", revision) or ".." in revision:
        raise UsageError(f"revision: expected the name of a branch, a tag or a commit, got {revision!r}")
    root = (folder or settings.cache / "datasets") / hub / name.replace("/", "--") / revision.replace("/", "--")
    known = None if again else _manifest(root)
    if known is None or known.patterns != tuple(patterns):
        known = _fetch(hub, name, tuple(patterns), settings, revision, root)
    return Fetched([_checked(root, file) for file in known.files], known)


def _manifest(root: Path) -> Manifest | None:
    try:
        return msgspec.json.decode((root / MANIFEST).read_bytes(), type=Manifest)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.DecodeError) as error:
        raise UsageError(f"{root / MANIFEST}: cannot be read: {error}; remove the folder to fetch it again") from None


def _checked(root: Path, file: CachedFile) -> Path:
    path = root / file.path
    try:
        with path.open("rb") as stream:
            found = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}; remove {root} to fetch it again") from None
    if found != file.sha256:
        raise UsageError(f"{path}: expected the checksum {file.sha256}, got {found}; remove {root} to fetch it again")
    return path


# ── Fetching ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def _fetch(
    hub: HubName, name: str, patterns: tuple[str, ...], settings: Settings, revision: str, root: Path
) -> Manifest:
    import httpx

    url = settings.hf_url if hub == "huggingface" else settings.ms_url
    listing = _listed_hf if hub == "huggingface" else _listed_ms
    try:
        with httpx.Client(timeout=httpx.Timeout(60, connect=10), follow_redirects=True) as client:
            commit, files = listing(client, url, name, revision)
            wanted = _wanted(files, patterns)
            if not wanted:
                raise UsageError(
                    f"{url}: {name}: expected files like {' or '.join(patterns)}, the repository has "
                    + (", ".join(sorted(file.path for file in files)[:10]) or "none")
                )
            kept = []
            for file in wanted:
                if hub == "huggingface":
                    address = f"{url}/datasets/{name}/resolve/{quote(commit or revision, safe='')}/{quote(file.path)}"
                else:
                    asked = f"Revision={quote(revision, safe='')}&FilePath={quote(file.path, safe='')}"
                    address = f"{url}/api/v1/datasets/{name}/repo?{asked}"
                kept.append(_download(client, address, file, root))
    except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
        raise UsageError(_nowhere(hub, name, url, f"{type(error).__name__}: {error}")) from None
    manifest = Manifest(
        hub=hub,
        url=url,
        id=name,
        revision=revision,
        commit=commit,
        patterns=patterns,
        files=tuple(kept),
        fetched_at=round(time.time(), 3),
    )
    _written(root / MANIFEST, iter([msgspec.json.format(msgspec.json.encode(manifest), indent=1)]))
    return manifest


def _nowhere(hub: HubName, name: str, url: str, why: str) -> str:
    return (
        f"{name}: not in the cache, and {url} cannot be asked ({why}). Give the file with --dataset-args "
        f'\'{{"…": {{"local_path": "FILE"}}}}\', or set '
        + ("CODEJURY_HF_URL" if hub == "huggingface" else "CODEJURY_MS_URL")
        + f" to a mirror, or --dataset-hub to {'modelscope' if hub == 'huggingface' else 'huggingface'}"
    )


def _wanted(files: list[_Listed], patterns: tuple[str, ...]) -> list[_Listed]:
    for pattern in patterns:
        found = [file for file in files if fnmatch.fnmatchcase(file.path, pattern)]
        if found:
            return sorted(found, key=lambda file: _in_order(file.path))
    return []


def _in_order(path: str) -> list[Any]:
    """test2 before test10."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", path)]


def _json(client: httpx.Client, url: str, address: str, name: str) -> Any:
    answer = client.get(address)
    if answer.status_code in (401, 403, 404):
        raise UsageError(f"{url}: {name}: expected a public data set, the hub answers {answer.status_code}")
    answer.raise_for_status()
    try:
        return answer.json()
    except ValueError:
        raise UsageError(f"{url}: expected a hub's answer as JSON, got {answer.text[:80]!r}") from None


def _listed_hf(client: httpx.Client, url: str, name: str, revision: str) -> tuple[str, list[_Listed]]:
    asked = f"{url}/api/datasets/{name}/revision/{quote(revision, safe='')}?blobs=true"
    said = _json(client, url, asked, name)
    try:
        files = [
            _Listed(_safe(each["rfilename"]), str((each.get("lfs") or {}).get("sha256") or ""))
            for each in said["siblings"]
        ]
        return str(said.get("sha") or ""), files
    except (KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{url}: {name}: expected a list of files, got {error!r}") from None


def _listed_ms(client: httpx.Client, url: str, name: str, revision: str) -> tuple[str, list[_Listed]]:
    try:
        number = _json(client, url, f"{url}/api/v1/datasets/{name}", name)["Data"]["Id"]
        files: list[_Listed] = []
        commits: set[str] = set()
        for page in range(1, 1 + _MAX_FILES // _PAGE):
            asked = f"Revision={quote(revision, safe='')}&Root=/&Recursive=True&PageNumber={page}&PageSize={_PAGE}"
            found = _json(client, url, f"{url}/api/v1/datasets/{number}/repo/tree?{asked}", name)["Data"]["Files"]
            for each in found:
                if each["Type"] != "tree":
                    files.append(_Listed(_safe(each["Path"]), str(each.get("Sha256") or "")))
                    commits.add(str(each.get("Revision") or ""))
            if len(found) < _PAGE:
                break
        return commits.pop() if len(commits) == 1 else "", files
    except (KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{url}: {name}: expected a list of files, got {error!r}") from None


def _safe(path: object) -> str:
    """A path below the folder: the hub is somebody else."""
    if not isinstance(path, str) or not path or PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts:
        raise UsageError(f"hub: expected paths of files below the repository, got {path!r}")
    return path


def _download(client: httpx.Client, address: str, file: _Listed, root: Path) -> CachedFile:
    import httpx

    for left in reversed(range(_TRIES)):
        digest, size = hashlib.sha256(), 0

        def pieces(stream: Iterator[bytes], digest: Any = digest) -> Iterator[bytes]:
            nonlocal size
            for piece in stream:
                digest.update(piece)
                size += len(piece)
                yield piece

        try:
            with client.stream("GET", address) as answer:
                answer.raise_for_status()
                _written(root / file.path, pieces(answer.iter_bytes()), sha256=lambda d=digest: _same(file, d))
        except httpx.TransportError:
            if not left:
                raise
            continue
        return CachedFile(file.path, size, digest.hexdigest())
    raise AssertionError("the last try ends above")


def _same(file: _Listed, digest: Any) -> None:
    if file.sha256 and digest.hexdigest() != file.sha256.lower():
        raise UsageError(f"{file.path}: expected the hub's checksum {file.sha256}, got {digest.hexdigest()}")


def _written(path: Path, pieces: Iterator[bytes], *, sha256: Any = None) -> None:
    """Under another name first: who finds the file finds it whole."""
    beside = path.with_name(f".{path.name}.{os.urandom(6).hex()}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with beside.open("wb") as stream:
            for piece in pieces:
                stream.write(piece)
        if sha256 is not None:
            sha256()
        os.replace(beside, path)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from None
    finally:
        with contextlib.suppress(OSError):
            beside.unlink()
