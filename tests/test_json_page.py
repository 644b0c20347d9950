"""docs/json.md shows what the commands print: every example is run and compared."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from trainyard.finding import Finding

PAGE = (Path(__file__).parents[1] / "docs" / "json.md").read_text(encoding="utf-8")
SPEC = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)[0]
EXAMPLES = re.findall(r"```console\n\$ ([^\n]*)\n```\n\n```json\n(.*?)```", PAGE, re.DOTALL)
EACH_EXAMPLE = pytest.mark.parametrize(("command", "shown"), EXAMPLES, ids=[command for command, _ in EXAMPLES])

# Mappings of which the page shows a part, as it does of lists.
CUT_SHORT = ".sources"


def printed(command: str, folder: Path) -> Any:
    """Return the JSON that a command prints in a folder with the page's spec."""
    (folder / "cluster.yaml").write_text(SPEC)
    program = f'trainyard() {{ "{sys.executable}" -m trainyard "$@"; }}\n'
    done = subprocess.run(
        ["bash", "-c", program + command], cwd=folder, stdout=subprocess.PIPE, encoding="utf-8", check=False
    )
    return json.loads(done.stdout)


def differences(shown: Any, real: Any, path: str = "") -> Iterator[str]:
    """Yield where an example is not what a command prints, or not an allowed shortening of it."""
    if isinstance(shown, dict) and isinstance(real, dict):
        if shown.keys() != real.keys() and not (path.endswith(CUT_SHORT) and shown.keys() < real.keys()):
            yield f"{path}: {sorted(shown.keys() ^ real.keys())}"
        for key in shown.keys() & real.keys():
            yield from differences(shown[key], real[key], f"{path}.{key}")
    elif isinstance(shown, list) and isinstance(real, list):
        if real and not shown:
            yield f"{path}: empty"
        yield from (f"{path}[{index}]" for index, item in enumerate(shown) if not occurs(item, real))
    elif not same(shown, real):
        yield path


def occurs(shown: Any, real: list[Any]) -> bool:
    return any(not list(differences(shown, one)) for one in real)


def same(shown: Any, real: Any) -> bool:
    """Tell whether two scalars are the same, or an example shows the beginning of a long text."""
    if isinstance(shown, str) and shown.endswith("…"):
        return str(real).startswith(shown.removesuffix("…"))
    return type(shown) is type(real) and bool(shown == real)


@pytest.mark.parametrize("block", re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL))
def test_a_json_block_is_json_of_schema_1_and_belongs_to_a_command(block):
    assert next(iter(json.loads(block).items())) == ("schema", 1)
    assert block in [shown for _, shown in EXAMPLES]


def test_every_form_has_an_example():
    commands = {word for command, _ in EXAMPLES for word in re.findall(r"trainyard (\w+)", command)}
    described = {"adopt", "check", "explain", "facts", "versions", "render", "new", "architectures", "instances"}
    assert commands == {*described, "diagnose"}


@EACH_EXAMPLE
def test_an_example_is_what_the_command_prints(command, shown, tmp_path):
    assert list(differences(json.loads(shown), printed(command, tmp_path))) == []


def test_the_keys_of_a_finding_are_documented():
    table = PAGE.split("## A finding\n")[1].split("\n## ")[0]
    cells = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
    assert set(re.findall(r"`(\w+)`", " ".join(cells))) == set(Finding._fields)


def test_a_wrong_example_would_be_noticed():
    real = {"schema": 1, "findings": [{"id": "a", "line": 1}, {"id": "b", "line": None}]}
    assert not list(differences({"schema": 1, "findings": [{"id": "b", "line": None}]}, real))
    assert list(differences({"schema": 1, "findings": [{"id": "b"}]}, real)) == [".findings[0]"]
    assert list(differences({"schema": 1, "findings": []}, real)) == [".findings: empty"]
    assert list(differences({"schema": 1}, real)) == [": ['findings']"]
    assert list(differences({"schema": 2, "findings": [{"id": "a", "line": 1}]}, real)) == [".schema"]
