"""The data files of this room that every rendering reads, as the JSON that `make generate` keeps of them.

YAML takes twenty times as long to read.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from pydantic_core import from_json

FOLDER = Path(__file__).parent
COMPILED = FOLDER / "compiled.json"
FILES = (
    "bench/phases.yaml",
    "diagram/icons.yaml",
    "diagram/text_width.yaml",
    "shared_stacks.yaml",
    "stand_ins.yaml",
)


def data(file: str) -> Any:
    """Return the content of one of the files. Keys that are numbers in it are text."""
    return _compiled()[file]


def compiled_data() -> str:
    """Return the text of compiled.json."""
    contents = {file: yaml.load((FOLDER / file).read_bytes(), Loader=yaml.CSafeLoader) for file in FILES}
    return json.dumps(contents, indent=1) + "\n"


@cache
def _compiled() -> dict[str, Any]:
    contents: dict[str, Any] = from_json(COMPILED.read_bytes())
    return contents
