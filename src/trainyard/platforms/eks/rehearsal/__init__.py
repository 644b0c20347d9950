"""A rehearsal on Amazon EKS: eksctl and kubectl are emulated, and jobs ask for the devices of every queue."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

from trainyard.deploy.step import DeploymentStep
from trainyard.deploy.work import Work
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.eks import find_cluster
from trainyard.errors import TrainyardError
from trainyard.launch.launch import compute_launches
from trainyard.platforms.eks.rehearsal.eksctl.emulated_eksctl import EmulatedEksctl
from trainyard.platforms.eks.rehearsal.eksctl.installed_check import InstalledEksctlCheck
from trainyard.platforms.eks.rehearsal.emulated_kubectl import retried_kubectl_of
from trainyard.platforms.eks.rehearsal.jobs import JobsOnNodes
from trainyard.platforms.eks.rendering.launch_templates import needs_launch_templates
from trainyard.rehearsal.report.conditions import Condition, has_accelerators, has_capacity, has_efa
from trainyard.spec.cluster import Spec

CONDITIONS: Mapping[str, Condition] = {
    "accelerators_of_eks": has_accelerators,
    "eks": lambda _: True,
    "eks_capacity_block": has_capacity("capacity_block"),
    "eks_efa": has_efa,
    "eks_endpoint_private": lambda spec: spec.eks.endpoint == "private",
    "eks_fsx": lambda spec: any(file_system.lustre is not None for file_system in spec.file_systems),
    "eks_launch_templates": needs_launch_templates,
    "eks_nvidia": lambda spec: any(launch.instance.accelerator == "nvidia" for launch in compute_launches(spec)),
}
STRIKES = frozenset({"resource", "launch", "nodes", "pods", "api"})


class EmulatedPrograms:
    """eksctl and kubectl of the emulated account; an eksctl of this machine looks at the configuration."""

    def __init__(self, account: Account) -> None:
        """Look for an eksctl on PATH."""
        self._outside = InstalledEksctlCheck(account)

    def equip(self, work: Work) -> None:
        """Give a deployment both programs."""
        work.eksctl = lambda account: EmulatedEksctl(account, self._outside)
        work.kubectl = retried_kubectl_of

    @property
    def reached(self) -> Sequence[str]:
        """Return what the real eksctl has passed."""
        return self._outside.reached

    @property
    def unproved(self) -> Sequence[str]:
        """Return what the real eksctl said that nobody here can judge, and why it was not asked."""
        return self._outside.said


def programs(account: Account, spec: Spec, report: Callable[[str], None]) -> AbstractContextManager[EmulatedPrograms]:
    """Return eksctl and kubectl."""
    del spec, report
    return nullcontext(EmulatedPrograms(account))


def with_programs(account: Account) -> Account:
    """Return the account with its own eksctl and kubectl, in place of the user's."""
    outside = InstalledEksctlCheck(account)
    return replace(account, kubectl=retried_kubectl_of, eksctl=lambda own: EmulatedEksctl(own, outside))


def jobs() -> DeploymentStep | None:
    """Return the step that looks at the nodes, and tries jobs on them."""
    return JobsOnNodes()


def archive_files(work: Work) -> Iterator[tuple[str, str]]:
    """Yield what EKS and Kubernetes say of a cluster, as far as there is one and it answers."""
    if find_cluster(work.account, work.name) is None:
        return
    eks = work.account.client("eks")
    names = eks.list_nodegroups(clusterName=work.name)["nodegroups"]
    groups = [eks.describe_nodegroup(clusterName=work.name, nodegroupName=name)["nodegroup"] for name in names]
    yield "node-groups.json", json.dumps({"nodegroups": groups}, indent=2, default=str)
    try:
        with work.kubectl(work.account, work.name) as kubectl:
            yield "kubernetes-events.log", "".join(map(_event_line, kubectl.get("events")))
            for kind in ("nodes", "pods", "daemonsets", "deployments"):
                objects = {"kind": "List", "apiVersion": "v1", "items": kubectl.get(kind)}
                yield f"kubernetes-{kind}.json", json.dumps(objects, indent=2)
    except TrainyardError as error:
        yield "kubernetes-unreachable.log", f"{error.problem}\n"


def _event_line(event: Mapping[str, Any]) -> str:
    about = event["involvedObject"]
    what = f"{about['kind'].lower()}/{about['name']}"
    return (
        f"{event['lastTimestamp']} {about['namespace']} {event['type']} {event['reason']} {what} {event['message']}\n"
    )
