"""How files stand in commands that are printed for somebody to type.

A module of its own: what renders a bundle names files too, and must not load what deploys.
"""

from __future__ import annotations

STANDARD_INPUT = "-"
SAME_SPEC = "SPEC"
"""Stands in commands for a spec that was read from standard input: nobody can read it a second time."""


def spec_argument(file: str) -> str:
    """Return how a spec is named in a command."""
    return SAME_SPEC if file == STANDARD_INPUT else file_argument(file)


def file_argument(file: str) -> str:
    """Return the name of a file so that no program takes it for an option."""
    return f"./{file}" if file.startswith("-") else file
