"""The steps of a cluster of Amazon EKS: eksctl makes it, kubectl fills it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from trainyard.deploy.cluster_update import RunningJobs
from trainyard.deploy.step import DeploymentStep, Probe, StepOutcome
from trainyard.deploy.steps.infrastructure import grafana_steps, instance_steps, stack_steps, steps_before_stacks
from trainyard.deploy.steps.key_pair import KeyPair
from trainyard.deploy.steps.stack import StackStep
from trainyard.deploy.work import Work
from trainyard.edge.aws import fsx
from trainyard.edge.aws.stacks import find_stack
from trainyard.errors import TrainyardError
from trainyard.platforms.eks.deployment import deletion
from trainyard.platforms.eks.deployment.add_ons import EksAddOns
from trainyard.platforms.eks.deployment.changes import EksChanges
from trainyard.platforms.eks.deployment.cluster import EksClusterStep
from trainyard.platforms.eks.deployment.kubeconfig import EksKubeconfig
from trainyard.platforms.eks.deployment.manifests import EksManifests
from trainyard.platforms.eks.deployment.node_groups import EksNodeGroups
from trainyard.platforms.eks.deployment.ready_nodes import EksReadyNodes
from trainyard.platforms.eks.rendering.documents import NODES
from trainyard.platforms.eks.rendering.launch_templates import needs_launch_templates
from trainyard.render.cloudformation.stack import Kind
from trainyard.render.lustre_mount_names import existing_lustre_ids, mount_name_output
from trainyard.spec.cluster import Spec


@dataclass(frozen=True)
class EksLaunchTemplates(StackStep):
    """The stack with launch templates of node groups, which few clusters have."""

    kind: Kind = "nodes"
    contents: str = NODES.contents

    def undo(self, work: Work) -> StepOutcome:
        """Delete it, unless it is of somebody else: every destruction looks, also one of another platform."""
        stack_state = find_stack(work.account, f"{work.name}-{self.kind}")
        if stack_state is not None and not work.owns(stack_state.tags):
            return StepOutcome(changed=False, detail=f"stack {stack_state.name} is of somebody else")
        return super().undo(work)


def steps_to_deploy(spec: Spec) -> list[DeploymentStep]:
    """Return them in order."""
    mounted: list[DeploymentStep] = [ExistingFileSystems()] if existing_lustre_ids(spec) else []
    templates: list[DeploymentStep] = [EksLaunchTemplates()] if needs_launch_templates(spec) else []
    return [
        EksChanges(),
        *steps_before_stacks(spec),
        *mounted,
        *stack_steps(spec),
        *templates,
        KeyPair(),
        EksClusterStep(),
        EksAddOns(),
        EksNodeGroups(),
        EksReadyNodes(),
        EksManifests(),
        EksKubeconfig(),
        *instance_steps(spec),
        *grafana_steps(spec),
    ]


def steps_to_destroy() -> list[DeploymentStep]:
    """Return what eksctl has made, and the launch templates that its node groups use."""
    return [EksLaunchTemplates(), EksClusterStep()]


def endpoints(spec: Spec) -> Iterator[str]:
    """Yield what nodes and their add-ons ask.

    https://docs.aws.amazon.com/eks/latest/userguide/private-clusters.html
    """
    del spec
    yield from ("s3", "ec2", "ecr.api", "ecr.dkr", "eks", "eks-auth")


def permissions(spec: Spec) -> Iterator[str]:
    """Yield what eksctl does, and what a key for the secrets of Kubernetes takes."""
    yield "eks"
    if spec.iam.kms_key is not None:
        yield "eks-secrets-key"


def running_programs(work: Work) -> AbstractContextManager[None]:
    """Start nothing: each step starts eksctl and kubectl anew."""
    del work
    return nullcontext()


def refuse_undeletable(work: Work) -> None:
    """Raise TrainyardError where a cluster is not ours, or no eksctl is here to delete it."""
    deletion.refuse_undeletable(work)


def jobs_to_end(work: Work) -> RunningJobs:
    """Return the jobs of Kubernetes that are not over, and pods that have devices without one."""
    return deletion.jobs_in_cluster(work)


class ExistingFileSystems:
    """Asks FSx by what names the file systems of others are mounted."""

    name = "file-systems"
    title = "mount names of file systems that exist"

    def probe(self, work: Work) -> Probe:
        """Say which of them are there."""
        ids = existing_lustre_ids(work.required_spec())
        missing = [id_ for id_ in ids if fsx.file_system(work.account, id_) is None]
        return Probe("missing", ", ".join(missing)) if missing else Probe("there", ", ".join(ids))

    def apply(self, work: Work) -> StepOutcome:
        """Return their mount names. Raises TrainyardError for one that is not there, or is not mounted as Lustre is."""
        names = {id_: _mount_name(work, id_) for id_ in existing_lustre_ids(work.required_spec())}
        outputs = {mount_name_output(id_): name for id_, name in names.items()}
        text = ", ".join(f"{id_} as {name}" for id_, name in names.items())
        return StepOutcome(changed=False, detail=text, outputs=outputs)

    def undo(self, work: Work) -> StepOutcome:
        """Leave them: they were there before."""
        del work
        return StepOutcome(changed=False)


def _mount_name(work: Work, id_: str) -> str:
    file_system = fsx.file_system(work.account, id_) or {}
    name: str | None = file_system.get("LustreConfiguration", {}).get("MountName")
    if not name:
        kind = (
            f"is of type {file_system.get('FileSystemType')}, not Lustre"
            if file_system
            else f"is not in {work.account.region}"
        )
        raise TrainyardError(
            f"file system {id_} {kind}",
            where="file_systems",
            hint="name one of FSx for Lustre in the account and region of the cluster",
        )
    return name
