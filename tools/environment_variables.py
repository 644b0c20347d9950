"""Makes src/trainyard/catalog/environment_variables.json: what NCCL, its plugin for EFA and libfabric read.

Called with clones of the three repositories and the date that they are of; names alone are taken, from every tag:

    python tools/environment_variables.py NVIDIA/nccl aws/aws-ofi-nccl ofiwg/libfabric 2026-08-22
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

TARGET = Path(__file__).parent.parent / "src" / "trainyard" / "catalog" / "environment_variables.json"


class Program(NamedTuple):
    """Who reads variables: where its source lies, and how a variable is declared there."""

    prefix: str
    url: str
    folders: tuple[str, ...]
    pattern: str
    """The name, without the prefix, is its first group."""


PROGRAMS = {
    "nccl": Program(
        "NCCL_", "https://github.com/NVIDIA/nccl", ("src", "ext-tuner", "ext-net", "ext-profiler", "plugins"),
        r'(?:NCCL_PARAM\(\w+,\s*"([A-Z0-9_]+)"|"NCCL_([A-Z0-9_]+)")',
    ),
    "aws-ofi-nccl": Program(
        "OFI_NCCL_", "https://github.com/aws/aws-ofi-nccl", ("include", "src"),
        r'(?:OFI_NCCL_PARAM\w*\([^";]*"([A-Z0-9_]+)"|"OFI_NCCL_([A-Z0-9_]+)")',
    ),
    "libfabric-efa": Program(
        "FI_EFA_", "https://github.com/ofiwg/libfabric", ("prov/efa", "man/fi_efa.7.md"),
        r'(?:fi_param_define\s*\(\s*&\w+,\s*"(\w+)"|\*FI_EFA_([A-Z0-9_]+)\*)',
    ),
}  # fmt: skip


def variables(program: Program, clone: Path) -> list[str]:
    """Return the variables that any tagged version of a program reads, or the newest one."""
    tags = _git(clone, "tag").split()
    found: set[str] = set()
    for revision in (*tags, "HEAD"):
        words = [word for word in ("PARAM", "fi_param_define", program.prefix) for word in ("-e", word)]
        text = _git(clone, "grep", "-h", "-F", "-A1", *words, revision, "--", *program.folders)
        found |= {f"{program.prefix}{(match[1] or match[2]).upper()}" for match in re.finditer(program.pattern, text)}
    return sorted(name for name in found if not name.endswith("_"))


def _git(clone: Path, *arguments: str) -> str:
    ran = subprocess.run(["git", "-C", clone, *arguments], capture_output=True, check=False)
    return ran.stdout.decode(errors="replace")


def main() -> None:
    """Write the data file."""
    *clones, read = sys.argv[1:]
    sources, names = {}, {}
    for (id_, program), clone in zip(PROGRAMS.items(), clones, strict=True):
        commit = _git(Path(clone), "rev-parse", "HEAD").strip()
        sources[id_] = {"what": f"{id_}, every tag up to commit {commit[:12]}", "url": program.url, "read": read}
        names[program.prefix] = variables(program, Path(clone))
    TARGET.write_text(json.dumps({"sources": sources, "variables": names}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
