"""A whole deployment, and a whole destruction: the steps in order, under a lock, with a record of how far they came."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from trainyard.deploy.cluster_stack import cluster_stack
from trainyard.deploy.engine import StepResult, apply_all, undo_all
from trainyard.deploy.lock import Lock
from trainyard.deploy.record import Stage, new_record, read_record, stamped, write_record
from trainyard.deploy.step import Step
from trainyard.deploy.steps.assets import Mirror
from trainyard.deploy.steps.bucket import Bucket
from trainyard.deploy.steps.cloudwatch_dashboards import CloudWatchDashboards
from trainyard.deploy.steps.cluster_changes import Changes
from trainyard.deploy.steps.data import Data
from trainyard.deploy.steps.environment import Environment, users_of
from trainyard.deploy.steps.existing_file_systems import ExistingFileSystems
from trainyard.deploy.steps.grafana import Grafana, has_workspace
from trainyard.deploy.steps.key_pair import KeyPair
from trainyard.deploy.steps.monitoring_instance import MonitoringInstance
from trainyard.deploy.steps.network import NetworkStep
from trainyard.deploy.steps.release import Release
from trainyard.deploy.steps.reservation_groups import ReservationGroups
from trainyard.deploy.steps.stack import StackStep
from trainyard.deploy.work import Event, Options, Work
from trainyard.edge.aws import s3
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.stacks import find_stack, stacks_tagged
from trainyard.errors import InputError, TrainyardError
from trainyard.finding import Finding
from trainyard.monitoring.cloudwatch_body import wants_dashboards
from trainyard.platforms.batch.deployment.changes import BatchChanges
from trainyard.platforms.batch.deployment.cluster import BatchStack
from trainyard.platforms.eks.deployment.add_ons import EksAddOns
from trainyard.platforms.eks.deployment.changes import EksChanges
from trainyard.platforms.eks.deployment.cluster import EksClusterStep
from trainyard.platforms.eks.deployment.deletion import refuse_undeletable
from trainyard.platforms.eks.deployment.kubeconfig import EksKubeconfig
from trainyard.platforms.eks.deployment.launch_templates import EksLaunchTemplates
from trainyard.platforms.eks.deployment.manifests import EksManifests
from trainyard.platforms.eks.deployment.node_groups import EksNodeGroups
from trainyard.platforms.eks.deployment.ready_nodes import EksReadyNodes
from trainyard.platforms.eks.rendering.lustre_volumes import existing_ids
from trainyard.platforms.parallelcluster.deployment.cluster import Cluster
from trainyard.platforms.parallelcluster.deployment.programs import ParallelClusters
from trainyard.platforms.parallelcluster.deployment.static_nodes import StaticNodes
from trainyard.render.cloudformation.stack import Kind
from trainyard.render.cloudformation.stacks import stacks
from trainyard.render.reservation_groups import groups_to_make
from trainyard.render.stand_ins import Ids
from trainyard.render.tags import CLUSTER, ENVIRONMENT
from trainyard.spec.cluster import Spec


@dataclass(frozen=True, slots=True)
class Done:
    """What became of a deployment or a destruction."""

    results: tuple[StepResult, ...]
    kept: tuple[str, ...] = ()
    """What a destruction left on purpose."""
    refused: tuple[str, ...] = ()
    """What it was to delete and AWS refused to."""
    findings: tuple[Finding, ...] = ()
    """What became clear on the way: which nodes have to be told of what was published."""
    stage: Stage | None = None
    """How far a deployment has come; None where it failed, and of a destruction."""

    @property
    def ok(self) -> bool:
        """Return whether every step succeeded, and nothing is left that was to go."""
        return all(result.error is None for result in self.results) and not self.refused


def bucket_of(spec: Spec, account: Account) -> str:
    """Return the bucket of a spec: its own, or the one of the account and region."""
    return spec.assets.bucket or s3.own_bucket(account)


def work_for(
    spec: Spec, account: Account, listener: Callable[[Event], None] = lambda _: None, options: Options | None = None
) -> Work:
    """Return the deployment of a spec, before it begins."""
    tag = ENVIRONMENT if spec.is_environment else CLUSTER
    return Work(account, spec.name, spec, bucket_of(spec, account), listener, options or Options(), tag=tag)


def steps_to_deploy(spec: Spec) -> list[Step]:
    """Return the steps that make what a spec describes, in order."""
    before: list[Step] = [ReservationGroups()] if groups_to_make(spec) else []
    if spec.environment is not None:
        before.append(Environment())
    stack_steps = [_stack_step(one.kind) for one in stacks(spec, Ids({}))]
    grafana: list[Step] = [Grafana()] if has_workspace(spec) else []
    instance: list[Step] = [MonitoringInstance()] if spec.has_monitoring_instance else []
    published: list[Step] = [Mirror(), Release()]
    if spec.is_environment:
        return [*stack_steps, *(published if instance else []), *instance, *grafana]
    if spec.platform == "batch":
        *beside, cluster = stack_steps
        return [BatchChanges(), *before, *beside, KeyPair(), cluster, *grafana]
    if spec.platform == "eks":
        mounted: list[Step] = [ExistingFileSystems()] if existing_ids(spec) else []
        return [EksChanges(), *before, *mounted, *stack_steps, KeyPair(), *_in_eks(), *instance, *grafana]
    after: list[Step] = [CloudWatchDashboards()] if wants_dashboards(spec) else []
    of_cluster: list[Step] = [KeyPair(), Cluster(), StaticNodes()]
    # The instance comes up while the cluster is made, which nobody waits for twice.
    return [Changes(), *before, *stack_steps, *published, *of_cluster, *instance, *grafana, *after]


def _in_eks() -> list[Step]:
    """Return the steps from the control plane to a cluster that takes jobs."""
    return [
        EksClusterStep(),
        EksAddOns(),
        EksNodeGroups(),
        EksReadyNodes(),
        EksManifests(),
        EksKubeconfig(),
    ]


def _stack_step(kind: Kind) -> Step:
    match kind:
        case "network":
            return NetworkStep(kind)
        case "batch":
            return BatchStack()
        case "nodes":
            return EksLaunchTemplates()
        case _:
            return StackStep(kind)


def steps_to_destroy() -> list[Step]:
    """Return every step that a cluster may have been made by, in the order of making."""
    return [
        Bucket(),
        ReservationGroups(),
        NetworkStep("network"),
        Data(),
        StackStep("storage"),
        StackStep("monitoring"),
        StackStep("rules"),
        StackStep("assets"),
        EksLaunchTemplates(),
        BatchStack(),
        EksClusterStep(),
        Cluster(),
        Grafana(),
        CloudWatchDashboards(),
    ]


def deploy(work: Work, spec_text: str) -> Done:
    """Make what the spec describes, or go on where a call that ended early stopped."""
    spec = work.wanted()
    steps = _steps(work)
    results = apply_all([Bucket()], work)
    if _failed(results):
        return Done(tuple(results))
    looks = [step for step in steps if step.name == Changes.name]
    stage = None
    with _locked(work, "deploy"), _parallelclusters(work):
        # A cluster that exists is looked at before anything is touched, and before its record is.
        results += apply_all(looks, work)
        if _failed(results):
            return Done(tuple(results))
        former = read_record(work.account, work.bucket, work.name)
        record = new_record(spec, spec_text, former)
        write_record(work.account, work.bucket, stamped(record, "deploying", work.account))
        results += apply_all([step for step in steps if step not in looks], work)
        if not _failed(results):
            reached = read_record(work.account, work.bucket, work.name) or record
            stage = _stage(work)
            write_record(work.account, work.bucket, stamped(reached, stage, work.account))
    return Done(tuple(results), findings=tuple(work.findings), stage=stage)


def _steps(work: Work) -> list[Step]:
    """Return the steps up to where the options say. Raises InputError where that is nowhere."""
    refuse_no_cluster(work.wanted(), work.options)
    steps = steps_to_deploy(work.wanted())
    before = [step.name for step in steps].index(_cluster_step(work.wanted())) if work.options.before_cluster else None
    return steps[:before]


def _cluster_step(spec: Spec) -> str:
    """Return the name of the step that makes the cluster itself."""
    return BatchStack().name if spec.platform == "batch" else Cluster.name


def refuse_no_cluster(spec: Spec, options: Options) -> None:
    """Raise InputError where a deployment is to stop before a cluster that the spec has not."""
    if options.before_cluster and spec.is_environment:
        hint = "leave the option out"
        raise InputError(f"{spec.name} is an environment and has no cluster", where="--before-cluster", hint=hint)


def _stage(work: Work) -> Stage:
    """Return how far it came. A cluster that was there already is what it was, whatever was left out now."""
    found = find_stack(work.account, cluster_stack(work.wanted())) if work.options.before_cluster else None
    if work.options.before_cluster and found is None:
        return "prepared"
    return "deployed" if found is None or found.usable else "deploying"


def _failed(results: list[StepResult]) -> bool:
    return any(result.error is not None for result in results)


def destroy(work: Work) -> Done:
    """Remove a cluster and what was made for it. What holds data stays, unless the options say otherwise.

    Raises TrainyardError for an environment that clusters use, and for a cluster of EKS that is somebody else's or that
    no eksctl is here to delete.
    """
    work.tag = _tag_of(work)
    if work.tag == ENVIRONMENT and (users := users_of(work)):
        raise TrainyardError(
            f"environment {work.name} is used by {', '.join(users)}", where=work.name, hint="destroy them first"
        )
    refuse_undeletable(work)
    with ExitStack() as held:
        if s3.bucket_problem(work.account, work.bucket) is None:
            held.enter_context(_locked(work, "destroy"))
            if former := read_record(work.account, work.bucket, work.name):
                write_record(work.account, work.bucket, stamped(former, "destroying", work.account))
        held.enter_context(_parallelclusters(work))
        results = undo_all(steps_to_destroy(), work)
    return Done(tuple(results), tuple(dict.fromkeys(work.kept)), tuple(work.refused))


def _tag_of(work: Work) -> str:
    """Return whether the name is that of an environment: its stacks have its tag, and none of a cluster."""
    tagged = stacks_tagged(work.account, ENVIRONMENT, work.name)
    return ENVIRONMENT if any(CLUSTER not in stack.tags for stack in tagged) else CLUSTER


@contextmanager
def _locked(work: Work, what: str) -> Iterator[None]:
    """Hold the lock. Every event asks whether it is still held."""
    with Lock(work.account, work.bucket, work.name, what, work.tell) as lock:
        listener = work.listener

        def checked(event: Event) -> None:
            lock.refuse_lost()
            listener(event)

        work.listener = checked
        try:
            yield
        finally:
            work.listener = listener


@contextmanager
def _parallelclusters(work: Work) -> Iterator[None]:
    """Have ParallelCluster at hand. What is deployed needs it for certain, so it starts while the stacks are made."""
    if work.parallelcluster is not None:
        yield
        return
    with ParallelClusters(work.account, work.tell) as running:
        work.parallelcluster = running.of
        if work.spec is not None and _runs_parallelcluster(work.spec, work.options):
            running.of(work.spec.parallelcluster.version)
        try:
            yield
        finally:
            work.parallelcluster = None


def _runs_parallelcluster(spec: Spec, options: Options) -> bool:
    return spec.platform == "parallelcluster" and not (spec.is_environment or options.before_cluster)
