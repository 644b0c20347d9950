"""Looks at an EKS cluster: what AWS says of it, and what its own Kubernetes API says, where that answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from trainyard.edge.aws.eks import EksCluster, NodeGroupState, addons, find_cluster, node_groups
from trainyard.edge.aws.errors import aws_errors
from trainyard.edge.aws.nodes import ClusterNode, kubernetes_instances, kubernetes_node
from trainyard.edge.aws.stacks import StackState
from trainyard.edge.kubernetes.documents import Document, text
from trainyard.errors import TrainyardError
from trainyard.operate.status import failures, file_systems
from trainyard.operate.status.cluster_stacks import stacks_of_cluster
from trainyard.operate.status.cluster_status import Concern, Status
from trainyard.operate.status.file_systems import ConfiguredMount
from trainyard.operate.status.node_hours import node_hours
from trainyard.operate.status.reservations import Reservation, reservations
from trainyard.operate.status.status_request import StatusRequest
from trainyard.platforms.eks.deployment.comparison import Difference
from trainyard.platforms.eks.deployment.drift import drift
from trainyard.platforms.eks.rendering.names import SYSTEM
from trainyard.platforms.eks.status import node_groups as of_groups
from trainyard.platforms.eks.status.concerns import eks_concerns
from trainyard.platforms.eks.status.control_plane import control_plane, usd_an_hour
from trainyard.platforms.eks.status.eks_status import Claim, EksStatus, KubernetesNode, NodeGroupStatus
from trainyard.platforms.eks.status.kubernetes_api import (
    PART,
    RESOURCES,
    Inside,
    busy_nodes,
    failed_jobs,
    look_inside,
    training_jobs,
    workloads,
)
from trainyard.platforms.eks.status.missing_nodes import OfGroup
from trainyard.platforms.eks.status.nodes import kubernetes_nodes
from trainyard.platforms.eks.status.output import eks_lines, eks_values
from trainyard.platforms.eks.status.pods import failed_pods, pod_troubles

DRIFT = "differences from cluster.yaml"
# https://github.com/eksctl-io/eksctl/blob/main/pkg/apis/eksctl.io/v1alpha5/types.go
_EKSCTL = "alpha.eksctl.io/cluster-name"
# https://github.com/kubernetes-sigs/aws-fsx-csi-driver and https://github.com/kubernetes-sigs/aws-efs-csi-driver, whose
# handle may go on with an access point: fs-…::fsap-…
_DRIVERS = {"fsx.csi.aws.com": "fsx", "efs.csi.aws.com": "efs"}


class EksQuery:
    """A look at one cluster."""

    def __init__(self, request: StatusRequest) -> None:
        """Ask nothing before the stacks are known."""
        self.request = request
        self._answer: Callable[[], EksCluster | None] | None = None

    def own_stacks(self, stacks: Sequence[StackState]) -> tuple[StackState, ...]:
        """Return those of all stacks that are the cluster's."""
        return stacks_of_cluster(stacks, self.request.name, _EKSCTL)

    def owns(self, stacks: Sequence[StackState]) -> bool:
        """Return whether eksctl has made one of the stacks."""
        return any(_EKSCTL in stack.tags for stack in stacks)

    def exists(self, stacks: Sequence[StackState]) -> bool:  # noqa: ARG002  part of the protocol
        """Return whether EKS has a cluster of this name."""
        return self._cluster() is not None

    def look(self, status: Status, bucket: str) -> Status:  # noqa: ARG002  part of the protocol
        """Return the status with all that is told of an EKS cluster but its monitoring and what is wrong."""
        ask, account, name = self.request.ask, self.request.account, status.name
        cluster = self._cluster()
        # None of these needs the answer of another.
        groups_asked = ask("node groups", partial(node_groups, account, name))
        addons_asked = ask("add-ons", partial(addons, account, name))
        instances_asked = ask("nodes", partial(kubernetes_instances, account, name))
        failed_asked = ask("failures of stacks", partial(failures.of_stacks, account, status.stacks))
        drift_asked = None if cluster is None else self._drift(status, cluster, groups_asked() or ())
        inside = None if cluster is None else self._inside(name)
        nodes = tuple(map(kubernetes_node, instances_asked() or ()))
        kubernetes = None if inside is None else kubernetes_nodes(inside.nodes)
        groups, reserved = self._groups(groups_asked() or (), nodes, kubernetes, status.at)
        idle = None if inside is None else idle_instances(inside, kubernetes or (), nodes)
        eks = replace(
            self._with_inside(inside, status.at),
            control_plane=None if cluster is None else control_plane(cluster, status.at),
            node_groups=groups,
            addons=addons_asked() or (),
            nodes=kubernetes,
            differences=() if drift_asked is None else drift_asked() or (),
        )
        return replace(
            status,
            platform=EksPlatformStatus(eks),
            nodes=nodes,
            cost=node_hours(nodes, status.region, status.at),
            idle=None if idle is None else node_hours(idle, status.region, status.at),
            reservations=reserved,
            file_systems=file_systems.ask(
                self.request, {} if inside is None else volume_mounts(inside.of("persistentvolumes"))
            )(),
            failures=(
                *(failed_asked() or ()),
                *failed_jobs(eks.jobs),
                *(failed_pods(inside.of("pods"), status.at) if inside is not None else ()),
            ),
        )

    def _cluster(self) -> EksCluster | None:
        if self._answer is None:
            self._answer = self.request.ask("EKS", partial(find_cluster, self.request.account, self.request.name))
        return self._answer()

    def _drift(
        self, status: Status, cluster: EksCluster, groups: tuple[NodeGroupState, ...]
    ) -> Callable[[], tuple[Difference, ...] | None]:
        account, record = self.request.account, status.record
        return self.request.ask(DRIFT, partial(drift, account, record, cluster, groups, tuple(status.stacks)))

    def _inside(self, name: str) -> Inside | None:
        try:
            # In this thread, which alone hears of Ctrl-C: it ends a kubectl that waits for an answer.
            with aws_errors(self.request.account.region):
                inside = look_inside(self.request.account, name, self.request.kubectl_of)
        except TrainyardError as error:
            self.request.unknown[PART] = error.problem
            return None
        self.request.unknown.update(inside.unknown)
        return inside

    def _with_inside(self, inside: Inside | None, now_s: float) -> EksStatus:
        if inside is None:
            return EksStatus()
        return EksStatus(
            workloads=workloads(inside.of("daemonsets", "deployments")),
            troubles=pod_troubles(inside.of("pods"), now_s),
            jobs=training_jobs(inside.of(*RESOURCES)),
            claims=claims(inside.of("persistentvolumeclaims")),
        )

    def _groups(
        self,
        states: tuple[NodeGroupState, ...],
        instances: tuple[ClusterNode, ...],
        kubernetes: tuple[KubernetesNode, ...] | None,
        now_s: float,
    ) -> tuple[tuple[NodeGroupStatus, ...], tuple[Reservation, ...]]:
        """Return the node groups with why nodes are missing, and the reservations that they name."""
        ask, account = self.request.ask, self.request.account
        pending = [
            (
                state,
                ask("launch templates", partial(of_groups.ask_launching, account, state)),
                ask("launches that failed", partial(of_groups.ask_failed_launches, account, state)),
            )
            for state in states
        ]
        launching = {state.name: launches_with() for state, launches_with, _ in pending}
        typed = [of_groups.with_type(state, launching[state.name]) for state in states]
        reserving = of_groups.reservations_in_use((group, launching[group.name]) for group in typed)
        reserved = ask("reservations", partial(reservations, account, reserving))() or ()
        by_id = {instance.id: instance for instance in instances}
        failed = {state.name: launches() or () for state, _, launches in pending}
        groups = []
        for node_group_state in typed:
            named = launching[node_group_state.name]
            of = OfGroup(
                node_group_state,
                of_groups.of_group(node_group_state.name, instances),
                of_groups.nodes_of_group(node_group_state, kubernetes, by_id),
                of_groups.reservation_for(node_group_state.name, reserved),
                failed[node_group_state.name],
            )
            groups.append(of_groups.node_group(of, None if named is None else named.reservation, now_s))
        return tuple(groups), reserved


def idle_instances(
    inside: Inside, kubernetes: Iterable[KubernetesNode], nodes: Iterable[ClusterNode]
) -> tuple[ClusterNode, ...] | None:
    """Return the instances of training nodes that have no pod of a user; None where nobody knows the pods."""
    if "pods of Kubernetes" in inside.unknown:
        return None
    busy = busy_nodes(inside.of("pods"))
    free = {node.instance for node in kubernetes if node.name not in busy and node.group != SYSTEM}
    return tuple(node for node in nodes if node.id in free)


def claims(documents: Iterable[Document]) -> tuple[Claim, ...]:
    """Return the claims of volumes."""
    return tuple(
        Claim(
            text(document, "metadata", "namespace"),
            text(document, "metadata", "name"),
            text(document, "status", "phase"),
            text(document, "spec", "volumeName") or None,
        )
        for document in documents
    )


def volume_mounts(documents: Iterable[Document]) -> dict[str, list[ConfiguredMount]]:
    """Return what volumes mount, by the service: fsx or efs. A mount is called after the claim that has it."""
    mounts: dict[str, list[ConfiguredMount]] = {}
    for document in documents:
        kind = _DRIVERS.get(text(document, "spec", "csi", "driver"))
        handle = text(document, "spec", "csi", "volumeHandle").partition(":")[0]
        if kind is not None and handle.startswith("fs-"):
            mounts.setdefault(kind, []).append(
                ConfiguredMount(_claim(document), text(document, "metadata", "name"), handle)
            )
    return mounts


def _claim(document: Document) -> str:
    namespace, name = (text(document, "spec", "claimRef", key) for key in ("namespace", "name"))
    return f"claim {namespace}/{name}" if name else f"volume {text(document, 'metadata', 'name')}"


@dataclass(frozen=True, slots=True)
class EksPlatformStatus:
    """Its control plane and node groups, and what its Kubernetes API says."""

    eks: EksStatus

    @property
    def essential_parts(self) -> tuple[str, ...]:
        """The parts without which nobody can say whether the cluster is up; EKS itself says whether it works."""
        return "EKS", "node groups"

    @property
    def watch_words(self) -> tuple[str, ...]:
        """No command follows how its nodes come up."""
        return ()

    @property
    def has_nodes(self) -> bool:
        """It has nodes for jobs."""
        return True

    def version_note(self, status: Status) -> str:  # noqa: ARG002  part of the protocol
        """Return the platform; its version is told with the control plane."""
        return "Amazon EKS"

    def concerns(self, status: Status, *, broken: bool) -> Iterator[Concern]:  # noqa: ARG002  part of the protocol
        """Return what is wrong."""
        return eks_concerns(status, self.eks)

    def lines(self, status: Status) -> Iterator[str]:  # noqa: ARG002  part of the protocol
        """Return what is told of it to a person."""
        return eks_lines(self.eks)

    def other_costs(self) -> Iterator[str]:
        """Yield the control plane with its price."""
        if self.eks.control_plane is not None:
            usd = usd_an_hour(self.eks.control_plane.support)
            yield f"the control plane{'' if usd is None else f', {usd:.2f} USD an hour'}"

    def values(self, status: Status) -> dict[str, Any]:  # noqa: ARG002  part of the protocol
        """Return what is told of it as JSON."""
        return {"eks": eks_values(self.eks)}
