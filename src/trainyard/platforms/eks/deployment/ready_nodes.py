"""Nodes that are Ready, as many as the node groups are to have, or the reason why they are not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from trainyard.deploy.step import Outcome, Probe
from trainyard.deploy.work import Work
from trainyard.edge.aws import eks
from trainyard.edge.aws.eks import NodeGroupState
from trainyard.edge.kubernetes.kubectl import Kubectl
from trainyard.errors import TrainyardError
from trainyard.platforms.eks.deployment.busy_nodes import GROUP
from trainyard.platforms.eks.deployment.images import refuse_images_without_driver

_POLL_S = 15.0
_POLLS = 120  # half an hour: eksctl has waited already, except after sizes were changed


class Count(NamedTuple):
    """The nodes of one group."""

    group: str
    ready: int
    desired: int


class EksReadyNodes:
    """Waits for nodes. Those of groups that somebody else has added are not counted."""

    name = "ready"
    title = "nodes that are Ready"

    def probe(self, work: Work) -> Probe:
        """Say how many there are to be; who are Ready, only the cluster itself would tell."""
        desired = sum(one.desired_nodes for one in _own_groups(work))
        return Probe("there" if desired else "missing", f"{desired} wanted")

    def apply(self, work: Work) -> Outcome:
        """Wait until they are there, with images that know what is in them."""
        refuse_images_without_driver(work)
        with work.kubectl(work.account, work.name) as kubectl:
            return Outcome(changed=False, detail=self._awaited(work, kubectl))

    def undo(self, work: Work) -> Outcome:
        """Do nothing: they go with the cluster."""
        del work
        return Outcome(changed=False)

    def _awaited(self, work: Work, kubectl: Kubectl) -> str:
        told = ""
        for _ in range(_POLLS):
            counts = _counts(work, kubectl)
            if all(one.ready >= one.desired for one in counts):
                return explained(counts)
            if (said := explained(counts)) != told:
                work.tell(said)
                told = said
            work.account.clock.sleep(_POLL_S)
        raise _missing(work, counts)


def explained(counts: list[Count]) -> str:
    """Return the number of nodes, and what it is made of: so many of each group."""
    total = sum(one.ready for one in counts)
    parts = [
        f"{one.ready} of {one.group}" if one.ready >= one.desired else f"{one.ready} of {one.desired} of {one.group}"
        for one in counts
    ]
    return f"{total} nodes are Ready: {', '.join(parts)}"


def _counts(work: Work, kubectl: Kubectl) -> list[Count]:
    ready = Counter(_group(one) for one in kubectl.get("nodes") if _is_ready(one))
    return [Count(one.name, ready[one.name], one.desired_nodes) for one in _own_groups(work)]


def _own_groups(work: Work) -> list[NodeGroupState]:
    return [one for one in eks.node_groups(work.account, work.name) if work.owns(one.tags)]


def _group(node: Mapping[str, Any]) -> str:
    return str((node["metadata"].get("labels") or {}).get(GROUP, ""))


def _is_ready(node: Mapping[str, Any]) -> bool:
    conditions = node.get("status", {}).get("conditions", ())
    return any(one.get("type") == "Ready" and one.get("status") == "True" for one in conditions)


def _missing(work: Work, counts: list[Count]) -> TrainyardError:
    short = [one for one in counts if one.ready < one.desired]
    issues = [f"{group.name}: {issue.code}: {issue.message}" for group in _own_groups(work) for issue in group.health]
    why = f"; EKS says: {'; '.join(issues[:3])}" if issues else ""
    return TrainyardError(
        f"{explained(counts)}, and no more came within {_POLL_S * _POLLS / 60:.0f} minutes{why}",
        where=", ".join(one.group for one in short),
        hint=f"`trainyard diagnose {work.name}` says more; then run the command again, which goes on from here",
    )
