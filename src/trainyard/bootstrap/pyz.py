"""trainyard-node.pyz: what runs on nodes, as one file that any Python 3.9 or newer runs."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec

from trainyard.version import __version__

PACKAGE = "trainyard_node"
# The earliest time that a zip archive can say.
_NO_TIME = (1980, 1, 1, 0, 0, 0)
# It has to be read by Pythons that are too old, to tell them.
_MAIN = b"""\
import sys

if sys.version_info < (3, 9):
    sys.exit("trainyard-node needs Python 3.9 or newer; this is " + sys.version.split()[0])
from trainyard_node.cli import main

sys.exit(main())
"""


@cache
def trainyard_node_pyz() -> bytes:
    """Return the archive. The same code gives the same bytes, from the source tree and from an installed wheel.

    Nothing is compressed, because not every build of zlib compresses alike.
    """
    files = {"__main__.py": _MAIN, f"{PACKAGE}/VERSION": f"{__version__}\n".encode(), **dict(_package_files())}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(name, _NO_TIME)
            entry.create_system = 3  # Unix, whatever this runs on: its modes are meant
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, content)
    return buffer.getvalue()


def _package_files() -> Iterator[tuple[str, bytes]]:
    """Yield the files of the package, which is found and not imported: it is for nodes."""
    spec = find_spec(PACKAGE)
    assert spec is not None  # noqa: S101 - both packages are in one wheel
    for folder in spec.submodule_search_locations or ():
        yield from ((f"{PACKAGE}/{name}", content) for name, content in files_below(folder))


def files_below(folder: str) -> Iterator[tuple[str, bytes]]:
    """Yield the files below a folder by their names in it, without bytecode: without a Path for each, in half the time.

    The order is that of the file system.
    """
    for parent, _, names in os.walk(folder):
        for name in names:
            if not name.endswith(".pyc"):
                with open(f"{parent}/{name}", "rb", buffering=0) as file:  # noqa: PTH123  see above
                    yield f"{parent}/{name}"[len(folder) + 1 :], file.read()
