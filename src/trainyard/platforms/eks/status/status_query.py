"""Looks at an EKS cluster: what AWS says of it, and what its own Kubernetes API says, where that answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.eks import EksCluster, NodeGroupState, addons, node_groups
from trainyard.edge.aws.kubernetes_instances import kubernetes_instances, kubernetes_node
from trainyard.edge.aws.nodes import Node
from trainyard.edge.aws.refusals import translated
from trainyard.edge.kubernetes.kubectl import KubectlOf
from trainyard.errors import TrainyardError
from trainyard.operate.status import failures, file_systems
from trainyard.operate.status.cluster_status import Status
from trainyard.operate.status.concurrent_questions import Parts
from trainyard.operate.status.node_hours import node_hours
from trainyard.operate.status.reservations import Reservation, reservations
from trainyard.platforms.eks.status import node_groups as of_groups
from trainyard.platforms.eks.status.control_plane import control_plane
from trainyard.platforms.eks.status.eks_status import EksStatus, KubernetesNode, NodeGroup
from trainyard.platforms.eks.status.jobs import RESOURCES, failed_jobs, training_jobs
from trainyard.platforms.eks.status.kubernetes_api import PART, Inside, look_inside
from trainyard.platforms.eks.status.missing_nodes import OfGroup
from trainyard.platforms.eks.status.nodes import kubernetes_nodes
from trainyard.platforms.eks.status.pods import failed_pods, pod_troubles
from trainyard.platforms.eks.status.volumes import claims, volume_mounts
from trainyard.platforms.eks.status.workloads import workloads


@dataclass(frozen=True, slots=True)
class EksLook:
    """A look at one cluster, of which the stacks are known."""

    account: Account
    cluster: EksCluster | None
    """None where EKS has it not, or not any more."""
    parts: Parts
    kubectl_of: KubectlOf

    def look(self, seen: Status) -> Status:
        """Return the status with all that is told of an EKS cluster but its monitoring and what is wrong."""
        ask, account, name = self.parts.ask, self.account, seen.name
        # None of these needs the answer of another.
        groups_asked = ask("node groups", partial(node_groups, account, name))
        addons_asked = ask("add-ons", partial(addons, account, name))
        instances_asked = ask("nodes", partial(kubernetes_instances, account, name))
        failed_asked = ask("failures of stacks", partial(failures.of_stacks, account, seen.stacks))
        inside = self._inside(name)
        nodes = tuple(map(kubernetes_node, instances_asked() or ()))
        known = None if inside is None else kubernetes_nodes(inside.nodes)
        groups, reserved = self._groups(groups_asked() or (), nodes, known, seen.at)
        found = self._with_inside(inside, seen.at)
        plane = None if self.cluster is None else control_plane(self.cluster, seen.at)
        jobs = found.jobs
        return replace(
            seen,
            eks=replace(found, control_plane=plane, node_groups=groups, addons=addons_asked() or (), nodes=known),
            nodes=nodes,
            cost=node_hours(nodes, seen.region, seen.at),
            reservations=reserved,
            file_systems=self._file_systems(name, inside),
            failures=(
                *(failed_asked() or ()),
                *failed_jobs(jobs),
                *(failed_pods(inside.of("pods"), seen.at) if inside is not None else ()),
            ),
        )

    def _inside(self, name: str) -> Inside | None:
        if self.cluster is None:
            return None
        try:
            # In this thread, which alone hears of Ctrl-C: it ends a kubectl that waits for an answer.
            with translated(self.account.region):
                inside = look_inside(self.account, name, self.kubectl_of)
        except TrainyardError as error:
            self.parts.unknown[PART] = error.problem
            return None
        self.parts.unknown.update(inside.unknown)
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
        instances: tuple[Node, ...],
        known: tuple[KubernetesNode, ...] | None,
        now_s: float,
    ) -> tuple[tuple[NodeGroup, ...], tuple[Reservation, ...]]:
        """Return the node groups with why nodes are missing, and the reservations that they name."""
        ask, account = self.parts.ask, self.account
        asked = [
            (
                state,
                ask("launch templates", partial(of_groups.ask_launching, account, state)),
                ask("launches that failed", partial(of_groups.ask_failed_launches, account, state)),
            )
            for state in states
        ]
        launching = {state.name: launches_with() for state, launches_with, _ in asked}
        typed = [of_groups.with_type(state, launching[state.name]) for state in states]
        reserving = of_groups.reserving((one, launching[one.name]) for one in typed)
        reserved = ask("reservations", partial(reservations, account, reserving))() or ()
        by_id = {one.id: one for one in instances}
        failed = {state.name: launches() or () for state, _, launches in asked}
        found = []
        for one in typed:
            named = launching[one.name]
            of = OfGroup(
                one,
                of_groups.of_group(one.name, instances),
                of_groups.nodes_of_group(one, known, by_id),
                of_groups.reservation_for(one.name, reserved),
                failed[one.name],
            )
            found.append(of_groups.node_group(of, None if named is None else named.reservation, now_s))
        return tuple(found), reserved

    def _file_systems(self, name: str, inside: Inside | None) -> tuple[file_systems.FileSystem, ...]:
        mounts = {} if inside is None else volume_mounts(inside.of("persistentvolumes"))
        kinds = {"FSx": (file_systems.fsx, "fsx"), "EFS": (file_systems.efs, "efs")}
        storage = [
            self.parts.ask(f"file systems of {kind}", partial(look, self.account, name, mounts.get(key, [])))
            for kind, (look, key) in kinds.items()
        ]
        return tuple(one for part in storage for one in part() or ())
