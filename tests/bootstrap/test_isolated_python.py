"""Python in scripts of a release, which would look for its modules in the folder that somebody calls the script in.

https://docs.python.org/3/using/cmdline.html#cmdoption-I
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from trainyard.bootstrap.steps import ASSETS

SCRIPTS = [file for folder in (ASSETS, ASSETS.parent / "image") for file in sorted(folder.rglob("*.s[hb]*"))]
_FROM_TEXT = re.compile(r"python3 +(?:-\w+ +)*?-(?:c\b| |$)")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_python_that_reads_its_program_from_a_script_is_isolated(script: Path):
    calls = [line for line in script.read_text().splitlines() if _FROM_TEXT.search(line)]
    assert [line for line in calls if "python3 -I " not in line] == []
