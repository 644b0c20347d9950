"""The wheel, installed into an empty environment, does what the demo shows."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import uv

ROOT = Path(__file__).parent.parent
pytestmark = pytest.mark.integration


def run(*command: str | Path, **variables: str) -> str:
    """Run a program outside the project's own environment and return what it printed."""
    kept = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "PYTHONPATH")}
    ran = subprocess.run(command, env=kept | variables, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout + ran.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    run(uv.find_uv_bin(), "build", "--quiet", "--wheel", "--out-dir", folder, ROOT)
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_holds_every_file_of_the_packages_and_nothing_else(wheel: Path):
    packages = [ROOT / "src" / "trainyard", ROOT / "src" / "trainyard_node"]
    files = {
        str(file.relative_to(ROOT / "src"))
        for package in packages
        for file in package.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert held == files


@pytest.fixture(scope="module")
def path(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Where programs are looked for, with an environment in which nothing but the wheel was asked for."""
    environment = tmp_path_factory.mktemp("environment")
    run(uv.find_uv_bin(), "venv", "--quiet", "--python", sys.executable, environment)
    run(uv.find_uv_bin(), "pip", "install", "--quiet", "--python", environment / "bin" / "python", f"{wheel}[rehearse]")
    return f"{environment / 'bin'}:/usr/bin:/bin"


def is_whole(report: Path) -> None:
    names = {".trainyard.json", "architecture.svg", "rehearsal.html", "rehearsal.json"}
    assert {file.name for file in report.iterdir()} == names


ENVIRONMENT = "kind: environment\nname: shared\nregion: us-east-2\nnetwork: {availability_zone: us-east-2a}\n"


def test_an_environment_is_rehearsed_from_the_wheel_where_nothing_else_is(path: str, tmp_path: Path):
    (tmp_path / "shared.yaml").write_text(ENVIRONMENT)
    program = Path(path.partition(":")[0]) / "trainyard"
    printed = run(program, "rehearse", tmp_path / "shared.yaml", "--output", tmp_path / "report", PATH=path)
    assert "The rehearsal of shared succeeded" in printed
    is_whole(tmp_path / "report")


@pytest.mark.exhaustive
def test_the_demo_runs_from_the_wheel_where_nothing_else_is(path: str, tmp_path: Path):
    printed = run("bash", ROOT / "tools" / "demo.sh", tmp_path / "demo", PATH=path)
    assert "The rehearsal of ml-cluster-p5 succeeded" in printed
    is_whole(tmp_path / "demo" / "rehearsal")
