"""What runs in the cluster: the manifests, applied by the server in the order of their files, and waited for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from trainyard.counts import count_text
from trainyard.deploy.step import Probe, StepOutcome
from trainyard.deploy.work import Work
from trainyard.edge.kubernetes.kubectl import Kubectl
from trainyard.errors import TrainyardError
from trainyard.foreign_text import quoted, reason_and_message
from trainyard.platforms.eks.deployment.config import desired_manifests

_POLL_S = 10.0
_POLLS = 120  # twenty minutes: images of device plugins and exporters have up to a few GB
_RESOURCES = {"DaemonSet": "daemonsets", "Deployment": "deployments"}
_MOST_SHOWN = 5
_MOST_LETTERS = 600  # why an image cannot be pulled stands at the end, after its name and that of the registry
# Says of nodes that they are ill, and is not ready there: that is its work.
_REPORTS = "node-health-"


class PodCounts(NamedTuple):
    """How many pods of a DaemonSet or a Deployment are there."""

    kind: str
    namespace: str
    name: str
    ready: int
    desired: int


class EksManifests:
    """Device plugins, the CSI driver, operators, checks of nodes, exporters and the Prometheus agent."""

    name = "manifests"
    title = "device plugins, operators and monitoring in the cluster"

    def probe(self, work: Work) -> Probe:
        """Say nothing: only the cluster itself would tell, and it may be out of reach."""
        del work
        return Probe("missing", "applied every time")

    def apply(self, work: Work) -> StepOutcome:
        """Apply every file, then wait until what they started runs."""
        files = desired_manifests(work)
        with work.kubectl(work.account, work.name) as kubectl:
            for name, documents in files.items():
                work.tell(f"applies {name}")
                # With EFA, eksctl has installed a device plugin of the same name, whose fields become ours.
                kubectl.apply(documents, force_conflicts=True)
            running = _await(work, kubectl, [document for documents in files.values() for document in documents])
        return StepOutcome(
            changed=True,
            detail=f"{count_text(len(files), 'file')} applied, {count_text(running, 'workload runs', 'workloads run')}",
        )

    def undo(self, work: Work) -> StepOutcome:
        """Do nothing: they go with the cluster."""
        del work
        return StepOutcome(changed=False)


def _await(work: Work, kubectl: Kubectl, documents: list[dict[str, Any]]) -> int:
    expected = {
        (document["kind"], document["metadata"].get("namespace", "default"), document["metadata"]["name"])
        for document in documents
        if document["kind"] in _RESOURCES
    }
    late_count = 0
    for _ in range(_POLLS):
        workloads = [workload for workload in _workloads(kubectl) if workload[:3] in expected]
        late = [
            workload
            for workload in workloads
            if workload.ready < workload.desired and not workload.name.startswith(_REPORTS)
        ]
        if not late and len(workloads) == len(expected):
            return len(workloads)
        if len(late) != late_count:
            work.tell(f"waits for {_late_text(late)}")
            late_count = len(late)
        work.account.clock.sleep(_POLL_S)
    raise _never_ready(work, kubectl, late)


def _workloads(kubectl: Kubectl) -> Iterator[PodCounts]:
    for kind, resource in _RESOURCES.items():
        for document in kubectl.get(resource):
            status, metadata = document.get("status") or {}, document["metadata"]
            yield PodCounts(
                kind, metadata.get("namespace", "default"), metadata["name"], *_counted(kind, document, status)
            )


def _counted(kind: str, document: Mapping[str, Any], status: Mapping[str, Any]) -> tuple[int, int]:
    """Return how many pods are ready, and how many there are to be.

    A controller that has not seen the last change yet speaks of the one before.
    """
    if status.get("observedGeneration", 0) < document["metadata"].get("generation", 0):
        return 0, 1
    if kind == "DaemonSet":
        return status.get("numberReady", 0), status.get("desiredNumberScheduled", 0)
    return status.get("availableReplicas", 0), document["spec"].get("replicas", 1)


def _late_text(late: list[PodCounts]) -> str:
    named = [
        f"{workload.namespace}/{workload.name} ({workload.ready} of {workload.desired})"
        for workload in late[:_MOST_SHOWN]
    ]
    more = f" and {len(late) - _MOST_SHOWN} more" if len(late) > _MOST_SHOWN else ""
    return ", ".join(named) + more if named else "controllers to see what was applied"


def _never_ready(work: Work, kubectl: Kubectl, late: list[PodCounts]) -> TrainyardError:
    why = "; ".join(list(dict.fromkeys(_reasons(kubectl, late)))[:_MOST_SHOWN])
    return TrainyardError(
        f"not ready within {_POLL_S * _POLLS / 60:.0f} minutes: {_late_text(late)}{f': {why}' if why else ''}",
        where=", ".join(f"{workload.namespace}/{workload.name}" for workload in late[:_MOST_SHOWN]),
        hint=f"`trainyard diagnose {work.name}` says more; then run the command again, which goes on from here",
    )


def _reasons(kubectl: Kubectl, late: list[PodCounts]) -> Iterator[str]:
    """Yield what the pods of workloads wait for, in the words of Kubernetes."""
    names = tuple(f"{workload.name}-" for workload in late)
    for pod in kubectl.get("pods"):
        if not pod["metadata"]["name"].startswith(names):
            continue
        for state in pod.get("status", {}).get("containerStatuses", ()):
            waiting = (state.get("state") or {}).get("waiting")
            if waiting:
                yield reason_and_message(str(waiting.get("reason", "")), str(waiting.get("message", "")), _MOST_LETTERS)
        for condition in pod.get("status", {}).get("conditions", ()):
            if condition.get("type") == "PodScheduled" and condition.get("status") == "False":
                yield quoted(str(condition.get("message", "")), _MOST_LETTERS)
