"""trainyard: from one typed file to a distributed-training cluster on AWS, checked before it costs money."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trainyard.api import *  # noqa: F403  the names that __getattr__ gives, for type checkers and editors


def __getattr__(name: str) -> Any:
    """Give the functions of ``trainyard.api`` when they are first asked for, so that importing the package is quick."""
    return getattr(import_module("trainyard.api"), name)
