"""The Dockerfile and the manifests, as far as they can be tried without a daemon: what is copied is there and enough to
build from, what is called is understood, what is said of them in docs/containers.md holds."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from fnmatch import fnmatch
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml

from codejury.cli.serve import serve

ROOT = Path(__file__).resolve().parents[2]
MANIFESTS = sorted((ROOT / "deploy" / "kubernetes").glob("*.yaml"))
PAGE = (ROOT / "docs" / "containers.md").read_text()


def steps() -> list[tuple[str, str]]:
    """Instruction and what follows it, lines joined."""
    text = re.sub(r"^#.*\n", "", (ROOT / "Dockerfile").read_text(), flags=re.MULTILINE).replace("\\\n", " ")
    return [(line.split()[0], line.split(maxsplit=1)[1]) for line in text.splitlines() if line.strip()]


def of(instruction: str) -> list[str]:
    return [rest for name, rest in steps() if name == instruction]


def copied() -> list[str]:
    return [source for rest in of("COPY") if not rest.startswith("--from") for source in rest.split()[:-1]]


def test_what_is_copied_is_not_ignored() -> None:
    lines = (ROOT / ".dockerignore").read_text().split()
    for source in copied():
        assert (ROOT / source).exists()
        assert f"!{source}" in lines
    left_out = [line for line in lines if not line.startswith("!")]
    assert any(fnmatch("native/build", line) for line in left_out)  # of this host, perhaps for another machine


@pytest.mark.skipif(find_spec("hatchling") is None, reason="hatchling is not installed")
@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc")
def test_it_builds_from_what_is_copied(tmp_path: Path) -> None:
    """The first stage's last step, without the download of packages."""
    assert any("pip install --no-cache-dir '.[serve]'" in rest for rest in of("RUN"))
    for source in copied():
        here = ROOT / source
        if here.is_dir():
            shutil.copytree(here, tmp_path / source, ignore=shutil.ignore_patterns("build", "_native", "__pycache__"))
        else:
            shutil.copy(here, tmp_path / source)
    command = [sys.executable, "-m", "pip", "wheel", ".", "--no-deps", "--no-build-isolation", "-w", "out"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    (wheel,) = (tmp_path / "out").glob("codejury-*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {"codejury/_native/keeper", "codejury/_native/box.so", "codejury/service/server.py"} <= set(names)


def test_what_is_called_is_understood() -> None:
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    (entry,), (command,) = map(json.loads, of("ENTRYPOINT")), map(json.loads, of("CMD"))
    assert entry == ["codejury"]
    assert entry[0] in scripts
    assert command[0] == "serve"
    context = serve.make_context("serve", list(command[1:]))
    assert (context.params["host"], context.params["port"]) == ("0.0.0.0", 8080)
    assert of("EXPOSE") == ["8080"]


def test_without_a_token_it_does_not_start() -> None:
    (command,) = map(json.loads, of("CMD"))
    done = subprocess.run(
        [sys.executable, "-m", "codejury.cli", *command], capture_output=True, text=True, env={"PATH": "/usr/bin:/bin"}
    )
    assert done.returncode == 2
    assert "--token" in done.stderr


def test_its_user_is_a_number_and_not_root() -> None:
    (user,) = of("USER")
    assert all(int(part) > 0 for part in user.split(":"))
    assert user.split(":")[0] in PAGE


def test_the_health_check_asks_what_is_there(tmp_path: Path) -> None:
    pytest.importorskip("uvicorn")
    from service.conftest import Running

    (check,) = of("HEALTHCHECK")
    command = json.loads(check[check.index("[") :])
    running = Running(workers=1)
    command[-1] = command[-1].replace(":8080/", f":{running.port}/")
    try:
        assert subprocess.run([sys.executable, *command[1:]], capture_output=True).returncode == 0
    finally:
        running.stop()
    assert subprocess.run([sys.executable, *command[1:]], capture_output=True).returncode != 0


# --- manifests -------------------------------------------------------------------------------------------------------


def parts(path: Path) -> tuple[Any, Any, Any]:
    """The pod's specification, its container, the service."""
    deployment, service = yaml.safe_load_all(path.read_text())
    assert (deployment["kind"], service["kind"]) == ("Deployment", "Service")
    template = deployment["spec"]["template"]
    labels = template["metadata"]["labels"]
    assert deployment["spec"]["selector"]["matchLabels"] == service["spec"]["selector"] == labels
    (container,) = template["spec"]["containers"]
    return template["spec"], container, service


def test_the_page_names_all() -> None:
    assert [path.name for path in MANIFESTS] == ["restricted.yaml", "rootless.yaml"]
    assert all(f"deploy/kubernetes/{path.name}" in PAGE for path in MANIFESTS)


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.stem)
def test_a_manifest(path: Path) -> None:
    pod, container, service = parts(path)
    assert container["args"][0] == "serve"
    options = serve.make_context("serve", list(container["args"][1:])).params
    assert options["level"] == {"restricted": "landlock", "rootless": "rootless"}[path.stem]
    assert pod["terminationGracePeriodSeconds"] > options["grace_s"]
    memory_mb = int(container["resources"]["limits"]["memory"].removesuffix("Gi")) * 1024
    assert memory_mb > options["workers"] * options["memory_mb"]
    (token,) = [each for each in container["env"] if each["name"] == "CODEJURY_TOKEN"]
    assert set(token["valueFrom"]["secretKeyRef"]) == {"name", "key"}  # not in the file
    assert container["livenessProbe"]["httpGet"]["path"] == "/healthz"
    assert container["readinessProbe"]["httpGet"]["path"] == "/readyz"
    (port,) = container["ports"]
    assert port["containerPort"] == options["port"]
    assert service["spec"]["ports"][0]["targetPort"] == port["name"]
    assert {mount["name"] for mount in container["volumeMounts"]} == {volume["name"] for volume in pod["volumes"]}


def test_the_restricted_one_is_restricted() -> None:
    """https://kubernetes.io/docs/concepts/security/pod-security-standards/, row by row."""
    pod, container, _ = parts(ROOT / "deploy" / "kubernetes" / "restricted.yaml")
    context = {**pod["securityContext"], **container["securityContext"]}
    assert context["runAsNonRoot"] is True
    assert context["runAsUser"] > 0
    assert context["allowPrivilegeEscalation"] is False
    assert context["capabilities"] == {"drop": ["ALL"]}
    assert context["seccompProfile"] == {"type": "RuntimeDefault"}
    assert not {"hostNetwork", "hostPID", "hostIPC"} & set(pod)
    assert "procMount" not in context
    assert all(set(volume) <= {"name", "emptyDir"} for volume in pod["volumes"])


def test_what_the_rootless_one_asks_for_needs_a_user_namespace() -> None:
    pod, container, _ = parts(ROOT / "deploy" / "kubernetes" / "rootless.yaml")
    assert pod["hostUsers"] is False
    assert container["securityContext"]["procMount"] == "Unmasked"
    assert pod["securityContext"]["seccompProfile"] == {"type": "Unconfined"}
