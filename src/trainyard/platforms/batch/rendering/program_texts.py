"""The programs of nodes and containers as texts, for templates, which have little room."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path


@cache
def program(name: str, *, dense: bool) -> str:
    """Return the text of a file of this folder, with ``dense`` without its comments."""
    text = (Path(__file__).parent / name).read_text(encoding="utf-8")
    if not dense:
        return text
    return _dense_python(text) if name.endswith(".py") else _dense_shell(text)


def _dense_python(text: str) -> str:
    tree = ast.parse(text)
    for node in ast.walk(tree):
        documented = isinstance(node, ast.Module | ast.FunctionDef) and ast.get_docstring(node) is not None
        if documented and isinstance(node, ast.Module | ast.FunctionDef):
            node.body = node.body[1:]
    return ast.unparse(tree) + "\n"


def _dense_shell(text: str) -> str:
    """Return a script without the lines that are nothing but a comment. Ours have no text of several lines."""
    lines = text.splitlines()
    return "\n".join(line for line in lines if line.startswith("#!") or not line.lstrip().startswith("#")) + "\n"
