"""The programs of a run within one word of a command: for containers that are handed no files."""

from __future__ import annotations

import ast
import base64
import json
import lzma
from collections.abc import Mapping

FOLDER = "/tmp/trainyard"  # noqa: S108  of a container, which nobody else has
UNPACK = f"""\
import base64,json,lzma,os,sys
os.makedirs("{FOLDER}",exist_ok=True)
for n,t in json.loads(lzma.decompress(base64.b85decode(sys.argv[1]))).items():open("{FOLDER}/"+n,"w").write(t)
os.execvp("bash",["bash","{FOLDER}/"+sys.argv[2],*sys.argv[3:]])"""
"""A Python program that unpacks them, and starts one with bash and what follows."""


# Measured on our own programs: with the defaults of LZMA they take 30 letters more.
_FILTERS = [{"id": lzma.FILTER_LZMA1, "preset": 9, "lc": 3, "pb": 0}]


def packed(programs: Mapping[str, str]) -> str:
    """Return programs by name as one word. What only people and linters read in them is left out."""
    text = json.dumps({name: _bare(name, program) for name, program in programs.items()})
    return base64.b85encode(lzma.compress(text.encode(), format=lzma.FORMAT_ALONE, filters=_FILTERS)).decode()


def _bare(name: str, program: str) -> str:
    """Return a program without comments and empty lines, in Python without docstrings and types of arguments too."""
    if name.endswith(".py"):
        tree = _WithoutDescriptions().visit(ast.parse(program))
        return "".join(f"{_narrow(line)}\n" for line in ast.unparse(tree).splitlines())
    full = [line for line in program.splitlines() if line.strip() and not line.lstrip().startswith("# ")]
    return "\n".join(full) + "\n"


def _narrow(line: str) -> str:
    """Return a line indented by one space for each four, which says the same: unparsed code has no longer strings."""
    text = line.lstrip(" ")
    return " " * ((len(line) - len(text)) // 4) + text


class _WithoutDescriptions(ast.NodeTransformer):
    """Takes away what changes nothing of what a program does. Fields of classes keep their types."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.generic_visit(node)
        node.returns, node.body = None, _without_docstring(node.body)
        arguments = node.args
        for argument in (
            *arguments.posonlyargs,
            *arguments.args,
            *arguments.kwonlyargs,
            arguments.vararg,
            arguments.kwarg,
        ):
            if argument is not None:
                argument.annotation = None
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        self.generic_visit(node)
        node.body = _without_docstring(node.body)
        return node

    def visit_Module(self, node: ast.Module) -> ast.Module:
        self.generic_visit(node)
        node.body = _without_docstring(node.body)
        return node


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    first = body[0]
    is_text = (
        isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    )
    return body[1:] if is_text and len(body) > 1 else body
