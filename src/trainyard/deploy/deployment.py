"""A whole deployment, and a whole destruction: the steps in order, under a lock, with a record of how far they came."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from itertools import takewhile

from trainyard.deploy.cluster_update import RunningJobs
from trainyard.deploy.engine import StepResult, apply_all, failure_of, undo_all
from trainyard.deploy.expired_capacity import leave_out_expired
from trainyard.deploy.lock import Lock
from trainyard.deploy.losses import users_of
from trainyard.deploy.record import Deployment, Stage, new_record, read_record, record_at_stage, write_record
from trainyard.deploy.shared_data import refuse_data_of_others
from trainyard.deploy.step import DeploymentStep
from trainyard.deploy.steps.bucket import Bucket, bucket_of
from trainyard.deploy.steps.cloudwatch_dashboards import CloudWatchDashboards
from trainyard.deploy.steps.data import Data
from trainyard.deploy.steps.grafana import GrafanaStep
from trainyard.deploy.steps.infrastructure import all_stack_steps
from trainyard.deploy.steps.removals import Removals
from trainyard.deploy.steps.reservation_groups import ReservationGroups
from trainyard.deploy.steps.stack import StackStep
from trainyard.deploy.steps.stack_review import StackReview
from trainyard.deploy.update_review import UpdateReview, discard, refuse_stuck_stacks
from trainyard.deploy.work import Event, Options, Work
from trainyard.edge.aws import s3
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.data_stores import data_stores
from trainyard.edge.aws.errors import NotAllowedError, cleaned_up
from trainyard.edge.aws.stacks import all_stacks, find_stack, stacks_tagged
from trainyard.errors import InputError, TrainyardError
from trainyard.finding import Finding
from trainyard.platform_parts import PlatformDeployment
from trainyard.platform_table import PLATFORMS, platform_of
from trainyard.render.tags import CLUSTER, ENVIRONMENT
from trainyard.spec.cluster import Spec
from trainyard.stop_request import results_of

CHANGES = "changes"
"""The step that compares the spec with a cluster that exists."""
_LOOKS_AT_ONCE = 2


@dataclass(frozen=True, slots=True)
class DeploymentResult:
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
    review: UpdateReview = field(default_factory=UpdateReview)
    """What a deployment was to change of the stacks that existed."""

    @property
    def ok(self) -> bool:
        """Return whether every step succeeded, and nothing is left that was to go."""
        return all(result.error is None for result in self.results) and not self.refused


def work_for(
    spec: Spec, account: Account, listener: Callable[[Event], None] = lambda _: None, options: Options | None = None
) -> Work:
    """Return the deployment of a spec, before it begins."""
    tag = ENVIRONMENT if spec.is_environment else CLUSTER
    return Work(account, spec.name, spec, bucket_of(spec, account), listener, options or Options(), tag=tag)


def steps_to_deploy(spec: Spec) -> list[DeploymentStep]:
    """Return the steps that make what a spec describes, in order."""
    return platform_of(spec).deployment().steps_to_deploy(spec)


def steps_to_destroy() -> list[DeploymentStep]:
    """Return every step that a cluster may have been made by, in the order of making."""
    of_clusters = [step for part in _all_platforms() for step in part.steps_to_destroy()]
    network, *others = all_stack_steps()
    before: list[DeploymentStep] = [Bucket(), ReservationGroups(), network, Data(), *others]
    return [*before, *of_clusters, GrafanaStep(), CloudWatchDashboards()]


def _all_platforms() -> list[PlatformDeployment]:
    return [platform.deployment() for platform in reversed(PLATFORMS.values())]


def deploy(work: Work, spec_text: str, steps: Sequence[DeploymentStep] | None = None) -> DeploymentResult:
    """Make what the spec describes, or go on where a call that ended early stopped. Its steps are those of the spec."""
    leave_out_expired(work)
    spec = work.required_spec()
    steps = _steps(work) if steps is None else steps
    results = apply_all([Bucket()], work)
    if _failed(results):
        return DeploymentResult(tuple(results))
    looks = [step for step in steps if step.name == CHANGES]
    review = stack_review(spec, steps)
    stage = None
    with (
        _without_empty_bucket(work, results),
        locked(work, "deploy"),
        _discarded(work),
        platform_of(spec).deployment().running_programs(work),
    ):
        # What exists is looked at before anything is touched, and before its record is.
        stuck = failure_of(review.name, review.title, work, lambda: refuse_stuck_stacks(work))
        results += apply_all([*looks, review], work) if stuck is None else [stuck]
        told = replace(review.review, cluster=work.cluster_update)
        if _failed(results):
            return DeploymentResult(tuple(results), review=told)
        former = read_record(work.account, work.bucket, work.name)
        record = new_record(spec, spec_text, former, replaces=work.options.replaces)
        write_record(work.account, work.bucket, record_at_stage(record, "deploying", work.account))
        results += apply_all([step for step in steps if step not in looks], work)
        if not _failed(results) and not work.options.before_cluster:
            results += apply_all(_removals(work, review.review), work)
        if not _failed(results):
            stage, failures = _noted_end(work, record)
            results += failures
    findings = tuple(work.findings)
    return DeploymentResult(tuple(results), findings=findings, stage=stage, review=told)


@contextmanager
def _without_empty_bucket(work: Work, results: Sequence[StepResult]) -> Iterator[None]:
    """Take a bucket away that was just made where nothing came to lie in it, as with a change that is refused."""
    is_new = any(result.name == Bucket.name and result.status == "done" for result in results)
    yield
    if not (is_new and _failed(results)):
        return
    try:
        is_gone = s3.delete_empty_bucket(work.account, work.bucket)
    except TrainyardError as error:
        work.tell(f"bucket {work.bucket} was made for this call and stays: {error.problem}")
        return
    if is_gone:
        work.tell(f"bucket {work.bucket} was made for this call and is empty: deleted")


def _noted_end(work: Work, record: Deployment) -> tuple[Stage | None, list[StepResult]]:
    """Write down how far it has come, and return it; None and the failure where that cannot be asked or written."""
    stages: list[Stage] = []

    def write() -> None:
        reached = read_record(work.account, work.bucket, work.name) or record
        stages.append(_stage(work))
        write_record(work.account, work.bucket, record_at_stage(reached, stages[0], work.account))

    failure = failure_of("record", "record of the deployment", work, write)
    return (stages[0], []) if failure is None else (None, [failure])


def review_of(work: Work) -> tuple[UpdateReview, list[TrainyardError]]:
    """Return what a deployment would change, and why it would be refused; nothing is touched.

    While AWS is at work on a stack, nobody can say it.
    """
    leave_out_expired(work)
    spec = work.required_spec()
    stacks = [stack for stack in all_stacks(work.account) if work.owns(stack.tags)]
    if busy := [f"stack {stack.name} is {stack.status}; plan again then" for stack in stacks if stack.in_progress]:
        return UpdateReview(unclear=tuple(busy)), []
    try:
        refuse_stuck_stacks(work)
    except TrainyardError as error:
        return UpdateReview(), [error]
    steps = _steps(work)
    review = stack_review(spec, steps)
    cluster = platform_of(spec).cluster_stack(work.name) if platform_of(spec).cluster_step else None
    looks = [step for step in steps if step.name == CHANGES and cluster in {stack.name for stack in stacks}]
    programs = platform_of(spec).deployment().running_programs(work) if looks else nullcontext()
    with _discarded(work), programs:
        answers = results_of(lambda step: apply_all([step], work), [*looks, review], _LOOKS_AT_ONCE)
        results = [result for answer in answers for result in answer]
    errors = [result.error for result in results if result.error is not None]
    denied = [error for error in errors if isinstance(error, NotAllowedError)]
    unclear = (*review.review.unclear, *(error.problem for error in denied))
    return replace(review.review, unclear=unclear, cluster=work.cluster_update), [
        error for error in errors if error not in denied
    ]


def stack_review(spec: Spec, steps: Sequence[DeploymentStep]) -> StackReview:
    """Return the step that looks at the stacks of a spec, of which some steps are to be applied."""
    kinds = {step.name for step in steps_to_deploy(spec)}
    unneeded = [step for step in _all_stack_steps(spec) if step.name not in kinds]
    return StackReview([step for step in steps if isinstance(step, StackStep)], unneeded)


def _all_stack_steps(spec: Spec) -> list[StackStep]:
    """Return a step for every stack that a deployment on this platform may have made, in the order of making."""
    steps = [*all_stack_steps(), *platform_of(spec).deployment().steps_to_destroy()]
    return [step for step in steps if isinstance(step, StackStep)]


def _removals(work: Work, review: UpdateReview) -> list[DeploymentStep]:
    """Return the step that takes away what the spec no longer has; nothing where nothing goes."""
    if not (work.removals or any(change.is_loss for change in review.changes)):
        return []
    return [Removals(_all_stack_steps(work.required_spec()), review.unneeded)]


@contextmanager
def _discarded(work: Work) -> Iterator[None]:
    """Leave no change set that nobody is going to execute."""

    def close() -> None:
        with suppress(TrainyardError):
            discard(work)

    with cleaned_up(close):
        yield


def _steps(work: Work) -> list[DeploymentStep]:
    """Return the steps up to where the options say. Raises InputError where that is nowhere."""
    refuse_no_cluster(work.required_spec(), work.options)
    steps = steps_to_deploy(work.required_spec())
    if not work.options.before_cluster:
        return steps
    cluster_step = platform_of(work.required_spec()).cluster_step
    return list(takewhile(lambda step: step.name != cluster_step, steps))


def refuse_no_cluster(spec: Spec, options: Options) -> None:
    """Raise InputError where a deployment is to stop before a cluster that the spec has not."""
    if options.before_cluster and platform_of(spec).cluster_step is None:
        hint = "leave the option out"
        raise InputError(f"{spec.name} is an environment and has no cluster", where="--before-cluster", hint=hint)


def _stage(work: Work) -> Stage:
    """Return how far it came. A cluster that was there already is what it was, whatever was left out now."""
    if not work.options.before_cluster:
        return "deployed"
    cluster = find_stack(work.account, platform_of(work.required_spec()).cluster_stack(work.name))
    if cluster is None:
        return "prepared"
    return "deployed" if cluster.usable else "deploying"


def _failed(results: Sequence[StepResult]) -> bool:
    return any(result.error is not None for result in results)


def destroy(work: Work) -> DeploymentResult:
    """Remove a cluster and what was made for it. What holds data stays, unless the options say otherwise.

    Raises TrainyardError for an environment that clusters use, for jobs that nobody has agreed to end, for data to
    delete that another spec names, and for a cluster of EKS that is somebody else's or that no eksctl is here to
    delete.
    """
    work.tag = _tag_of(work)
    if work.tag == ENVIRONMENT and (users := users_of(work)):
        raise TrainyardError(
            f"environment {work.name} is used by {', '.join(users)}", where=work.name, hint="destroy them first"
        )
    for part in _all_platforms():
        part.refuse_undeletable(work)
    refuse_to_end_jobs(work, jobs_to_end(work))
    with ExitStack() as held:
        if s3.bucket_problem(work.account, work.bucket) is None:
            held.enter_context(locked(work, "destroy"))
            if work.options.delete_data:
                refuse_data_of_others(work)
            if former := read_record(work.account, work.bucket, work.name):
                write_record(work.account, work.bucket, record_at_stage(former, "destroying", work.account))
        for part in _all_platforms():
            held.enter_context(part.running_programs(work))
        results = undo_all(steps_to_destroy(), work)
    return DeploymentResult(tuple(results), tuple(dict.fromkeys(work.kept)), tuple(work.refused))


def jobs_to_end(work: Work) -> RunningJobs:
    """Return the jobs that destroying the cluster would end, on whichever platform it is."""
    answers = [part.jobs_to_end(work) for part in _all_platforms()]
    jobs = tuple(job for answer in answers for job in answer.jobs)
    unknown = "; ".join(answer.unknown for answer in answers if answer.unknown)
    return RunningJobs(jobs, unknown, sum(answer.unlisted for answer in answers))


def refuse_to_end_jobs(work: Work, jobs: RunningJobs) -> None:
    """Raise TrainyardError where there are jobs, or may be, and the options do not say that they may end."""
    if jobs and not work.options.end_jobs:
        raise TrainyardError(
            f"destroying {work.name} ends jobs: {jobs}",
            where=work.name,
            hint="nothing was touched; destroy it when they are over, or with --end-jobs",
        )


def _tag_of(work: Work) -> str:
    """Return whether the name is that of an environment: its stacks, or the data that they left, have its tag alone."""
    tagged = stacks_tagged(work.account, ENVIRONMENT, work.name)
    if any(CLUSTER not in stack.tags for stack in tagged):
        return ENVIRONMENT
    if stacks_tagged(work.account, CLUSTER, work.name):
        return CLUSTER
    owns = replace(work, tag=ENVIRONMENT).owns
    return ENVIRONMENT if data_stores(work.account, work.name, owns) else CLUSTER


@contextmanager
def locked(work: Work, what: str) -> Iterator[None]:
    """Hold the lock. Every event asks whether it is still held."""
    with Lock(work.account, work.bucket, work.name, what, work.tell) as lock:
        listener = work.listener

        def checked(event: Event) -> None:
            if event.kind != "failed":  # which ends the work, and says why
                lock.refuse_lost()
            listener(event)

        work.listener = checked
        try:
            yield
        finally:
            work.listener = listener
