"""The files of the page. Nothing else is ever sent, whatever is asked for."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import NamedTuple

_FOLDER = Path(__file__).with_name("page")
_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


class PageFile(NamedTuple):
    """A file as it is sent."""

    content: bytes
    type: str
    tag: str
    """Changes with the content: https://www.rfc-editor.org/rfc/rfc9110.html#name-etag."""


@cache
def page_files() -> dict[str, PageFile]:
    """Return the files by name."""
    files = sorted(path for path in _FOLDER.iterdir() if path.suffix in _TYPES)
    return {file.name: _read(file) for file in files}


def _read(file: Path) -> PageFile:
    content = file.read_bytes()
    tag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'
    return PageFile(content, f"{_TYPES[file.suffix]}; charset=utf-8", tag)
