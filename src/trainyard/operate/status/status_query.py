"""Looks at a cluster, whoever made it, or at an environment: few questions, as many as possible at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import yaml

from trainyard.deploy.record import Deployment, read_record
from trainyard.edge.aws import s3
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.batch_stack import BatchResources, batch_resources
from trainyard.edge.aws.cluster_config import cluster_config, config_of
from trainyard.edge.aws.eks import EksCluster, find_cluster
from trainyard.edge.aws.fleet_status import fleet_status
from trainyard.edge.aws.nodes import nodes
from trainyard.edge.aws.stacks import StackState, all_stacks
from trainyard.edge.kubernetes.kubectl import KubectlOf, kubectl_of
from trainyard.errors import TrainyardError
from trainyard.operate.monitoring.access import monitoring_access
from trainyard.operate.status import failures, file_systems
from trainyard.operate.status.cluster_status import Status
from trainyard.operate.status.concerns import concerns
from trainyard.operate.status.concurrent_questions import Parts
from trainyard.operate.status.node_hours import node_hours
from trainyard.operate.status.queues import compute_resources
from trainyard.operate.status.reservations import reservations
from trainyard.platforms.batch.status.status_query import BatchLook
from trainyard.platforms.eks.status.status_query import EksLook
from trainyard.render.tags import BUCKET, CLUSTER, ENVIRONMENT

# https://docs.aws.amazon.com/parallelcluster/latest/ug/Tags-v3.html
_VERSION = "parallelcluster:version"
# https://github.com/eksctl-io/eksctl/blob/main/pkg/apis/eksctl.io/v1alpha5/types.go
_EKSCTL = "alpha.eksctl.io/cluster-name"


def status(name: str, account: Account, bucket: str | None = None, *, kubectl: KubectlOf = kubectl_of) -> Status:
    """Return the state of a cluster, whoever made it, or of an environment.

    ``bucket`` is the one that its spec named, where no stack is left to say so; ``kubectl`` gives what asks the API of
    a Kubernetes cluster. What may not be looked at is named in ``unknown``.
    Raises TrainyardError where there is nothing of that name, or nothing may be looked at.
    """
    _ = account.id  # who cannot sign in is told so once, and not for each part
    parts = Parts(account.region)
    try:
        return _Look(name, account, bucket, parts, kubectl).look()
    finally:
        parts.close()


@dataclass(frozen=True, slots=True)
class _Look:
    name: str
    account: Account
    bucket: str | None
    parts: Parts
    kubectl: KubectlOf

    def look(self) -> Status:
        ask = self.parts.ask
        # None of them needs the answer of another.
        stacks_asked = ask("stacks", partial(all_stacks, self.account))
        nodes_asked = ask("nodes", partial(nodes, self.account, self.name))
        fleet_asked = ask("fleet", partial(fleet_status, self.account, self.name))
        config_asked = ask("queues", partial(cluster_config, self.account, self.name))
        everything = stacks_asked() or []
        bucket = self.bucket or _bucket(everything, self.name) or s3.own_bucket(self.account)
        record = ask("record", partial(read_record, self.account, bucket, self.name))()
        shared = _environment(everything, self.name)
        if shared:
            return self._environment(shared, record)
        stacks, found = _of_cluster(everything, self.name), tuple(nodes_asked() or ())
        seen = Status(self.name, self.account.region, self.account.clock.now(), record, stacks, found)
        if _is_of_eks(seen):
            return self._eks_cluster(seen, self._eks(), _around(everything, stacks))
        if (resources := self._batch(seen)) is not None:
            return self._batch_cluster(seen, resources, _around(everything, stacks))
        if self._may_be_eks(seen) and (cluster := self._eks()) is not None:
            return self._eks_cluster(seen, cluster, _around(everything, stacks))
        self.parts.unknown.pop("EKS", None)  # who runs no EKS needs no leave to ask it
        self._refuse_nothing(stacks, found, record)
        seen = replace(seen, fleet=fleet_asked(), cost=node_hours(found, seen.region, seen.at))
        return self._with_details(seen, bucket, config_asked() or _remembered(record), _around(everything, stacks))

    def _environment(self, stacks: tuple[StackState, ...], record: Deployment | None) -> Status:
        seen = Status(self.name, self.account.region, self.account.clock.now(), record, stacks)
        access = self.parts.ask("monitoring", partial(monitoring_access, self.account, stacks))
        failed = self.parts.ask("failures of stacks", partial(failures.of_stacks, self.account, stacks))
        seen = replace(seen, monitoring=access(), failures=failed() or ())
        self.parts.unknown = {
            part: why for part, why in self.parts.unknown.items() if part not in ("nodes", "fleet", "queues")
        }
        return replace(seen, concerns=concerns(self.account, seen, is_environment=True), unknown=self.parts.unknown)

    def _batch(self, seen: Status) -> BatchResources | None:
        """Return what there is of AWS Batch; None where the cluster is none of Batch."""
        own = _batch_stack(self.name)
        candidates = [one.name for one in seen.stacks if one.name in (own, self.name) and _VERSION not in one.tags]
        for stack in sorted(candidates, key=lambda one: one != own):
            found = self.parts.ask("Batch", partial(batch_resources, self.account, stack))()
            if found is not None:
                return found
        # What was begun as one of Batch, or is nearly gone, is one.
        return BatchResources(own) if own in candidates or _platform(seen.record) == "batch" else None

    def _batch_cluster(self, seen: Status, resources: BatchResources, around: Sequence[StackState]) -> Status:
        access = self.parts.ask("monitoring", partial(monitoring_access, self.account, around))
        seen = BatchLook(self.account, resources, self.parts).look(seen)
        seen = replace(seen, monitoring=access(), unknown=self.parts.unknown)
        return replace(seen, concerns=concerns(self.account, seen, is_environment=False))

    def _may_be_eks(self, seen: Status) -> bool:
        """Return whether EKS is to be asked: not where it is known to be a cluster of another platform."""
        known = any(_VERSION in one.tags for one in seen.stacks)
        return not (known or seen.nodes or _platform(seen.record) is not None)

    def _eks(self) -> EksCluster | None:
        return self.parts.ask("EKS", partial(find_cluster, self.account, self.name))()

    def _eks_cluster(self, seen: Status, cluster: EksCluster | None, around: Sequence[StackState]) -> Status:
        # What was asked of ParallelCluster says nothing here.
        self.parts.unknown = {
            part: why for part, why in self.parts.unknown.items() if part not in ("nodes", "fleet", "queues")
        }
        access = self.parts.ask("monitoring", partial(monitoring_access, self.account, around))
        seen = EksLook(self.account, cluster, self.parts, self.kubectl).look(seen)
        seen = replace(seen, monitoring=access(), unknown=self.parts.unknown)
        return replace(seen, concerns=concerns(self.account, seen, is_environment=False))

    def _with_details(
        self, seen: Status, bucket: str, config: Mapping[str, Any] | None, around: Sequence[StackState]
    ) -> Status:
        """Return the status with what is asked because of the first answers."""
        ask, account, name = self.parts.ask, self.account, self.name
        queues = compute_resources(config, seen.nodes)
        mounts = file_systems.mounts(config)
        kinds = {"FSx": (file_systems.fsx, "fsx"), "EFS": (file_systems.efs, "efs"), "EBS": (file_systems.ebs, "ebs")}
        reserved = ask("reservations", partial(reservations, account, queues))
        storage = [
            ask(f"file systems of {kind}", partial(look, account, name, mounts.get(key, [])))
            for kind, (look, key) in kinds.items()
        ]
        access = ask("monitoring", partial(monitoring_access, account, around))
        failed = [ask("failures of stacks", partial(failures.of_stacks, account, seen.stacks))]
        failed.append(ask("failures of the fleet", partial(failures.of_fleet, account, name, seen.head_node)))
        if seen.record is not None or any(CLUSTER in stack.tags for stack in seen.stacks):
            failed.append(ask("failures of nodes", partial(failures.of_nodes, account, bucket, name)))
        seen = replace(
            seen,
            queues=queues,
            reservations=reserved() or (),
            file_systems=tuple(one for part in storage for one in part() or ()),
            monitoring=access(),
            failures=tuple(one for part in failed for one in part() or ()),
            unknown=self.parts.unknown,
        )
        return replace(seen, concerns=concerns(account, seen, is_environment=False))

    def _refuse_nothing(
        self, stacks: tuple[StackState, ...], found: tuple[Any, ...], record: Deployment | None
    ) -> None:
        if stacks or found or record is not None:
            return
        if why := self.parts.unknown.get("stacks") or self.parts.unknown.get("nodes"):
            raise TrainyardError(
                f"nobody can tell whether there is a cluster {self.name}: {why}",
                where=f"account {self.account.id}",
                hint="ask for cloudformation:DescribeStacks and ec2:DescribeInstances, or choose another --profile",
            )
        raise TrainyardError(
            f"there is no cluster {self.name} in {self.account.region}, and no environment",
            where=f"account {self.account.id}",
            hint="check the name, --region and --profile",
        )


def _bucket(everything: Sequence[StackState], name: str) -> str | None:
    """Return the bucket that the spec of a cluster or environment named, as own_bucket.bucket_of_cluster finds it."""
    of_cluster = [one for one in everything if one.tags.get(CLUSTER) == name]
    found = (stack.tags.get(BUCKET) for stack in (*of_cluster, *_environment(everything, name)))
    return next((bucket for bucket in found if bucket), None)


def _environment(everything: Sequence[StackState], name: str) -> tuple[StackState, ...]:
    return tuple(one for one in everything if one.tags.get(ENVIRONMENT) == name and CLUSTER not in one.tags)


def _of_cluster(everything: Sequence[StackState], name: str) -> tuple[StackState, ...]:
    own = [one for one in everything if one.name == name]
    tagged = [one for one in everything if name in (one.tags.get(CLUSTER), one.tags.get(_EKSCTL))]
    others = [one for one in tagged if one.name != name]
    return (*others, *own)


def _around(everything: Sequence[StackState], stacks: tuple[StackState, ...]) -> tuple[StackState, ...]:
    """Return the stacks of a cluster with those of the environment that it uses, where it uses one."""
    name = next((one.tags[ENVIRONMENT] for one in stacks if ENVIRONMENT in one.tags), None)
    return (*stacks, *(_environment(everything, name) if name is not None else ()))


def _is_of_eks(seen: Status) -> bool:
    """Return whether stacks or the deployment say that it is a cluster of EKS, or was to be one."""
    return any(_EKSCTL in one.tags for one in seen.stacks) or _platform(seen.record) == "eks"


def _batch_stack(name: str) -> str:
    """Return the name of the stack of a Batch cluster that trainyard made."""
    return f"{name}-batch"


def _platform(record: Deployment | None) -> str | None:
    """Return the platform of the spec that was deployed; None where nobody remembers it."""
    if record is None:
        return None
    try:
        written = yaml.load(record.spec_text, Loader=yaml.CSafeLoader)
    except (yaml.YAMLError, ValueError):
        return None
    return written.get("platform") if isinstance(written, dict) else None


def _remembered(record: Deployment | None) -> Mapping[str, Any] | None:
    """Return the configuration that ParallelCluster was given, as the deployment remembers it."""
    if record is None or record.cluster_config is None:
        return None
    try:
        return config_of(record.cluster_config, f"the deployment of {record.name}")
    except TrainyardError:
        return None
