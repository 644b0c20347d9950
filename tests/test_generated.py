"""Generated files are what would be generated now from the package that is tested, whether source tree or wheel.

The compiled validators lie in that package; the pages lie in the repository and are the same for both.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

SCRIPT = Path(__file__).parent.parent / "tools" / "generate.py"


def outputs() -> dict[Path, str]:
    specification = importlib.util.spec_from_file_location("generate", SCRIPT)
    assert specification is not None
    assert specification.loader is not None
    script = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(script)
    made: dict[Path, str] = script.outputs()
    return made


def test_no_generated_file_is_stale():
    made = outputs()
    assert {file.name for file in made} >= {"compiled.json", "spec.md", "findings.md"}
    stale = ["/".join(file.parts[-2:]) for file, text in made.items() if file.read_text(encoding="utf-8") != text]
    assert stale == [], "run `make generate`"
