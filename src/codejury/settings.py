"""The settings, read in one place: the environment.

    name                 expected                           meaning                               default
    CODEJURY_LEVEL       auto, full, rootless, landlock     isolation                             auto
    CODEJURY_WORKERS     number                             programs at a time                    cores
    CODEJURY_PYTHON      path                               interpreter of Python programs        the one that runs us
    CODEJURY_PRELOAD     names, separated by commas         modules that wait ready-imported      DEFAULT_PRELOAD
    CODEJURY_LANGUAGES   paths, separated by os.pathsep     more languages, in TOML               none
    CODEJURY_CACHE       directory                          compiled programs                     ~/.cache/codejury
    CODEJURY_TEMP        directory                          working directories, level landlock   TMPDIR or /tmp
    CODEJURY_CGROUP      directory                          a delegated group of version 2        looked for
    CODEJURY_TL_GEN      seconds                            CPU time of a test generator          30
    CODEJURY_TL_RUN      seconds                            of a gold, where its row says none    5
    CODEJURY_ML_GEN      megabytes                          memory of a test generator            10240
    CODEJURY_ML_RUN      megabytes                          of a gold, where its row says none    1024
    CODEJURY_SANDBOXES   number                             most workers of test generation       64
    CODEJURY_LLM_URL     http or https address              of a chat model's API: …/v1           OPENAI_BASE_URL
    CODEJURY_LLM_MODEL   text                               which model of it                     none
    CODEJURY_LLM_KEY     text                               sent to that address, shown nowhere   OPENAI_API_KEY
    CODEJURY_HF_URL      http or https address              of a hub of data sets                 HF_ENDPOINT
    CODEJURY_MS_URL      http or https address              of another, ModelScope's way          MODELSCOPE_ENDPOINT
    CODEJURY_TOKEN       text                               what clients of the service show      none

What is given to a function or on the command line goes before the environment.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NoReturn

import msgspec

from codejury.errors import SettingsError
from codejury.model import LEVELS, Level

# What programs in contests and benchmarks import most; a name that is not installed is passed over.
DEFAULT_PRELOAD = (
    "abc,argparse,array,ast,base64,bisect,cmath,collections,collections.abc,contextlib,copy,dataclasses,datetime,decimal,"
    "enum,fractions,functools,hashlib,heapq,io,itertools,json,math,operator,queue,random,re,statistics,string,struct,sys,"
    "textwrap,threading,time,types,typing,unittest,numpy"
)


class Secret:
    """A text that no repr, log or record shows. Whoever needs it says so: `reveal`."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return "Secret(…)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret is not written anywhere")


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    level: Level | None = None
    workers: int
    python: Path | None = None
    preload: tuple[str, ...]
    languages: tuple[Path, ...] = ()
    cache: Path
    temp: Path
    cgroup: Path | None = None
    tl_gen: float
    tl_run: float
    ml_gen: float
    ml_run: float
    sandboxes: int
    llm_url: str | None = None
    llm_model: str | None = None
    llm_key: Secret | None = None
    hf_url: str = "https://huggingface.co"
    ms_url: str = "https://www.modelscope.cn"
    token: Secret | None = None


def parse_level(text: str, *, where: str) -> Level | None:
    """None for `auto`."""
    if text == "auto":
        return None
    for level in LEVELS:
        if text == level:
            return level
    raise SettingsError(f"{where}: expected auto, {', '.join(LEVELS)}; got {text!r}")


def _number(name: str, default: int) -> int:
    text = os.environ.get(name)
    if text is None:
        return default
    if not re.fullmatch(r"[0-9]{1,4}", text) or not 0 < int(text) <= 4096:
        raise SettingsError(f"{name}: expected a number from 1 to 4096, got {text!r}")
    return int(text)


def _amount(name: str, default: float) -> float:
    text = os.environ.get(name)
    if text is None:
        return default
    if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,6})?", text) or not float(text) > 0:
        raise SettingsError(f"{name}: expected a positive number, got {text!r}")
    return float(text)


def _path(name: str) -> Path | None:
    text = os.environ.get(name)
    return Path(text).absolute() if text else None


def parse_url(text: str, *, where: str) -> str:
    """Of an API. An address that holds a password is not repeated: it would end up in records."""
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise SettingsError(f"{where}: expected an http or https address: {error}") from None
    if "@" in parts.netloc:
        raise SettingsError(f"{where}: expected an address without a name or password; a key is given apart")
    spoilt = not text.isascii() or not text.isprintable() or " " in text
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0 or parts.fragment or spoilt:
        raise SettingsError(f"{where}: expected an http or https address such as http://host:8000/v1, got {text!r}")
    return text


def parse_key(text: str, *, where: str) -> Secret:
    """It goes into a header. Not even a wrong one is repeated."""
    if not text.isascii() or not text.isprintable() or " " in text:
        raise SettingsError(f"{where}: expected ASCII letters, digits and signs, without blanks or ends of lines")
    return Secret(text)


def parse_token(text: str, *, where: str) -> Secret:
    """Of the service. A short one can be guessed."""
    if len(text) < 8:
        raise SettingsError(f"{where}: expected at least 8 characters")
    return parse_key(text, where=where)


def _first(*names: str) -> tuple[str, str]:
    """The first of these variables that is set to anything, and what to."""
    for name in names:
        if text := os.environ.get(name):
            return name, text
    return names[0], ""


def load() -> Settings:
    """The settings as the environment has them now."""
    url_from, url = _first("CODEJURY_LLM_URL", "OPENAI_BASE_URL")
    key_from, key = _first("CODEJURY_LLM_KEY", "OPENAI_API_KEY")
    hf_from, hf_url = _first("CODEJURY_HF_URL", "HF_ENDPOINT")
    ms_from, ms_url = _first("CODEJURY_MS_URL", "MODELSCOPE_ENDPOINT")
    cache_home = Path(os.environ.get("XDG_CACHE_HOME") or Path(os.path.expanduser("~")) / ".cache")
    return Settings(
        level=parse_level(os.environ.get("CODEJURY_LEVEL", "auto"), where="CODEJURY_LEVEL"),
        workers=_number("CODEJURY_WORKERS", len(os.sched_getaffinity(0))),
        python=_path("CODEJURY_PYTHON"),
        preload=tuple(n.strip() for n in os.environ.get("CODEJURY_PRELOAD", DEFAULT_PRELOAD).split(",") if n.strip()),
        languages=tuple(Path(p) for p in os.environ.get("CODEJURY_LANGUAGES", "").split(os.pathsep) if p),
        cache=_path("CODEJURY_CACHE") or cache_home / "codejury",
        temp=_path("CODEJURY_TEMP") or Path(os.environ.get("TMPDIR") or "/tmp"),
        cgroup=_path("CODEJURY_CGROUP"),
        tl_gen=_amount("CODEJURY_TL_GEN", 30),
        tl_run=_amount("CODEJURY_TL_RUN", 5),
        ml_gen=_amount("CODEJURY_ML_GEN", 10240),
        ml_run=_amount("CODEJURY_ML_RUN", 1024),
        sandboxes=_number("CODEJURY_SANDBOXES", 64),
        llm_url=parse_url(url, where=url_from) if url else None,
        llm_model=os.environ.get("CODEJURY_LLM_MODEL") or None,
        llm_key=parse_key(key.strip(), where=key_from) if key.strip() else None,
        hf_url=parse_url(hf_url or "https://huggingface.co", where=hf_from).rstrip("/"),
        ms_url=parse_url(ms_url or "https://www.modelscope.cn", where=ms_from).rstrip("/"),
        token=parse_token(token, where="CODEJURY_TOKEN") if (token := os.environ.get("CODEJURY_TOKEN")) else None,
    )
