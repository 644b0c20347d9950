"""trainyard-node.pyz: one file, the same bytes from the same code, run by every Python that nodes have."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.node.machine import Machine, pythons
from trainyard.bootstrap.pyz import trainyard_node_pyz
from trainyard.version import __version__

ROOT = Path(__file__).parents[2]
PROBE = """\
import sys
sys.path.insert(0, sys.argv[1])
from trainyard_node.health.nvml_library import make_importable
make_importable()
import pynvml
print(pynvml.__file__, pynvml.NVML_SUCCESS)
"""


@pytest.fixture
def pyz(tmp_path: Path) -> Path:
    file = tmp_path / "trainyard-node.pyz"
    file.write_bytes(trainyard_node_pyz())
    return file


def names() -> list[str]:
    return zipfile.ZipFile(io.BytesIO(trainyard_node_pyz())).namelist()


def test_the_same_code_gives_the_same_bytes_whenever_its_files_were_written():
    before = trainyard_node_pyz()
    file = ROOT / "src/trainyard_node/__init__.py"
    if file.exists():
        os.utime(file)
    assert trainyard_node_pyz() == before
    archive = zipfile.ZipFile(io.BytesIO(before))
    assert names() == sorted(names())
    assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert {entry.external_attr >> 16 for entry in archive.infolist()} == {0o100644}
    assert {entry.compress_type for entry in archive.infolist()} == {zipfile.ZIP_STORED}


def test_it_holds_the_package_its_data_and_its_library():
    held = set(names())
    assert {"__main__.py", "trainyard_node/cli.py", "trainyard_node/versions.json"} <= held
    assert {"trainyard_node/_vendor/pynvml.py", "trainyard_node/collectors/slurm.json"} <= held
    assert not [name for name in held if name.endswith(".pyc") or "__pycache__" in name]


def test_the_builder_does_not_import_what_is_for_nodes():
    code = "import sys; from trainyard.bootstrap.pyz import trainyard_node_pyz; trainyard_node_pyz()"
    code += "; print('trainyard_node' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"


@pytest.mark.integration
@pytest.mark.parametrize("python", pythons(), ids=str)
def test_it_says_which_version_it_is(pyz: Path, python: Path):
    ran = subprocess.run([python, pyz, "--version"], capture_output=True, text=True, check=True)
    assert ran.stdout.startswith(f"trainyard-node {__version__} on Python 3.")


@pytest.mark.integration
@pytest.mark.parametrize("python", pythons(), ids=str)
def test_every_python_brings_a_node_up_with_it(machine: Machine, python: Path):
    machine.plan(
        machine.step(10, "one", 'say "$TRAINYARD_INSTANCE_ID"'), machine.step(20, "two", "exit 3", required=False)
    )
    ran = machine.bootstrap(python)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert machine.run("bootstrap-status", python=python).returncode == 0
    assert machine.run("versions", python=python).returncode == 0


@pytest.mark.integration
@pytest.mark.parametrize("python", pythons(), ids=str)
def test_every_python_finds_the_libraries_in_it(pyz: Path, python: Path):
    ran = subprocess.run([python, "-c", PROBE, pyz], capture_output=True, text=True, check=True)
    nvml, success = ran.stdout.split()
    assert nvml.startswith(f"{pyz}/trainyard_node/_vendor/")
    assert success == "0"


@pytest.mark.integration
def test_a_python_that_is_too_old_is_told_in_one_line(pyz: Path):
    old = sorted(Path("~/.pyenv/versions").expanduser().glob("3.[678].*/bin/python3"))
    if not old:
        # The check comes before anything that an old Python cannot read.
        main = zipfile.ZipFile(pyz).read("__main__.py").decode()
        assert main.index("version_info < (3, 9)") < main.index("from trainyard_node")
        return
    ran = subprocess.run([old[0], pyz], capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert ran.stderr.startswith("trainyard-node needs Python 3.9 or newer; this is 3.")


@pytest.mark.integration
def test_what_lies_in_the_vendor_folder_is_what_the_tool_fetches(tmp_path: Path):
    subprocess.run([sys.executable, ROOT / "tools/vendor_node.py", tmp_path / "vendor"], check=True)
    assert contents(tmp_path / "vendor") == contents(ROOT / "src/trainyard_node/_vendor")


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc")
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}
