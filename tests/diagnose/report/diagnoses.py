"""Diagnoses of made-up lines, some of them by somebody who wants to be believed."""

from __future__ import annotations

from tests.diagnose.reasoning.lines import at, made_up, reasoned
from trainyard.diagnose.diagnosis import Diagnosis, UnusualLine
from trainyard.diagnose.log_file import Unread

XID = made_up("gpu-lost", subject="gpu")
WATCHDOG = made_up("watchdog", kind="symptom", subject="nccl", after=("gpu",))
SLOW = made_up("slow", severity="warning")
PROBE = made_up("benign-probe", severity="harmless")
HOSTILE = (
    "```\n# Owned\n\x1b]0;title\x07\x1b[2J<script>alert(1)</script> ``` ~~~ \u202eabc | [x](http://example.com) `````"
)


def diagnosis(*, known: bool = True, hostile: str = "a line") -> Diagnosis:
    """Return a diagnosis; everything that a stranger can write is, or holds, ``hostile``."""
    lines = [at(PROBE, -3)]
    if known:
        lines += [at(XID, 0, f"ip-10-0-0-1{hostile}"), at(SLOW, 1), *(at(WATCHDOG, 10) for _ in range(3))]
    found = reasoned(XID, WATCHDOG, SLOW, PROBE, lines=[line._replace(text=hostile, file=hostile) for line in lines])
    unusual = () if known else (UnusualLine(hostile, 7, hostile, 1),)
    unread = (Unread(hostile, hostile),)
    return Diagnosis(f"logs/{hostile}", found.causes, found.harmless, unusual, unread, 4, 12_345, 3)
