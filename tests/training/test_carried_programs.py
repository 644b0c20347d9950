"""Programs that are carried within a command say the same as the files that they are made of."""

from __future__ import annotations

import ast
import base64
import json
import lzma
from pathlib import Path

import pytest

from trainyard.training import programs
from trainyard.training.carried_programs import packed


def statements(text: str) -> str:
    """Return what a program does, without what only people and linters read."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or node.body
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        if isinstance(node, ast.arg):
            node.annotation = None
    return ast.dump(tree)


@pytest.mark.parametrize("name", ["trainyard_progress.py", "transformer.py"])
def test_a_carried_program_has_the_same_statements_and_nothing_for_linters(name: str):
    text = Path(str(programs.__file__)).with_name(name).read_text(encoding="utf-8")
    carried = json.loads(lzma.decompress(base64.b85decode(packed({name: text}))))[name]
    assert statements(carried) == statements(text)
    assert "noqa" not in carried
