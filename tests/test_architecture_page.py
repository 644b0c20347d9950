"""ARCHITECTURE.md against the tree: its rooms, its layers and the paths that it names."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from tests.each_case import each_case

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "trainyard"
PAGE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
# What stands in backquotes with a slash in it, from the root or from the package.
PATHS = sorted(set(re.findall(r"`([\w.-]+/[\w./-]*)`", PAGE)))


def rooms_in(folder: Path) -> list[str]:
    packages = [file.parent.name for file in folder.glob("*/__init__.py")]
    modules = [file.stem for file in folder.glob("*.py") if file.stem != "__init__"]
    return sorted(packages + modules)


def files_in(folder: Path) -> list[str]:
    return [file.name for file in folder.rglob("*") if file.is_file() and "__pycache__" not in file.parts]


def contract_layers() -> list[str]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    layers: list[str] = next(contract["layers"] for contract in contracts if contract["id"] == "layers")
    return layers


def test_every_room_stands_in_the_table_once_and_nothing_else_does():
    table = PAGE.split("## Rooms\n")[1].split("\n## ")[0]
    assert sorted(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == rooms_in(SOURCE)


def test_a_room_that_is_called_empty_is_empty_and_no_other_is():
    called = re.findall(r"^\| `(\w+)` \| empty: ", PAGE, re.MULTILINE)
    assert sorted(called) == [room for room in rooms_in(SOURCE) if files_in(SOURCE / room) == ["__init__.py"]]


def test_the_layers_are_those_of_the_contract():
    block = PAGE.split("```text\n")[1].split("```")[0]
    assert block.splitlines() == contract_layers()


@each_case("path", PATHS)
def test_a_path_on_the_page_exists(path):
    assert (ROOT / path).exists() or (SOURCE / path).exists() or (ROOT / "src" / path).exists()
