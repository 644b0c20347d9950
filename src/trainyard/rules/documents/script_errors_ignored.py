"""Scripts that install something after errors were told not to end them, and never are again."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.scripts.statements import statements

# An indented set +e is within a function, such as one that a trap calls at the end.
_SWITCH = re.compile(r"^(?:\s*set\s+(?=-)|set\s+(?=\+))(?P<sign>[-+])(?:[a-df-z]*e[a-z]*|o\s+errexit)\b")
# What a node is of no use without.
_INSTALLATION = re.compile(r"\b(?:apt-get|apt|dnf|yum)\s+(?:-\S+\s+)*install\b|\befa_installer\.sh\b")
# What looks at the outcome itself.
_LOOKS = re.compile(r"\|\||&&|^\s*(?:if|while|until)\b|\$\?")


def check(document: Document) -> Iterator[Problem]:
    """Yield ``set +e`` that stays, where something is installed after it and nobody looks whether that worked."""
    listed = statements(document)
    switches = [(index, match) for index, each in enumerate(listed) if (match := _SWITCH.match(each.text))]
    if not switches or switches[-1][1]["sign"] == "-":
        return
    last = switches[-1][0]
    after = listed[last + 1 :]
    installations = [each for each in after if _INSTALLATION.search(each.text) and not _LOOKS.search(each.text)]
    if installations and not any("$?" in each.text for each in after):
        what = installations[0].text.split("\n")[0].strip()
        shown = what if len(what) <= 60 else f"{what[:57]}…"
        yield Problem((listed[last].line,), f"after set +e the script goes on where {shown!r} fails")


RULE = DocumentRule(
    severity="warning",
    confidence="likely",
    title="Installation whose failure ends nothing",
    rationale=(
        "The node comes up without EFA, drivers or containers, takes jobs, and the cause is looked for in the jobs. A "
        "script that ends with an error is reported, and the node is replaced."
    ),
    remedy="write set -e behind what may fail, or let only that one command fail",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/custom-bootstrap-actions-v3.html",
    bad="""\
#!/bin/bash
set +e
apt-get install -y datacenter-gpu-manager
""",
    good="""\
#!/bin/bash
set -euo pipefail
apt-get install -y datacenter-gpu-manager
""",
    check=check,
)
