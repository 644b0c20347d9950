"""Directives of sbatch that stand below the first command, in a batch script."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.document.problems import short
from trainyard.rules import DocumentRule, Problem

_DIRECTIVE = re.compile(r"#SBATCH\s")


def check(document: Document) -> Iterator[Problem]:
    """Yield the directives below the first line that is neither empty nor a comment."""
    lines = document.value if isinstance(document.value, tuple) else ()
    commands = (position for position, line in enumerate(map(str, lines)) if line.strip() and not line.startswith("#"))
    first = next(commands, len(lines))
    for position, line in enumerate(map(str, lines)):
        if position > first and _DIRECTIVE.match(line):
            yield Problem((position,), f"{short(line.strip())} has no effect: a command stands on line {first + 1}")


RULE = DocumentRule(
    severity="error",
    title="Directive of sbatch below a command",
    rationale=(
        "sbatch reads directives down to the first line that is neither empty nor a comment, and takes those below for "
        "comments without a word: the job gets fewer nodes, another partition or no time limit."
    ),
    remedy="move it above the first command",
    source="https://slurm.schedmd.com/sbatch.html#SECTION_DESCRIPTION",
    bad="""\
#!/bin/bash
#SBATCH --job-name=train
set -e
#SBATCH --nodes=16
srun train
""",
    good="""\
#!/bin/bash
#SBATCH --job-name=train
#SBATCH --nodes=16
set -e
srun train
""",
    check=check,
)
