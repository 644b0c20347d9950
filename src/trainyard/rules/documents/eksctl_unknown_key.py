"""A key that eksctl does not know, in an eksctl ClusterConfig."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from trainyard.catalog.eksctl_keys import eksctl_kinds
from trainyard.document.node import Document
from trainyard.document.problems import meant_key, short, without_password
from trainyard.finding import Fix
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.documents.eksctl_reservation_key_misspelt import RULE as MISSPELT
from trainyard.rules.eksctl.written_keys import WrittenKey, written_keys

_NODE_GROUPS = {"NodeGroup": "nodeGroups", "ManagedNodeGroup": "managedNodeGroups"}
_MOST_LISTED = 12


def check(document: Document) -> Iterator[Problem]:
    """Yield keys that are in no list of eksctl's, except those that a rule of their own tells better."""
    misspelt = {problem.path for problem in MISSPELT.check(document)}
    for written in written_keys(document):
        if written.key not in written.known and written.path not in misspelt:
            yield Problem(written.path, _message(written), _remedy(written), fix=_fix(written))


def _message(written: WrittenKey) -> str:
    shown = short(without_password(written.key))
    if meant := written.same_but_for_case:
        return f"eksctl drops {shown} without a word: the key is {meant}, with these capitals"
    for kind, place in _NODE_GROUPS.items():
        if written.key in eksctl_kinds()[kind] and written.path[0] in _NODE_GROUPS.values():
            return f"eksctl knows {shown} in {place} only"
    close = get_close_matches(written.key, written.known, n=1, cutoff=0.7)
    return f"eksctl knows no key {shown} here{f'; did you mean {close[0]!r}?' if close else ''}"


def _fix(written: WrittenKey) -> Fix | None:
    meant = written.same_but_for_case or meant_key(written.key, written.known)
    return Fix(written.path, key=meant) if meant else None


def _remedy(written: WrittenKey) -> str | None:
    # Of a node group there are fifty.
    return f"here belong: {', '.join(sorted(written.known))}" if len(written.known) <= _MOST_LISTED else None


RULE = DocumentRule(
    severity="error",
    title="Key that eksctl does not know",
    rationale=(
        "eksctl refuses a file with a key that it does not know, after it has read the whole of it. Where only "
        "capitals differ it does not notice: the key has no effect, and the cluster is not what the file says. The "
        "list is eksctl's schema of 2026-08-22; a key that came later is found, too."
    ),
    remedy="correct the key, or remove it: `eksctl utils schema` prints all of them",
    source="https://github.com/eksctl-io/eksctl/issues/753",
    bad="""\
managedNodegroups:
  - name: system
    instanceType: c5.2xlarge
""",
    good="""\
managedNodeGroups:
  - name: system
    instanceType: c5.2xlarge
""",
    check=check,
)
