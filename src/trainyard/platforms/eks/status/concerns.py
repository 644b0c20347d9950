"""What is wrong with an EKS cluster, or soon will be, each with the command to run next."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from shlex import join

import yaml

from trainyard.counts import count_text
from trainyard.deploy.record import Deployment
from trainyard.edge.kubernetes.documents import parts, seconds, text
from trainyard.operate.nodes.durations import duration, short_list
from trainyard.operate.status.cluster_status import Concern, Status
from trainyard.operate.status.failures import short
from trainyard.platforms.eks.status.eks_status import EksStatus, NodeGroupStatus, issue_text
from trainyard.platforms.eks.status.kubernetes_api import PART, device_plugin_of

# https://docs.aws.amazon.com/eks/latest/APIReference/API_Nodegroup.html and API_Addon.html
_FAILED_GROUPS = ("CREATE_FAILED", "DELETE_FAILED", "DEGRADED")
_FAILED_ADDONS = ("CREATE_FAILED", "UPDATE_FAILED", "DELETE_FAILED", "DEGRADED")
_SOON_S = 60 * 86_400
# Pods of a job wait for each other, and images are big; a pod that waits for longer waits for something.
_LONG_S = 300
_MOST = 3


def eks_concerns(status: Status, eks: EksStatus) -> Iterator[Concern]:
    """Yield what is wrong."""
    yield from _of_control_plane(status, eks)
    yield from _of_missing_groups(status, eks)
    yield from _of_comparison(eks)
    yield from _of_node_groups(status, eks)
    yield from _of_api(status, eks)
    yield from _of_devices(status, eks)
    yield from _of_workloads(status, eks)
    yield from _of_pods(status, eks)
    yield from _of_claims(eks)
    yield from _of_version(status, eks)


def _kubectl(eks: EksStatus, *words: str) -> str:
    """Return a command with the context that the user's kubeconfig has for the cluster."""
    context = () if eks.control_plane is None else ("--context", eks.control_plane.arn)
    return join(["kubectl", *context, *words])


def _of_control_plane(status: Status, eks: EksStatus) -> Iterator[Concern]:
    plane = eks.control_plane
    if plane is None:
        if "EKS" not in status.unknown:
            yield Concern(
                "error", "the cluster itself is not there: EKS has none of this name", status.command("diagnose")
            )
        return
    if not eks.is_working:
        yield Concern("error", f"the control plane is {plane.status}", status.command("diagnose"))
    for issue in plane.issues:
        yield Concern("error", f"EKS says of the cluster: {short(issue_text(issue))}", status.command("diagnose"))


def _of_missing_groups(status: Status, eks: EksStatus) -> Iterator[Concern]:
    record = status.record
    if record is None or record.stage == "destroying":
        return
    # Where there is a stack and no node group, the stack says more.
    names = {group.name for group in eks.node_groups} | {
        stack.name.partition("-nodegroup-")[2] for stack in status.stacks
    }
    missing = [configured_group for configured_group in configured_groups(record) if configured_group not in names]
    if missing and eks.is_working and "node groups" not in status.unknown:
        groups = f"node group {missing[0]}" if len(missing) == 1 else f"node groups {short_list(missing)}"
        verb = "is" if len(missing) == 1 else "are"
        yield Concern("error", f"{groups} of its last deployment {verb} not there", status.command("diagnose"))


def _of_comparison(eks: EksStatus) -> Iterator[Concern]:
    """Yield what somebody has changed since the last deployment. A node group that is missing is told already."""
    texts = [difference.text for difference in eks.differences if difference.part != "missing node group"]
    if texts:
        more = f", and {len(texts) - _MOST} more" if len(texts) > _MOST else ""
        what = f"it differs from the cluster.yaml of its last deployment: {'; '.join(texts[:_MOST])}{more}"
        yield Concern("warning", f"{what}; `trainyard deploy --overwrite-changes` with its spec takes that back")


def _of_node_groups(status: Status, eks: EksStatus) -> Iterator[Concern]:
    if (
        eks.is_working
        and "node groups" not in status.unknown
        and not eks.node_groups
        and not (eks.nodes or status.nodes)
    ):
        yield Concern("error", "it has no node group and no nodes: nothing can run", status.command("diagnose"))
    for group in eks.node_groups:
        if group.status in _FAILED_GROUPS:
            why = "; ".join(issue_text(issue) for issue in group.issues) or "EKS says no more"
            what = f"node group {group.name} is {group.status}: {short(why)}"
            yield Concern("error", what, status.command("diagnose"))
        elif group.is_short and (group.ready is not None or "nodes" not in status.unknown):
            yield _short_group(status, group)
        if group.cordoned:
            command = _kubectl(eks, "get", "nodes", "--field-selector", "spec.unschedulable=true")
            nodes = count_text(group.cordoned, "node takes", "nodes take")
            what = f"{nodes} no new pods (cordoned): node group {group.name}"
            yield Concern("warning", what, command)


def _short_group(status: Status, group: NodeGroupStatus) -> Concern:
    """Return the concern of missing nodes: an error where the node group has none that works."""
    count, word = (group.states.get("running", 0), "running") if group.ready is None else (group.ready, "ready")
    why = f": {group.why[0]}" if group.why else ", and nobody says why"
    nodes = count_text(count, f"{word} node", f"{word} nodes")
    what = f"node group {group.name} has {nodes} of the {group.wanted} that it is to have{why}"
    return Concern("error" if not count else "warning", what, status.command("diagnose"))


def _of_api(status: Status, eks: EksStatus) -> Iterator[Concern]:
    if PART in status.unknown and eks.is_working:
        what = f"what runs in the cluster is not known: {status.unknown[PART]}"
        words = ["aws", "eks", "describe-cluster", "--region", status.region, "--name", status.name]
        yield Concern("warning", what, join([*words, "--query", "cluster.resourcesVpcConfig"]))


def _of_devices(status: Status, eks: EksStatus) -> Iterator[Concern]:
    """Yield what nodes offer too little of, those alike together."""
    short_nodes: dict[tuple[str, int, int | None, str], list[str]] = defaultdict(list)
    for node in eks.nodes or ():
        for device in node.devices if node.ready else ():
            if device.are_missing:
                kind = (device.resource, device.allocatable, device.expected, node.instance_type)
                short_nodes[kind].append(node.name)
    for (resource, offered, expected, instance_type), names in short_nodes.items():
        role = device_plugin_of(resource)
        runs = any(workload.role == role for workload in eks.workloads)
        why = "" if runs or "daemonsets of Kubernetes" in status.unknown else f": no {role} is installed"
        offers = f"{'offers' if len(names) == 1 else 'offer'} {offered} {resource} of the {expected}"
        what = f"{short_list(names)} {offers} of {instance_type}{why}"
        yield Concern("warning", what, status.command("diagnose"))
    for node in eks.nodes or ():
        if node.pressures:
            what = f"node {node.name}: {', '.join(node.pressures)}"
            yield Concern("warning", what, _kubectl(eks, "describe", "node", node.name))


def _of_workloads(status: Status, eks: EksStatus) -> Iterator[Concern]:
    for workload in eks.workloads:
        if not workload.is_ready:
            role = f"{workload.role} " if workload.role else ""
            what = f"{role}{workload.namespace}/{workload.name}: {workload.ready} of {workload.wanted} pods are ready"
            command = _kubectl(eks, "describe", workload.kind.lower(), "--namespace", workload.namespace, workload.name)
            yield Concern("warning", what, command)
    for addon in eks.addons:
        if addon.status in _FAILED_ADDONS:
            why = "; ".join(issue_text(issue) for issue in addon.health) or "EKS says no more"
            words = ["aws", "eks", "describe-addon", "--region", status.region, "--cluster-name", status.name]
            what = f"add-on {addon.name} is {addon.status}: {short(why)}"
            yield Concern("warning", what, join([*words, "--addon-name", addon.name]))


def _of_pods(status: Status, eks: EksStatus) -> Iterator[Concern]:
    """Yield pods that have waited for long, those that wait for the same once."""
    alike: dict[tuple[str, str], list[str]] = defaultdict(list)
    longest: dict[tuple[str, str], float] = {}
    for trouble in eks.troubles:
        created = seconds(trouble.since)
        waits_s = status.at - created if created is not None else _LONG_S + 1
        if waits_s > _LONG_S:
            alike[trouble.state, trouble.why].append(f"{trouble.namespace}/{trouble.name}")
            longest[trouble.state, trouble.why] = max(waits_s, longest.get((trouble.state, trouble.why), 0))
    for (state, why), names in [*alike.items()][:_MOST]:
        count = f"{len(names)} pods" if len(names) > 1 else "pod"
        reason = f": {why}" if why else ""
        waits = duration(longest[state, why])
        what = f"{count} {short_list(names)} {state}, made {waits} ago{reason}"
        yield Concern("warning", what, status.command("diagnose"))
    if (beyond := len(alike) - _MOST) > 0:
        yield Concern("warning", f"pods do not run for {beyond} more reasons", status.command("diagnose"))


def _of_claims(eks: EksStatus) -> Iterator[Concern]:
    for claim in eks.claims:
        if claim.phase != "Bound":
            command = _kubectl(eks, "describe", "persistentvolumeclaim", "--namespace", claim.namespace, claim.name)
            what = (
                f"claim {claim.namespace}/{claim.name} is {claim.phase or 'without a state'}: pods that mount it wait"
            )
            yield Concern("warning", what, command)


def _of_version(status: Status, eks: EksStatus) -> Iterator[Concern]:
    plane = eks.control_plane
    if plane is None or plane.supported_until is None:
        return
    ends = datetime.fromisoformat(plane.supported_until).replace(tzinfo=UTC).timestamp()
    major, _, minor = plane.version.partition(".")
    upgrade = ["eksctl", "upgrade", "cluster", "--region", status.region, "--name", status.name]
    command = join([*upgrade, "--version", f"{major}.{int(minor) + 1}"]) if minor.isdecimal() else None
    version = f"Kubernetes {plane.version}"
    if plane.support == "ended":
        what = f"{version} has had no support since {plane.supported_until}: EKS upgrades it by itself, at any time"
        yield Concern("warning", what, command)
    elif ends - status.at < _SOON_S:
        after = "then it costs more" if plane.support == "standard" else "then EKS upgrades it by itself"
        what = f"{plane.support} support of {version} ends on {plane.supported_until}, {after}"
        yield Concern("warning", what, command)


def configured_groups(record: Deployment | None) -> tuple[str, ...]:
    """Return their names; none where nothing is remembered, or what is cannot be read."""
    if record is None or record.cluster_config is None:
        return ()
    try:
        config = yaml.load(record.cluster_config, Loader=yaml.CSafeLoader)
    except yaml.YAMLError:
        return ()
    return tuple(name for part in parts(config, "managedNodeGroups") if (name := text(part, "name")))
