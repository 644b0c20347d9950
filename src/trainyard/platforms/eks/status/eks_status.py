"""An EKS cluster as it is now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from trainyard.edge.aws.eks import Addon, HealthIssue
from trainyard.foreign_text import reason_and_message, word_or_quoted
from trainyard.platforms.eks.deployment.comparison import Difference

_MOST_RESOURCES = 3


def issue_text(issue: HealthIssue) -> str:
    """Return what EKS finds wrong on one line: https://docs.aws.amazon.com/eks/latest/APIReference/API_Issue.html."""
    some = ", ".join(map(word_or_quoted, issue.resources[:_MOST_RESOURCES]))
    more = ", …" if len(issue.resources) > _MOST_RESOURCES else ""
    return f"{reason_and_message(issue.code, issue.message)}{f' ({some}{more})' if some else ''}"


class ControlPlane(NamedTuple):
    """The control plane."""

    arn: str
    """Also the name of its context in a kubeconfig that `trainyard connect --kubeconfig` has written."""
    status: str
    version: str
    support: str
    """standard, extended or ended; empty where the catalog does not know the version."""
    supported_until: str | None
    """The last day of that support; of what has ended, the day when it did."""
    endpoint: str
    """From where the Kubernetes API is reached: public, private or both; empty where nobody says."""
    created: str | None
    issues: tuple[HealthIssue, ...] = ()


class Devices(NamedTuple):
    """What a node offers of one kind of devices."""

    resource: str
    """As pods ask for it: nvidia.com/gpu."""
    allocatable: int
    expected: int | None
    """How many the instance type has; None where nobody knows."""

    @property
    def are_missing(self) -> bool:
        """Return whether there should be more."""
        return self.expected is not None and self.allocatable < self.expected


class KubernetesNode(NamedTuple):
    """A node as the Kubernetes API has it."""

    name: str
    instance: str | None
    """The id of its instance."""
    group: str | None
    """Its node group."""
    instance_type: str
    ready: bool
    why: str
    """Why it is not ready, as far as it says; empty where it is."""
    cordoned: bool
    pressures: tuple[str, ...]
    """What it has too little of: MemoryPressure, DiskPressure, PIDPressure and what EKS's own agent finds."""
    devices: tuple[Devices, ...]
    version: str
    """Of its kubelet."""


class NodeGroupStatus(NamedTuple):
    """A node group, and why it has fewer nodes than it is to have."""

    name: str
    status: str
    instance_types: tuple[str, ...]
    capacity: str
    """on-demand, spot or capacity-block."""
    reservation: str | None
    least: int
    wanted: int
    most: int
    states: Mapping[str, int]
    """How many instances there are in each state."""
    registered: int | None
    """How many of them Kubernetes knows; None where it does not answer."""
    ready: int | None
    cordoned: int | None
    issues: tuple[HealthIssue, ...] = ()
    why: tuple[str, ...] = ()
    """Why nodes are missing, the plainest reason first; empty where none are, or nobody says."""

    @property
    def is_short(self) -> bool:
        """Return whether it has fewer nodes than it is to have."""
        count = self.ready if self.ready is not None else self.states.get("running", 0)
        return count < self.wanted


class Workload(NamedTuple):
    """A DaemonSet or Deployment that the cluster itself needs."""

    role: str
    """What it is for; empty for the rest of kube-system."""
    kind: str
    namespace: str
    name: str
    ready: int
    wanted: int

    @property
    def is_ready(self) -> bool:
        """Return whether all of it is ready."""
        return self.ready >= self.wanted


class PodTrouble(NamedTuple):
    """A pod that does not run."""

    namespace: str
    name: str
    node: str | None
    state: str
    """In the words of `kubectl get pods`: Pending, ImagePullBackOff, CrashLoopBackOff, OOMKilled."""
    why: str
    since: str | None
    """When it was made, as an ISO 8601 time."""
    restarts: int = 0


class TrainingJob(NamedTuple):
    """An MPIJob, PyTorchJob or JobSet."""

    kind: str
    namespace: str
    name: str
    state: str
    """Created, Running, Restarting, Suspended, Succeeded or Failed."""
    why: str
    since: str | None
    """Since when it is in this state."""
    pods: int
    """How many it is to have."""
    active: int
    failed: int


class Claim(NamedTuple):
    """A claim of a volume."""

    namespace: str
    name: str
    phase: str
    volume: str | None


@dataclass(frozen=True, slots=True)
class EksStatus:
    """What there is of EKS."""

    control_plane: ControlPlane | None = None
    """None where EKS has no such cluster, or may not be asked."""
    node_groups: tuple[NodeGroupStatus, ...] = ()
    addons: tuple[Addon, ...] = ()
    nodes: tuple[KubernetesNode, ...] | None = None
    """None where the Kubernetes API does not answer."""
    workloads: tuple[Workload, ...] = ()
    troubles: tuple[PodTrouble, ...] = ()
    """Pods that wait or end again and again, the longest first."""
    jobs: tuple[TrainingJob, ...] = ()
    """Those that are not over first, the newest first."""
    claims: tuple[Claim, ...] = ()
    differences: tuple[Difference, ...] = ()
    """How it differs from the cluster.yaml of its last deployment."""

    @property
    def is_working(self) -> bool:
        """Return whether EKS says that the control plane works, or changes it while it does."""
        return self.control_plane is not None and self.control_plane.status in ("ACTIVE", "UPDATING")

    @property
    def wanted(self) -> int:
        """How many nodes there are to be."""
        return sum(node_group.wanted for node_group in self.node_groups)

    @property
    def ready(self) -> int | None:
        """How many are ready; None where the Kubernetes API does not answer."""
        return None if self.nodes is None else sum(node.ready for node in self.nodes)
