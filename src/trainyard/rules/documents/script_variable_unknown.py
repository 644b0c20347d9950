"""Variables that look like those of NCCL, its plugin for EFA or libfabric, and that none of them reads, in a script."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches

from trainyard.catalog.environment_variables import variables_by_prefix
from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.scripts.line_rules import variable_problem
from trainyard.rules.scripts.statements import assignments

# What a script hands to a build or to itself.
_OF_BUILDS = re.compile(
    r"NCCL_(?:HOME|DIR|ROOT|PATH|LIB|LIBRARY|INCLUDE|VERSION|PREFIX|SRC|REPO|TESTS?|BUILD)(?:_\w+)?"
)
_CLOSE = 0.9


def check(document: Document) -> Iterator[Problem]:
    """Yield variables of those prefixes that no release reads, unless the script itself uses them."""
    text = "\n".join(map(str, document.value)) if isinstance(document.value, tuple) else ""
    for assignment in assignments(document):
        known = _names_beside(assignment.name)
        if known is None or assignment.name in known or _OF_BUILDS.fullmatch(assignment.name):
            continue
        if variable_problem(assignment.name, assignment.value) or re.search(rf"\$\{{?!?{assignment.name}\b", text):
            continue
        meant = get_close_matches(assignment.name, known, n=1, cutoff=_CLOSE)
        yield Problem(
            (assignment.line,),
            f"nothing reads {assignment.name}",
            f"write {meant[0]}" if meant else None,
            severity="warning" if meant else None,
        )


def _names_beside(name: str) -> frozenset[str] | None:
    """Return the variables that begin like a name; None where it begins like none of theirs."""
    return next((names for prefix, names in variables_by_prefix().items() if name.startswith(prefix)), None)


RULE = DocumentRule(
    severity="info",
    confidence="likely",
    title="Variable that nothing reads",
    rationale=(
        "Neither NCCL nor its plugin for EFA nor libfabric's provider has a variable of this name in any release that "
        "was looked at. It is set without a word of complaint and changes nothing; who reads the script believes it."
    ),
    remedy="look the name up, or remove it",
    source="https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html",
    bad="""\
#!/bin/bash
export NCCL_BUFFERSIZE=8388608
""",
    good="""\
#!/bin/bash
export NCCL_DEBUG=WARN
""",
    check=check,
)
