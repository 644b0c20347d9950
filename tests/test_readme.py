"""The README tells the truth: its table is the command line's, and its example prints what it shows.

`python -m tests.test_readme` writes what the example prints into the README.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from trainyard.cli import COMMANDS

ROOT = Path(__file__).parents[1]
FILE = ROOT / "README.md"
README = FILE.read_text(encoding="utf-8")


def example() -> list[tuple[str, str]]:
    """Return each command of the example with the output that stands below it."""
    section = README.split("## An example\n")[1].split("\n## ")[0]
    blocks = re.findall(r"```console\n(.*?)```", section, re.DOTALL)
    steps = [step for block in blocks for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    return [split_after_command(step) for step in steps]


def split_after_command(step: str) -> tuple[str, str]:
    """Split at the first line end that no backslash continues."""
    command, _, output = re.sub(r"(?<!\\)\n", "\0", step, count=1).partition("\0")
    return command, output


def printed(folder: Path) -> Iterator[str]:
    """Yield what a shell prints for each command of the example, standard error included, as a reader sees it."""
    program = f'trainyard() {{ "{sys.executable}" -m trainyard "$@"; }}\n'
    for command, _ in example():
        done = subprocess.run(
            ["bash", "-c", program + command],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )
        yield done.stdout


def test_the_table_of_commands_is_the_command_line_s():
    table = README.split("## Commands\n")[1].split("\n\n")[0]
    assert tuple(re.findall(r"^\| `([a-z]+)` \|", table, re.MULTILINE)) == COMMANDS


def test_the_example_prints_what_it_shows(tmp_path):
    assert list(printed(tmp_path)) == [output for _, output in example()]


def test_the_example_makes_checks_and_renders_a_spec():
    words = [command.split()[1] for command, _ in example() if command.startswith("trainyard ")]
    assert words == ["new", "check", "check", "render"]


@pytest.mark.parametrize("target", re.findall(r"^make ([a-z-]+)$", README, re.MULTILINE))
def test_a_make_command_of_the_readme_exists(target):
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)


def test_the_gate_calls_the_test_command_of_the_readme_and_a_part_of_the_exhaustive_tests():
    gate = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert re.findall(r"^make (\S+)", gate, re.MULTILINE) == ["test", "test-slice"]
    assert "\nmake test\n" in README


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\((?!https?://)([^)#]+)\)", README))))
def test_a_link_leads_to_a_file(link):
    assert (ROOT / link).exists()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        written = README
        for (command, shown), output in zip(example(), printed(Path(temporary)), strict=True):
            written = written.replace(f"$ {command}\n{shown}", f"$ {command}\n{output}", 1)
    FILE.write_text(written, encoding="utf-8")
