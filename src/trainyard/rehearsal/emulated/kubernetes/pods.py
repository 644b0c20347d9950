"""The pods of a cluster, each on its node or with the reason why not, and the events that would tell of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from trainyard.rehearsal.emulated.breakdown import breakdown_at
from trainyard.rehearsal.emulated.eks.state import EmulatedEksCluster, now
from trainyard.rehearsal.emulated.kubernetes.controller_pods import (
    ControllerPod,
    of_daemon_set,
    of_operators,
    workload_pods,
)
from trainyard.rehearsal.emulated.kubernetes.job_sets import (
    CONTROLLER,
    DISRUPTIONS,
    JOB_SETS,
    NODE_LOST,
    disrupt,
    job_set_pods,
)
from trainyard.rehearsal.emulated.kubernetes.nodes import efa_interfaces, nodes, with_changes, with_devices
from trainyard.rehearsal.emulated.kubernetes.objects import Objects, PodEnd, objects_of
from trainyard.rehearsal.emulated.kubernetes.references import missing_before, missing_volumes
from trainyard.rehearsal.emulated.kubernetes.scheduling import (
    is_selected,
    requests,
    sum_of_resources,
    untolerated_taint,
    why_not,
    without_taints,
)
from trainyard.rehearsal.emulated.resource import Aws

_NODE = "eks.amazonaws.com/nodegroup"
# What every pod of a DaemonSet tolerates: https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/
_OF_DAEMONS = [{"key": "node.kubernetes.io/unschedulable", "operator": "Exists", "effect": "NoSchedule"}]


@dataclass
class ClusterView:
    """A cluster at one look."""

    objects: Objects
    nodes: list[dict[str, Any]]
    pods: list[dict[str, Any]] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    free: dict[str, dict[str, Fraction]] = field(default_factory=dict)
    """What is left of each node."""

    def of(self, owner: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the pods of a workload."""
        uid = owner["metadata"]["uid"]
        return [pod for pod in self.pods if pod["metadata"].get("ownerReferences", [{}])[0].get("uid") == uid]


def cluster_view(aws: Aws, cluster: EmulatedEksCluster) -> ClusterView:
    """Return what a cluster is like now."""
    objects = objects_of(cluster)
    look = ClusterView(objects, [with_changes(node, objects.node_changes) for node in nodes(aws, cluster)])
    for node in look.nodes:
        look.free[node["metadata"]["name"]] = sum_of_resources(node["status"]["allocatable"])
    _place_daemons(look)
    _add_devices(aws, cluster, look)
    for controller_pod in workload_pods(look.objects):
        _place(look, controller_pod)
    running = _running(look)
    for controller_pod in of_operators(look.objects, running):
        _place(look, controller_pod)
    if CONTROLLER in running:
        _place_job_sets(look)
    return look


def uid_of(objects: Objects, controller_pod: ControllerPod) -> str:
    """Return what tells a pod from others of its name."""
    first = f"{controller_pod.owner['metadata']['uid']}-{controller_pod.name}"
    replaced = len(objects.replaced.get(first, ()))
    return f"{first}-{replaced}" if replaced else first


def is_ready(pod: Mapping[str, Any]) -> bool:
    """Return whether all containers of a pod are ready."""
    return any(
        condition["type"] == "Ready" and condition["status"] == "True" for condition in pod["status"]["conditions"]
    )


def daemon_nodes(daemon_set: Mapping[str, Any], every: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the names of the nodes that a DaemonSet has a pod for."""
    spec = _tolerant(daemon_set["spec"]["template"]["spec"])
    chosen = (node for node in every if is_selected(spec, node) and untolerated_taint(spec, node) is None)
    return [node["metadata"]["name"] for node in chosen]


def _place_daemons(look: ClusterView) -> None:
    for daemon_set in look.objects.of("daemonsets.apps"):
        for node in daemon_nodes(daemon_set, look.nodes):
            _place(look, of_daemon_set(daemon_set, node))


def _add_devices(aws: Aws, cluster: EmulatedEksCluster, look: ClusterView) -> None:
    efa = {name: efa_interfaces(aws, group) for name, group in cluster.node_groups.items()}
    for number, node in enumerate(look.nodes):
        name = node["metadata"]["name"]
        running = [pod for pod in look.pods if pod["spec"].get("nodeName") == name and is_ready(pod)]
        node = with_devices(node, running, efa[node["metadata"]["labels"][_NODE]])  # noqa: PLW2901  it takes its place
        look.nodes[number] = node
        had = set(look.free[name])
        new = {key: value for key, value in sum_of_resources(node["status"]["allocatable"]).items() if key not in had}
        look.free[name].update(new)


def _place_job_sets(look: ClusterView) -> None:
    """Add the pods of JobSets. Where one has lost its node, its JobSet has noticed by now."""
    objects = look.objects
    for job_set in objects.of(JOB_SETS):
        uid = job_set["metadata"]["uid"]
        lost = next((pod for pod in job_set_pods(objects, job_set) if _has_lost_its_node(look, pod)), None)
        if lost is not None and uid not in objects.job_ends:
            metadata = {"name": lost.name, "namespace": lost.namespace, "uid": uid_of(objects, lost)}
            pod = {"metadata": {**metadata, "ownerReferences": [lost.owner["metadata"]]}, "spec": lost.spec}
            disrupt(objects, job_set, pod, NODE_LOST, f"{now():%Y-%m-%dT%H:%M:%SZ}")
        end = objects.job_ends.get(uid)
        for controller_pod in job_set_pods(objects, job_set):
            if end is None or controller_pod.name in end.pods:
                _place(look, controller_pod)


def _has_lost_its_node(look: ClusterView, controller_pod: ControllerPod) -> bool:
    uid = uid_of(look.objects, controller_pod)
    former = look.objects.placed.get(uid)
    has_node = any(node["metadata"]["uid"] == former for node in look.nodes)
    return former is not None and not has_node and uid not in look.objects.pod_ends


def _running(look: ClusterView) -> set[str]:
    """Return the names of the Deployments that have a pod which is ready."""
    deployments = (
        deployment
        for deployment in look.objects.of("deployments.apps")
        if any(is_ready(pod) for pod in look.of(deployment))
    )
    return {deployment["metadata"]["name"] for deployment in deployments}


def _place(look: ClusterView, controller_pod: ControllerPod) -> None:
    """Add a pod, on the first node that it fits on."""
    if (lacking := missing_before(look.objects, controller_pod)) is not None:
        _tell(
            look,
            controller_pod,
            controller_pod.owner,
            "FailedCreate",
            f'Error creating: pods "{controller_pod.name}" is forbidden: {lacking}',
        )
        return
    spec = _tolerant(controller_pod.spec) if controller_pod.node else dict(controller_pod.spec)
    reasons: list[str] = []
    uid, former = uid_of(look.objects, controller_pod), _former_node(look, controller_pod)
    for node in sorted(look.nodes, key=lambda node: node["metadata"]["uid"] != former):
        name, is_former = node["metadata"]["name"], node["metadata"]["uid"] == former
        if controller_pod.node not in ("", name):
            continue
        # What keeps pods away from a node does not end those that it has.
        has_ended = is_former and uid in look.objects.pod_ends
        reason = None if has_ended else why_not(spec, without_taints(node) if is_former else node, look.free[name])
        if reason is None:
            look.objects.placed[uid_of(look.objects, controller_pod)] = node["metadata"]["uid"]
            # One that has ended has nothing of its node.
            for resource, amount in () if has_ended else requests(spec).items():
                look.free[name][resource] -= amount
            _start(look, controller_pod, spec, name)
            return
        reasons.append(reason)
    reasons_text = ", ".join(f"{reasons.count(fromkey)} {fromkey}" for fromkey in dict.fromkeys(reasons))
    message = f"0/{len(look.nodes)} nodes are available: {reasons_text or 'no nodes'}."
    pod = _pod(look, controller_pod, spec, None, ("PodScheduled", "Unschedulable", message))
    look.pods.append(pod)
    _tell(look, controller_pod, pod, "FailedScheduling", message)


def _former_node(look: ClusterView, controller_pod: ControllerPod) -> str | None:
    """Return the uid of the node that a pod stands on. One whose node is gone is deleted, and made anew elsewhere.

    https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-garbage-collection
    """
    uid = uid_of(look.objects, controller_pod)
    former = look.objects.placed.get(uid)
    if former is None or any(node["metadata"]["uid"] == former for node in look.nodes):
        return former
    owner, at = controller_pod.owner["metadata"]["uid"], f"{now():%Y-%m-%dT%H:%M:%SZ}"
    if uid not in look.objects.pod_ends and controller_pod.owner["kind"] != "Pod":
        look.objects.replace_pod(f"{owner}-{controller_pod.name}", at)
        look.objects.restarting[owner] = (f"{controller_pod.name} has lost its node", at)
    return None


def _start(look: ClusterView, controller_pod: ControllerPod, spec: Mapping[str, Any], node: str) -> None:
    broken = breakdown_at("pods")
    image = next(
        (container["image"] for container in spec["containers"] if broken and broken.image in container["image"]), None
    )
    if (lacking := missing_volumes(look.objects, controller_pod)) is not None:
        pod = _pod(look, controller_pod, spec, node, ("ContainersReady", "ContainerCreating", lacking))
        _tell(look, controller_pod, pod, "FailedMount", lacking)
    elif image is not None and broken is not None:
        message = broken.message.replace("$image", image)
        pod = _pod(look, controller_pod, spec, node, ("ContainersReady", "ImagePullBackOff", message))
        _tell(look, controller_pod, pod, "Failed", message)
    else:
        pod = _pod(look, controller_pod, spec, node, None)
    look.pods.append(pod)


def _pod(
    look: ClusterView,
    controller_pod: ControllerPod,
    spec: Mapping[str, Any],
    node: str | None,
    wrong: tuple[str, str, str] | None,
) -> dict[str, Any]:
    """Return a pod, Running where nothing is wrong; ``wrong`` is a condition, its reason and its message."""
    owner, uid = controller_pod.owner, uid_of(look.objects, controller_pod)
    metadata = controller_pod.template.get("metadata") or {}
    first = f"{owner['metadata']['uid']}-{controller_pod.name}"
    created = look.objects.replaced.get(first, [owner["metadata"]["creationTimestamp"]])[-1]
    end, restarts = look.objects.pod_ends.get(uid), look.objects.container_ends.get(uid, [])
    status = _status(spec, node, wrong, created)
    reference = {"apiVersion": owner["apiVersion"], "kind": owner["kind"], "controller": True}
    own = {} if owner["kind"] == "Pod" else {
        "ownerReferences": [{**reference, "name": owner["metadata"]["name"], "uid": owner["metadata"]["uid"]}]
    }  # fmt: skip
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": controller_pod.name,
            "namespace": controller_pod.namespace,
            "uid": uid,
            "creationTimestamp": created,
            "labels": {**(metadata.get("labels") or {}), **controller_pod.labels},
            **own,
        },
        "spec": {**spec, **({} if node is None else {"nodeName": node})},
        "status": _with_ends(status, restarts, end) if status["phase"] == "Running" else status,
    }


def _with_ends(status: dict[str, Any], restarts: Sequence[PodEnd], end: PodEnd | None) -> dict[str, Any]:
    """Return the status of a pod whose first container was started again so often, and that may have ended itself."""
    first, *others = status["containerStatuses"]
    if restarts:
        last = {"terminated": _terminated(restarts[-1])}
        running = {"running": {"startedAt": restarts[-1].at}}
        first = {**first, "restartCount": len(restarts), "lastState": last, "state": running}
    if end is None:
        return {**status, "containerStatuses": [first, *others]}
    first = {**first, "ready": False, "state": {"terminated": _terminated(end)}}
    ready = [{**one, "status": "False"} if one["type"] == "Ready" else one for one in status["conditions"]]
    if end.reason in DISRUPTIONS:
        ready.append({"type": "DisruptionTarget", "status": "True", "reason": end.reason, "lastTransitionTime": end.at})
    why = {"reason": end.reason} if end.reason else {}
    phase = "Failed" if end.has_failed else "Succeeded"
    return {**status, **why, "phase": phase, "conditions": ready, "containerStatuses": [first, *others]}


def _terminated(end: PodEnd) -> dict[str, Any]:
    return {"exitCode": end.code, "reason": "Error" if end.code else "Completed", "finishedAt": end.at}


def _status(spec: Mapping[str, Any], node: str | None, wrong: tuple[str, str, str] | None, at: str) -> dict[str, Any]:
    ready = "True" if wrong is None else "False"
    conditions: list[dict[str, str]] = [
        {"type": "PodScheduled", "status": "True" if node is not None else "False"},
        {"type": "Ready", "status": ready},
    ]
    if wrong is not None:
        kind, reason, message = wrong
        conditions = [condition for condition in conditions if condition["type"] != kind]
        conditions.append({"type": kind, "status": "False", "reason": reason, "message": message})
    waiting = {} if wrong is None else {"waiting": {"reason": wrong[1], "message": wrong[2]}}
    states = [
        {"name": container["name"], "image": container["image"], "ready": wrong is None, "restartCount": 0,
         "state": waiting or {"running": {"startedAt": at}}}
        for container in spec["containers"]
    ]  # fmt: skip
    phase = "Running" if wrong is None else "Pending"
    return {
        "phase": phase,
        "conditions": conditions,
        "containerStatuses": states if node is not None else [],
        "startTime": at,
    }


def _tell(
    look: ClusterView, controller_pod: ControllerPod, about: Mapping[str, Any], reason: str, message: str
) -> None:
    metadata = about["metadata"]
    at = controller_pod.owner["metadata"]["creationTimestamp"]
    look.events.append(
        {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {
                "name": f"{controller_pod.name}.{len(look.events):x}",
                "namespace": controller_pod.namespace,
                "creationTimestamp": at,
            },
            "involvedObject": {"kind": about["kind"], "name": metadata["name"], "namespace": controller_pod.namespace},
            "type": "Warning",
            "reason": reason,
            "message": message,
            "count": 1,
            "firstTimestamp": at,
            "lastTimestamp": at,
        }
    )


def _tolerant(spec: Mapping[str, Any]) -> dict[str, Any]:
    return {**spec, "tolerations": [*(spec.get("tolerations") or ()), *_OF_DAEMONS]}
