"""The settings: every variable that the module's header documents is read, and nothing else is."""

from __future__ import annotations

import ast
import os
import pickle
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from codejury import settings
from codejury.errors import SettingsError, UsageError
from codejury.model import LEVELS
from codejury.settings import Secret

DOCUMENTED = re.findall(r"^ +(CODEJURY_[A-Z_]+) ", settings.__doc__ or "", re.MULTILINE)

# Variable -> a value, and what becomes of it. Kept by hand: a setting without a line here fails the first test.
EXAMPLES: dict[str, tuple[str, str, Any]] = {
    "CODEJURY_LEVEL": ("rootless", "level", "rootless"),
    "CODEJURY_WORKERS": ("7", "workers", 7),
    "CODEJURY_PYTHON": ("/some where/python3", "python", Path("/some where/python3")),
    "CODEJURY_PRELOAD": ("math,json.decoder", "preload", ("math", "json.decoder")),
    "CODEJURY_LANGUAGES": (f"/a.toml{os.pathsep}/b.toml", "languages", (Path("/a.toml"), Path("/b.toml"))),
    "CODEJURY_CACHE": ("/some/cache", "cache", Path("/some/cache")),
    "CODEJURY_TEMP": ("/some/temp", "temp", Path("/some/temp")),
    "CODEJURY_CGROUP": ("/sys/fs/cgroup/mine", "cgroup", Path("/sys/fs/cgroup/mine")),
    "CODEJURY_TL_GEN": ("12.5", "tl_gen", 12.5),
    "CODEJURY_TL_RUN": ("2", "tl_run", 2.0),
    "CODEJURY_ML_GEN": ("4096", "ml_gen", 4096.0),
    "CODEJURY_ML_RUN": ("256", "ml_run", 256.0),
    "CODEJURY_SANDBOXES": ("16", "sandboxes", 16),
    "CODEJURY_LLM_URL": ("https://models.example/v1", "llm_url", "https://models.example/v1"),
    "CODEJURY_LLM_MODEL": ("small-coder", "llm_model", "small-coder"),
    "CODEJURY_LLM_KEY": ("sk-of-a-test", "llm_key", Secret("sk-of-a-test")),
    "CODEJURY_HF_URL": ("https://hub.example/", "hf_url", "https://hub.example"),
    "CODEJURY_MS_URL": ("https://scope.example", "ms_url", "https://scope.example"),
    "CODEJURY_TOKEN": ("token-of-a-test", "token", Secret("token-of-a-test")),
}


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting of the one who runs the tests."""
    for name in list(os.environ):
        if name.startswith(("CODEJURY_", "OPENAI_")):
            monkeypatch.delenv(name)


def test_the_header_documents_every_setting() -> None:
    assert sorted(DOCUMENTED) == sorted(EXAMPLES)
    assert sorted(settings.Settings.__struct_fields__) == sorted(field for _, field, _ in EXAMPLES.values())


def test_the_source_reads_what_the_header_documents() -> None:
    tree = ast.parse(Path(settings.__file__).read_text())
    words = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    assert {word for word in words if re.fullmatch(r"CODEJURY_[A-Z_]+", word)} == set(DOCUMENTED)


def test_no_other_module_reads_the_environment_for_settings(root: Path) -> None:
    package = root / "src" / "codejury"
    own = Path(settings.__file__)
    found = {
        (str(path.relative_to(package)), name)
        for path in package.rglob("*.py")
        if path != own
        for name in re.findall(r"environ[^\n]*(CODEJURY_\w+)", path.read_text())
    }
    assert found == set()


@pytest.mark.parametrize("name", DOCUMENTED)
def test_each_is_read(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text, field, expected = EXAMPLES[name]
    before = settings.load()
    assert getattr(before, field) != expected
    monkeypatch.setenv(name, text)
    after = settings.load()
    assert getattr(after, field) == expected
    changed = [other for other in before.__struct_fields__ if getattr(before, other) != getattr(after, other)]
    assert changed == [field]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("CODEJURY_LEVEL", "nonsense"),
        ("CODEJURY_LEVEL", ""),
        ("CODEJURY_LEVEL", "FULL"),
        ("CODEJURY_LEVEL", "full "),
        ("CODEJURY_WORKERS", "0"),
        ("CODEJURY_WORKERS", "-1"),
        ("CODEJURY_WORKERS", "two"),
        ("CODEJURY_WORKERS", ""),
        ("CODEJURY_WORKERS", "1.5"),
        ("CODEJURY_WORKERS", "5000"),
        ("CODEJURY_WORKERS", "\N{SUPERSCRIPT TWO}"),
        ("CODEJURY_WORKERS", "9" * 5000),
        ("CODEJURY_TL_GEN", "0"),
        ("CODEJURY_TL_RUN", "-1"),
        ("CODEJURY_ML_GEN", "1e9999"),
        ("CODEJURY_ML_RUN", "nan"),
        ("CODEJURY_SANDBOXES", "0"),
        ("CODEJURY_LLM_URL", "models.example/v1"),
        ("CODEJURY_LLM_URL", "ftp://models.example/v1"),
        ("CODEJURY_LLM_URL", "https:///v1"),
        ("CODEJURY_LLM_URL", "https://models.example/v1#part"),
        ("CODEJURY_LLM_URL", "https://models.example/ v1"),
        ("OPENAI_BASE_URL", "nonsense"),
    ],
)
def test_a_bad_value_names_the_variable(name: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, text)
    with pytest.raises(SettingsError) as caught:
        settings.load()
    assert name in str(caught.value)
    assert repr(text)[:100] in str(caught.value)
    assert isinstance(caught.value, UsageError)


def test_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("TMPDIR", raising=False)
    monkeypatch.setenv("HOME", "/home/somebody")
    known = settings.load()
    assert known.level is None
    assert known.workers == len(os.sched_getaffinity(0))
    assert known.python is None
    assert known.preload == tuple(settings.DEFAULT_PRELOAD.split(","))
    assert known.languages == ()
    assert known.cache == Path("/home/somebody/.cache/codejury")
    assert known.temp == Path("/tmp")
    assert known.cgroup is None
    assert (known.tl_gen, known.tl_run, known.ml_gen, known.ml_run, known.sandboxes) == (30, 5, 10240, 1024, 64)


def test_the_cache_follows_xdg(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/elsewhere")
    assert settings.load().cache == Path("/elsewhere/codejury")


def test_temp_follows_tmpdir(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", "/var/some/tmp")
    assert settings.load().temp == Path("/var/some/tmp")


@pytest.mark.parametrize("name", ["CODEJURY_PYTHON", "CODEJURY_CACHE", "CODEJURY_TEMP", "CODEJURY_CGROUP"])
def test_relative_paths_are_taken_from_here(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(name, "below/it")
    assert getattr(settings.load(), EXAMPLES[name][1]) == tmp_path / "below" / "it"


@pytest.mark.parametrize("name", ["CODEJURY_PYTHON", "CODEJURY_CACHE", "CODEJURY_TEMP", "CODEJURY_CGROUP"])
def test_an_empty_path_is_none_given(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = settings.load()
    monkeypatch.setenv(name, "")
    assert settings.load() == before


def test_no_preload_and_no_languages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEJURY_PRELOAD", "")
    monkeypatch.setenv("CODEJURY_LANGUAGES", "")
    known = settings.load()
    assert (known.preload, known.languages) == ((), ())


def test_blanks_around_preloaded_names_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEJURY_PRELOAD", " math, json ,,")
    assert settings.load().preload == ("math", "json")


@pytest.mark.parametrize("text", ["auto", *LEVELS])
def test_parse_level(text: str) -> None:
    assert settings.parse_level(text, where="here") == (None if text == "auto" else text)


def test_parse_level_says_where_and_what_was_expected() -> None:
    with pytest.raises(SettingsError, match=r"^--level: expected auto, full, rootless, landlock; got 'half'$"):
        settings.parse_level("half", where="--level")


# ── The model's address and key ──────────────────────────────────────────────────────────────────────────────────────


def test_the_address_and_key_fall_back_to_openais(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:8089/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
    known = settings.load()
    assert (known.llm_url, known.llm_key) == ("http://127.0.0.1:8089/v1", Secret("sk-openai"))
    monkeypatch.setenv("CODEJURY_LLM_URL", "http://mine/v1")
    monkeypatch.setenv("CODEJURY_LLM_KEY", "sk-mine")
    known = settings.load()
    assert (known.llm_url, known.llm_key) == ("http://mine/v1", Secret("sk-mine"))


def test_an_empty_variable_is_none_given(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CODEJURY_LLM_URL", "CODEJURY_LLM_MODEL", "CODEJURY_LLM_KEY"):
        monkeypatch.setenv(name, "")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
    known = settings.load()
    assert (known.llm_url, known.llm_model, known.llm_key) == (None, None, Secret("sk-openai"))


def test_the_settings_do_not_show_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEJURY_LLM_KEY", "sk-of-a-test")
    known = settings.load()
    assert known.llm_key is not None
    assert known.llm_key.reveal() == "sk-of-a-test"
    assert "sk-of-a-test" not in f"{known!r} {known!s} {known.llm_key} {known.llm_key!r}"
    with pytest.raises(TypeError):
        pickle.dumps(known)
    with pytest.raises(TypeError):
        msgspec.json.encode(known)


@pytest.mark.parametrize("text", ["sk-of a test", "sk-of\na-test", "sk-öf", "sk-of\x7fa"])
def test_a_key_that_fits_no_header_is_refused_and_not_repeated(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEJURY_LLM_KEY", text)
    with pytest.raises(SettingsError, match="CODEJURY_LLM_KEY") as caught:
        settings.load()
    assert text not in str(caught.value)
    assert "sk-" not in str(caught.value)


def test_an_address_with_a_password_is_refused_and_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEJURY_LLM_URL", "https://me:hushhush@models.example/v1")
    with pytest.raises(SettingsError, match="CODEJURY_LLM_URL") as caught:
        settings.load()
    assert "hushhush" not in str(caught.value)
