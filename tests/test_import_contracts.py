"""Breaking the layers on purpose fails `lint-imports`, which is a line of `make check`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LAYERS = "imports point down only; rooms beside each other do not know each other"
SIBLINGS = "platforms do not know each other"
PURE = "rules, rendering, simulation and monitoring cannot reach the world"
SPEC = "the spec reads no files"
NODE = "what runs on nodes knows nothing of trainyard"
NODE_DATA = "trainyard knows only the metric registry of what runs on nodes"

pytestmark = pytest.mark.integration


@pytest.fixture
def copy(tmp_path):
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def broken_contracts(copy: Path) -> set[str]:
    """Return the names of the contracts that `lint-imports` calls broken; it succeeds exactly when there are none."""
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy / "src"), "NO_COLOR": "1"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    states = dict(re.findall(r"^(.*) (KEPT|BROKEN)(?: \(\d+ ignored imports\))?$", done.stdout, re.MULTILINE))
    assert set(states) == {LAYERS, SIBLINGS, PURE, SPEC, NODE, NODE_DATA}, done.stdout + done.stderr
    broken = {name for name, state in states.items() if state == "BROKEN"}
    assert (done.returncode == 0) == (not broken)
    return broken


def test_the_code_as_it_is_keeps_every_contract(copy):
    assert broken_contracts(copy) == set()


@pytest.mark.parametrize(
    ("file", "imported", "broken"),
    [
        pytest.param("trainyard/rules/mounts_overlap.py", "trainyard.edge.text_file", {PURE}, id="a rule reads a file"),
        pytest.param("trainyard/render/rendering.py", "trainyard.edge.pcluster", {PURE}, id="rendering asks a program"),
        pytest.param(
            "trainyard/spec/parsing.py", "trainyard.edge.text_file", {LAYERS, SPEC}, id="the spec reads a file"
        ),
        pytest.param("trainyard/rules/__init__.py", "trainyard.render.rendering", {LAYERS}, id="a room beside it"),
        pytest.param("trainyard/spec/cluster.py", "trainyard.catalog.instances", {LAYERS}, id="facts in the spec"),
        pytest.param("trainyard/finding.py", "trainyard.errors", {LAYERS}, id="upwards, at the bottom"),
        pytest.param("trainyard/api/check.py", "trainyard.cli.output", {LAYERS}, id="upwards, at the top"),
        pytest.param(
            "trainyard/platforms/eks/plan.py",
            "trainyard.platforms.batch.plan",
            {SIBLINGS},
            id="a platform asks another",
        ),
        pytest.param(
            "trainyard/platforms/batch/rendering/names.py",
            "trainyard.edge.uv",
            {PURE},
            id="a platform renders impurely",
        ),
        pytest.param("trainyard_node/__init__.py", "trainyard.finding", {NODE}, id="a node asks trainyard"),
        pytest.param("trainyard/finding.py", "trainyard_node", {NODE_DATA}, id="trainyard asks a node"),
    ],
)
def test_a_forbidden_import_breaks_its_contract(copy, file, imported, broken):
    with (copy / "src" / file).open("a", encoding="utf-8") as source:
        source.write(f"\nimport {imported}\n")
    assert broken_contracts(copy) == broken


def test_a_new_room_without_a_layer_is_refused(copy):
    (copy / "src" / "trainyard" / "attic.py").write_text("")
    assert broken_contracts(copy) == {LAYERS}


def recipe(makefile: str, target: str) -> str:
    commands = re.search(rf"^{target}:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
    assert commands is not None
    return commands[1]


def test_make_check_runs_the_contracts():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(r"^check: lint\b", makefile, re.MULTILINE)
    assert "lint-rest" in recipe(makefile, "lint")
    assert "\tlint-imports\n" in recipe(makefile, "lint-rest")
