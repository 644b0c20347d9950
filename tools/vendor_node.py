"""Put the libraries of the node package into its folder ``_vendor``, as ``vendor-node-requirements.txt`` pins them.

Nodes install nothing from the internet, so what runs there brings along what it needs.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from uv import find_uv_bin

ROOT = Path(__file__).parents[1]
REQUIREMENTS = ROOT / "tools" / "vendor-node-requirements.txt"
VENDOR = ROOT / "src" / "trainyard_node" / "_vendor"
# An example.
LEFT_OUT = ("example.py",)


def main(target: Path) -> None:
    """Replace the folder."""
    with tempfile.TemporaryDirectory() as name:
        fetched = Path(name)
        fetch(fetched)
        drop_notes(fetched)
        for part in LEFT_OUT:
            (fetched / part).unlink()
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(fetched, target)


def fetch(folder: Path) -> None:
    """Install wheels, verified by their hashes, and nothing that they ask for."""
    settings = ["--quiet", "--no-config", "--no-deps", "--require-hashes", "--only-binary", ":all:", "--no-compile"]
    # The oldest Python of the systems that nodes run: Amazon Linux 2023 has 3.9.
    # https://docs.aws.amazon.com/linux/al2023/ug/python.html
    settings += ["--python-version", "3.9"]
    subprocess.run(
        [find_uv_bin(), "pip", "install", *settings, "--target", folder, "--requirement", REQUIREMENTS], check=True
    )


def drop_notes(folder: Path) -> None:
    """Drop what installers write about a package. The licence of nvidia-ml-py begins its only module."""
    for lock in folder.glob(".lock"):
        lock.unlink()
    for notes in folder.glob("*.dist-info"):
        shutil.rmtree(notes)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else VENDOR)
