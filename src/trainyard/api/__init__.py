"""What trainyard does, as functions: one module for each command.

Everything named in `__init__.pyi` may be imported from ``trainyard`` itself. Modules are imported when something in
them is first asked for, because a check should not wait for what only a rendering needs. No name there is that of a
module or a room: importing one would hide the other.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any


@cache
def _modules() -> dict[str, str]:
    """Return the modules of the public names."""
    import ast  # noqa: PLC0415  commands import the modules themselves, and never come here

    stub = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    imports = [statement for statement in stub.body if isinstance(statement, ast.ImportFrom)]
    return {alias.name: statement.module or "" for statement in imports for alias in statement.names}


def __getattr__(name: str) -> Any:
    """Import what is asked for."""
    if name == "__all__":
        return sorted(_modules())
    if name not in _modules():
        raise AttributeError(f"module 'trainyard' has no attribute {name!r}")
    return getattr(import_module(_modules()[name]), name)


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted(_modules())
