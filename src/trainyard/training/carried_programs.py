"""The programs of a run within one word of a command: for containers that are handed no files."""

from __future__ import annotations

import ast
import base64
import json
import lzma
import re
from collections.abc import Iterator, Mapping

FOLDER = "/tmp/trainyard"  # noqa: S108  of a container, which nobody else has
UNPACK = f"""\
import base64,json,lzma,os,sys
os.makedirs("{FOLDER}",exist_ok=True)
for n,t in json.loads(lzma.decompress(base64.b85decode(sys.argv[1]))).items():open("{FOLDER}/"+n,"w").write(t)
os.execvp("bash",["bash","{FOLDER}/"+sys.argv[2],*sys.argv[3:]])"""
"""A Python program that unpacks them, and starts one with bash and what follows."""


# What only the linters read, behind a statement.
_FOR_LINTERS = re.compile(r"  # (?:noqa|type: ignore|fmt: )[^\"']*$")


def packed(programs: Mapping[str, str]) -> str:
    """Return programs by name as one word. What only people read in them is left out."""
    text = json.dumps({name: _bare(name, program) for name, program in programs.items()})
    return base64.b85encode(lzma.compress(text.encode(), format=lzma.FORMAT_ALONE, preset=9)).decode()


def _bare(name: str, program: str) -> str:
    """Return a program without comments, empty lines and docstrings; its statements stay as they are."""
    lines, is_python = program.splitlines(), name.endswith(".py")
    left_out = set(_docstrings(program)) if is_python else set()
    kept = (_FOR_LINTERS.sub("", line) for number, line in enumerate(lines, start=1) if number not in left_out)
    full = [line for line in kept if line.strip() and not line.lstrip().startswith("# ")]
    return "\n".join(_narrow(line) if is_python else line for line in full) + "\n"


def _narrow(line: str) -> str:
    """Return a line indented by one space for each four, which says the same."""
    text = line.lstrip(" ")
    return " " * ((len(line) - len(text)) // 4) + text


def _docstrings(program: str) -> Iterator[int]:
    """Yield the numbers of the lines that only say what something is for."""
    for node in ast.walk(ast.parse(program)):
        body = getattr(node, "body", None)
        first = body[0] if isinstance(body, list) and len(body) > 1 else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
            yield from range(first.lineno, (first.end_lineno or first.lineno) + 1)
