"""Nodes that are Ready, as many as the node groups are to have, or the reason why they are not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from trainyard.counts import count_text
from trainyard.deploy.step import Probe, StepOutcome
from trainyard.deploy.work import Work
from trainyard.edge.aws import eks
from trainyard.edge.aws.eks import NodeGroupState
from trainyard.edge.kubernetes.kubectl import Kubectl
from trainyard.errors import TrainyardError
from trainyard.foreign_text import reason_and_message
from trainyard.launch.launch import compute_launches
from trainyard.platforms.eks.rendering.node_groups import node_group_name

_POLL_S = 15.0
_POLLS = 120  # half an hour: eksctl has waited already, except after sizes were changed
# Types of images, by what their names hold: https://docs.aws.amazon.com/eks/latest/APIReference/API_Nodegroup.html
_WITH_DRIVER = {"nvidia": "NVIDIA", "neuron": "NEURON"}
_OF_THE_USER = "CUSTOM"
GROUP = "eks.amazonaws.com/nodegroup"
"""Label that EKS gives to nodes: the name of their node group."""
_OVER = {"Succeeded", "Failed"}


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
        desired = sum(group.desired_nodes for group in _own_groups(work))
        return Probe("there" if desired else "missing", f"{desired} wanted")

    def apply(self, work: Work) -> StepOutcome:
        """Wait until they are there, with images that know what is in them."""
        refuse_images_without_driver(work)
        with work.kubectl(work.account, work.name) as kubectl:
            return StepOutcome(changed=False, detail=self._awaited(work, kubectl))

    def undo(self, work: Work) -> StepOutcome:
        """Do nothing: they go with the cluster."""
        del work
        return StepOutcome(changed=False)

    def _awaited(self, work: Work, kubectl: Kubectl) -> str:
        reported = ""
        for _ in range(_POLLS):
            counts = _counts(work, kubectl)
            text = node_count_text(counts)
            if all(count.ready >= count.desired for count in counts):
                return text
            if text != reported:
                work.tell(text)
                reported = text
            work.account.clock.sleep(_POLL_S)
        raise _missing(work, counts)


def node_count_text(counts: list[Count]) -> str:
    """Return the number of nodes, and what it is made of: so many of each group."""
    total = sum(count.ready for count in counts)
    parts = ", ".join(map(_of_group, counts))
    return f"{count_text(total, 'node is', 'nodes are')} Ready: {parts}"


def refuse_images_without_driver(work: Work) -> None:
    """Raise TrainyardError for the first node group whose nodes cannot use their accelerators.

    eksctl chooses the image of a node group by a list of instance types of its own. One that does not know a type takes
    the image without drivers, and nodes become Ready that have no GPU:
    https://github.com/eksctl-io/eksctl/issues/7794
    """
    for launch in compute_launches(work.required_spec()):
        driver = _WITH_DRIVER.get(launch.instance.accelerator or "")
        group = eks.find_node_group(work.account, work.name, node_group_name(launch.nodes)) if driver else None
        if group is None or driver is None or driver in group.image_type or group.image_type in ("", _OF_THE_USER):
            continue
        program = work.eksctl(work.account).program
        raise TrainyardError(
            f"node group {group.name} has images of type {group.image_type}, without a driver for "
            f"{launch.instance.name}: eksctl {program.version} does not know that type",
            where=group.arn,
            hint=f"install a newer eksctl, remove the group with `eksctl delete nodegroup --cluster {work.name} "
            f"--region {work.account.region} --name {group.name}`, and run the command again",
        )


def _of_group(count: Count) -> str:
    of_all = "" if count.ready >= count.desired else f" of {count.desired}"
    return f"{count.ready}{of_all} of {count.group}"


def _counts(work: Work, kubectl: Kubectl) -> list[Count]:
    ready = Counter(_group(node) for node in kubectl.get("nodes") if _is_ready(node))
    return [Count(group.name, ready[group.name], group.desired_nodes) for group in _own_groups(work)]


def _own_groups(work: Work) -> list[NodeGroupState]:
    return [group for group in eks.node_groups(work.account, work.name) if work.owns(group.tags)]


def _group(node: Mapping[str, Any]) -> str:
    return str((node["metadata"].get("labels") or {}).get(GROUP, ""))


def _is_ready(node: Mapping[str, Any]) -> bool:
    conditions = node.get("status", {}).get("conditions", ())
    return any(condition.get("type") == "Ready" and condition.get("status") == "True" for condition in conditions)


def _missing(work: Work, counts: list[Count]) -> TrainyardError:
    incomplete = [count.group for count in counts if count.ready < count.desired]
    issues = [
        f"{group.name}: {reason_and_message(issue.code, issue.message)}"
        for group in _own_groups(work)
        for issue in group.health
    ]
    why = f"; EKS says: {'; '.join(issues[:3])}" if issues else ""
    return TrainyardError(
        f"{node_count_text(counts)}, and no more came within {_POLL_S * _POLLS / 60:.0f} minutes{why}",
        where=", ".join(incomplete),
        hint=f"`trainyard diagnose {work.name}` says more; then run the command again, which goes on from here",
    )


def pods_on(kubectl: Kubectl, groups: Collection[str]) -> list[str]:
    """Return the pods on the nodes of some node groups that are not over, as NAMESPACE/NAME.

    What runs on every node does not count: nobody waits for the pods of DaemonSets.
    """
    nodes = {node["metadata"]["name"] for node in kubectl.get("nodes") if _labels(node).get(GROUP) in groups}
    pods = [pod for pod in kubectl.get("pods") if pod.get("spec", {}).get("nodeName") in nodes] if nodes else []
    return sorted(_named(pod) for pod in pods if not _of_every_node(pod) and not _over(pod))


def _of_every_node(pod: Mapping[str, Any]) -> bool:
    owners = {owner_reference.get("kind") for owner_reference in pod["metadata"].get("ownerReferences", ())}
    return bool(owners & {"DaemonSet", "Node"})


def _over(pod: Mapping[str, Any]) -> bool:
    return pod.get("status", {}).get("phase") in _OVER


def _labels(document: Mapping[str, Any]) -> Mapping[str, str]:
    labels: Mapping[str, str] = document["metadata"].get("labels") or {}
    return labels


def _named(pod: Mapping[str, Any]) -> str:
    return f"{pod['metadata'].get('namespace', 'default')}/{pod['metadata']['name']}"
