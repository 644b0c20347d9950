"""Keeps moto's CloudFormation out of the process: importing any of it would import the models of thirty services.

That takes three seconds and 100 MB, and is only ever done for the classes of errors beside it.
https://github.com/getmoto/moto/blob/5.2.5/moto/cloudformation/__init__.py
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import moto


def keep_out() -> None:
    """Put an empty package in its place, below which the files of moto's are found."""
    package = ModuleType("moto.cloudformation")
    package.__path__ = [str(Path(moto.__file__).parent / "cloudformation")]
    sys.modules.setdefault("moto.cloudformation", package)
