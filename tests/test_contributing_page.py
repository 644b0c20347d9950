"""CONTRIBUTING.md names files and commands that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.each_case import each_case

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
TABLE = PAGE.split("## What to touch\n")[1].split("\n## ")[0]
# What stands in backquotes without a space, with a slash or an ending: not a command.
PATHS = sorted({quoted for quoted in re.findall(r"`([^` ]+)`", TABLE) if "/" in quoted or "." in quoted})
TARGETS = sorted(set(re.findall(r"`make ([a-z-]+)", PAGE)))


@each_case("path", PATHS)
def test_a_path_in_the_table_exists_whatever_its_placeholder_stands_for(path):
    assert list(ROOT.glob(re.sub(r"<\w+>", "*", path)))


def test_every_row_of_the_table_names_a_path():
    rows = re.findall(r"^\| an? .*$", TABLE, re.MULTILINE)
    assert len(rows) > 8
    assert [row for row in rows if not any(f"`{path}`" in row for path in PATHS)] == []


@pytest.mark.parametrize("target", TARGETS)
def test_a_make_command_exists(target):
    assert re.search(rf"^(\S+ )?{target}( \S+)?:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
