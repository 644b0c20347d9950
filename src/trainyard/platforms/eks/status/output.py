"""How the status of an EKS cluster is printed: what it has beside other clusters, in lines, or as values for JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from trainyard.counts import count_text
from trainyard.edge.aws.eks import Addon
from trainyard.platforms.eks.status.eks_status import (
    ControlPlane,
    EksStatus,
    KubernetesNode,
    NodeGroupStatus,
    PodTrouble,
    TrainingJob,
    Workload,
)

_MOST_PODS, _MOST_JOBS = 5, 5
_MOST_LISTED = 200
_OVER = ("Succeeded", "Failed")


def eks_lines(eks: EksStatus) -> Iterator[str]:
    """Yield the lines of its control plane, nodes, workloads, pods and jobs."""
    if eks.control_plane is not None:
        yield _control_plane(eks.control_plane)
    yield _nodes(eks)
    for group in eks.node_groups:
        yield _node_group(group)
        yield from (f"    {why}" for why in group.why)
    yield from _devices(eks.nodes or ())
    yield from _workloads(eks)
    yield from _addons(eks.addons)
    yield from _pods(eks.troubles)
    yield from _jobs(eks.jobs)
    for claim in eks.claims:
        volume = f", volume {claim.volume}" if claim.volume else ""
        yield f"  claim {claim.namespace}/{claim.name} {claim.phase}{volume}"


def _control_plane(control_plane: ControlPlane) -> str:
    until = {
        "standard": "in standard support until",
        "extended": "in extended support until",
        "ended": "unsupported since",
    }
    support = (
        f", {until[control_plane.support]} {control_plane.supported_until}"
        if control_plane.support
        else ", of which no end of support is known"
    )
    endpoint = control_plane.endpoint or "not known"
    return f"  control plane {control_plane.status}, Kubernetes {control_plane.version}{support}, endpoint {endpoint}"


def _nodes(eks: EksStatus) -> str:
    """Return how many nodes there are to be, of what, and how many there are."""
    of = " + ".join(f"{node_group.wanted} {node_group.name}" for node_group in eks.node_groups)
    desired = f"{eks.wanted} wanted{f' ({of})' if len(eks.node_groups) > 1 else ''}"
    if eks.nodes is None:
        return f"  nodes: {desired}; how many are ready only Kubernetes could tell"
    ready, cordoned = eks.ready or 0, sum(node.cordoned for node in eks.nodes)
    unready = len(eks.nodes) - ready
    counts = [f"{ready} ready", *([f"{unready} not ready"] if unready else [])]
    counts += [f"{cordoned} cordoned"] if cordoned else []
    names = {group.name for group in eks.node_groups}
    outside = sum(node.group not in names for node in eks.nodes)
    return f"  nodes: {desired}, {', '.join(counts)}{f', {outside} of them of no node group of EKS' if outside else ''}"


def _node_group(group: NodeGroupStatus) -> str:
    states = ", ".join(f"{count} {state}" for state, count in group.states.items()) or "no instances"
    joined = "" if group.ready is None else f", {group.ready} ready"
    reserved = f", {group.reservation}" if group.reservation else ""
    types = " or ".join(group.instance_types) or "of an unknown type"
    size = f"{group.wanted} wanted of {group.least} to {group.most}"
    return f"  node group {group.name} {group.status} {types}: {states}{joined}; {size} ({group.capacity}{reserved})"


def _devices(nodes: tuple[KubernetesNode, ...]) -> Iterator[str]:
    """Yield what nodes that are alike offer, each of them."""
    alike = Counter(
        (node.group or "no node group", node.instance_type, node.devices)
        for node in nodes
        if node.devices and node.ready
    )
    for (group, instance_type, devices), count in alike.items():
        offers = ", ".join(_device(device.resource, device.allocatable, device.expected) for device in devices)
        yield f"  {count} × {instance_type} of {group}: {offers}"


def _device(resource: str, count: int, expected: int | None) -> str:
    return f"{count} {resource}" if expected is None or count == expected else f"{count} of {expected} {resource}"


def _workloads(eks: EksStatus) -> Iterator[str]:
    """Yield what is ready on few lines, as that is no news, and what is not on one each."""
    named: dict[str, list[Workload]] = {}
    for workload in eks.workloads:
        named.setdefault(workload.role or "other parts of the system", []).append(workload)
    ready = [role for role, some in named.items() if all(workload.is_ready for workload in some)]
    if ready:
        yield f"  ready: {', '.join(ready)}"
    for late in eks.workloads:
        if not late.is_ready:
            role = f"{late.role}: " if late.role else ""
            yield f"  not ready: {role}{late.kind} {late.namespace}/{late.name}, {late.ready} of {late.wanted} pods"


def _addons(addons: tuple[Addon, ...]) -> Iterator[str]:
    if addons:
        shown = (f"{addon.name}{'' if addon.status == 'ACTIVE' else f' {addon.status}'}" for addon in addons)
        yield f"  add-ons: {', '.join(shown)}"


def _pods(pods: tuple[PodTrouble, ...]) -> Iterator[str]:
    """Yield pods that do not run, those that wait for the same on one line."""
    alike: dict[tuple[str, str], list[PodTrouble]] = {}
    for pod in pods:
        alike.setdefault((pod.state, pod.why), []).append(pod)
    for (state, why), some in [*alike.items()][:_MOST_PODS]:
        first = some[0]
        more = f" and {len(some) - 1} more" if len(some) > 1 else ""
        place = f" on {first.node}" if first.node and not more else ""
        restarts = f", {first.restarts} restarts" if first.restarts else ""
        reason = f": {why}" if why else ""
        yield f"  pod {first.namespace}/{first.name}{more}{place} {state}{restarts}{reason}"
    if (beyond := len(alike) - _MOST_PODS) > 0:
        yield f"  pods do not run for {beyond} more reasons"


def _jobs(jobs: tuple[TrainingJob, ...]) -> Iterator[str]:
    for job in jobs[:_MOST_JOBS]:
        since = f" since {job.since}" if job.since else ""
        pods = "" if job.state in _OVER else f", {job.active} of {count_text(job.pods, 'pod runs', 'pods run')}"
        yield f"  {job.kind} {job.namespace}/{job.name} {job.state}{since}{pods}{f': {job.why}' if job.why else ''}"
    if (beyond := len(jobs) - _MOST_JOBS) > 0:
        yield f"  and {beyond} more jobs"


def eks_values(eks: EksStatus) -> dict[str, Any]:
    """Return what there is of EKS as values for JSON."""
    plane = eks.control_plane
    return {
        "control_plane": None if plane is None else {**plane._asdict(), "issues": _listed(plane.issues)},
        "nodes_wanted": eks.wanted,
        "nodes_ready": eks.ready,
        "node_groups": [
            {**group._asdict(), "states": dict(group.states), "issues": _listed(group.issues)}
            for group in eks.node_groups
        ],
        "kubernetes_nodes": None
        if eks.nodes is None
        else [{**node._asdict(), "devices": _listed(node.devices)} for node in eks.nodes],
        "addons": [
            {"name": addon.name, "version": addon.version, "status": addon.status, "issues": _listed(addon.health)}
            for addon in eks.addons
        ],
        "workloads": _listed(eks.workloads),
        "pods": _listed(eks.troubles[:_MOST_LISTED]),
        "pods_not_running": len(eks.troubles),
        "jobs": _listed(eks.jobs[:_MOST_LISTED]),
        "claims": _listed(eks.claims),
        "differences": _listed(eks.differences),
    }


def _listed(some: tuple[Any, ...]) -> list[dict[str, Any]]:
    return [record._asdict() for record in some]
