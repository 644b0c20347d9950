"""The steps of a cluster of AWS Batch, which is one more stack: nothing is published for its nodes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace

from trainyard.counts import count_text
from trainyard.deploy.cluster_update import RunningJobs
from trainyard.deploy.step import DeploymentStep, Probe, StepOutcome
from trainyard.deploy.steps.infrastructure import grafana_steps, stack_steps, steps_before_stacks
from trainyard.deploy.steps.key_pair import KeyPair
from trainyard.deploy.steps.stack import StackStep, refuse_foreign
from trainyard.deploy.work import Work
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.batch_queues import UnfinishedJob, close_queue, terminate, unfinished_jobs
from trainyard.edge.aws.stacks import StackState, find_stack, refuse_stuck
from trainyard.errors import TrainyardError
from trainyard.platforms.batch import BATCH
from trainyard.platforms.batch.rendering.documents import CLUSTER
from trainyard.platforms.batch.rendering.names import job_queue
from trainyard.render.cloudformation.stack import Kind
from trainyard.spec.cluster import Spec

_MOST_SHOWN = 3
_OUTPUT = re.compile(r"JobQueue\d*")
_REASON = "its cluster is destroyed"
_MOST_TOLD = 10
_POLL_S = 10.0
_POLLS = 60  # ten minutes; what ends later holds up its queue, for which CloudFormation waits


def steps_to_deploy(spec: Spec) -> list[DeploymentStep]:
    """Return them in order."""
    before = [BatchChanges(), *steps_before_stacks(spec), *stack_steps(spec)]
    return [*before, KeyPair(), BatchStack(), *grafana_steps(spec)]


def steps_to_destroy() -> list[DeploymentStep]:
    """Return the cluster's own stack."""
    return [BatchStack()]


def endpoints(spec: Spec) -> Iterator[str]:
    """Yield what the agent of ECS on each node asks.

    https://docs.aws.amazon.com/AmazonECS/latest/developerguide/vpc-endpoints.html
    """
    yield from ("s3", "ecs", "ecs-agent", "ecs-telemetry", "ecr.api", "ecr.dkr", "logs")
    if any(file_system.kind in ("lustre", "openzfs") for file_system in spec.file_systems):
        yield "fsx"  # nodes ask it for the addresses of what they mount


def permissions(spec: Spec) -> Iterator[str]:
    """Yield what Batch and its registry take."""
    del spec
    yield "batch"


def running_programs(work: Work) -> AbstractContextManager[None]:
    """Start nothing: CloudFormation makes the cluster."""
    del work
    return nullcontext()


def refuse_undeletable(work: Work) -> None:
    """Refuse nothing: the step of the stack leaves that of somebody else."""
    del work


def jobs_to_end(work: Work) -> RunningJobs:
    """Return the jobs that are not over in the queues of the cluster."""
    return RunningJobs(tuple(str(job) for job in jobs_of_cluster(work)))


class BatchChanges:
    """Lets a deployment go on where no queue changes its place, and none goes that has jobs."""

    name = "changes"
    title = "what the spec changes of a cluster that exists"

    def probe(self, work: Work) -> Probe:
        """Say whether there is a cluster already."""
        stack_state = find_stack(work.account, BATCH.cluster_stack(work.name))
        return Probe("missing", "no cluster yet") if stack_state is None else Probe("there", stack_state.status)

    def apply(self, work: Work) -> StepOutcome:
        """Raise TrainyardError where CloudFormation could not do it, or would end jobs."""
        stack_state = find_stack(work.account, BATCH.cluster_stack(work.name))
        refuse_foreign(stack_state, work)
        if stack_state is None:
            return StepOutcome(changed=False, detail="no cluster yet")
        refuse_stuck(stack_state)
        existing, expected = job_queues(stack_state), _expected_queues(work)
        _refuse_moved(existing, expected)
        gone = [name for name in existing.values() if name not in expected.values()]
        _refuse_busy(work, gone)
        new = [name for name in expected.values() if name not in existing.values()]
        parts = (("new queues", new), ("queues that go", gone))
        text = "; ".join(f"{what}: {', '.join(names)}" for what, names in parts if names)
        return StepOutcome(changed=False, detail=text if existing else stack_state.status)

    def undo(self, work: Work) -> StepOutcome:
        """Do nothing."""
        del work
        return StepOutcome(changed=False)


def _expected_queues(work: Work) -> dict[str, str]:
    """Return the names of the queues by the outputs that they will be."""
    spec = work.required_spec()
    queues = enumerate(spec.queues, 1)
    return {f"JobQueue{number if number > 1 else ''}": job_queue(spec, queue.name) for number, queue in queues}


def _refuse_moved(existing: dict[str, str], expected: dict[str, str]) -> None:
    """Refuse another order: two queues cannot bear one name, not even while CloudFormation changes the one.

    https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-properties-name.html
    """
    places = {name: output for output, name in existing.items()}
    moved = [name for output, name in expected.items() if places.get(name, output) != output]
    if moved:
        order = ", ".join(existing.values())
        raise TrainyardError(
            f"queue {moved[0]} exists and would change its place among the queues of the cluster",
            where="queues",
            hint=f"nothing was touched; keep them in the order {order}, and put new ones behind them",
        )


def _refuse_busy(work: Work, gone: list[str]) -> None:
    jobs = jobs_in(work.account, gone)
    if jobs:
        shown = ", ".join(map(str, jobs[:_MOST_SHOWN])) + (
            f" and {len(jobs) - _MOST_SHOWN} more" * (len(jobs) > _MOST_SHOWN)
        )
        raise TrainyardError(
            f"the spec no longer has a queue in which jobs are not over: {shown}",
            where="queues",
            hint="nothing was touched; wait for them, or end them with `aws batch terminate-job`",
        )


@dataclass(frozen=True)
class BatchStack(StackStep):
    """Made as the other stacks are."""

    kind: Kind = "batch"
    contents: str = CLUSTER.contents

    def undo(self, work: Work) -> StepOutcome:
        """End the jobs, then delete the stack. Its registry of images stays, as data does."""
        stack_state = find_stack(work.account, BATCH.cluster_stack(work.name))
        refuse_foreign(stack_state, work)
        ended = 0 if stack_state is None else _end_jobs(work, list(job_queues(stack_state).values()))
        outcome = super().undo(work)
        return replace(outcome, detail=f"{outcome.detail}, with {count_text(ended, 'job')} ended") if ended else outcome


def job_queues(stack: StackState) -> dict[str, str]:
    """Return the names of the queues by the outputs that they are: JobQueue, JobQueue2 and so on."""
    return {output: value.rpartition("/")[2] for output, value in stack.outputs.items() if _OUTPUT.fullmatch(output)}


def jobs_in(account: Account, queues: Iterable[str]) -> list[UnfinishedJob]:
    """Return the jobs that are not over."""
    return [job for queue in queues for job in unfinished_jobs(account, queue)]


def jobs_of_cluster(work: Work) -> list[UnfinishedJob]:
    """Return the jobs that destroying the cluster would end; none where it is not one of Batch."""
    stack = find_stack(work.account, BATCH.cluster_stack(work.name))
    return [] if stack is None or not work.owns(stack.tags) else jobs_in(work.account, job_queues(stack).values())


def _end_jobs(work: Work, queues: list[str]) -> int:
    """Let the queues take no more jobs, end those that they have, and return how many these were."""
    for queue in queues:
        close_queue(work.account, queue)
    jobs = jobs_in(work.account, queues)
    for number, job in enumerate(jobs):
        if number < _MOST_TOLD:
            work.tell(f"ends {job}")
        terminate(work.account, job, _REASON)
    if len(jobs) > _MOST_TOLD:
        work.tell(f"ends {count_text(len(jobs) - _MOST_TOLD, 'more job')}")
    _await_end(work, queues if jobs else [])
    return len(jobs)


def _await_end(work: Work, queues: list[str]) -> None:
    left = 0
    for _ in range(_POLLS):
        left = sum(len(unfinished_jobs(work.account, queue)) for queue in queues)
        if not left:
            return
        work.account.clock.sleep(_POLL_S)
    work.tell(
        f"{count_text(left, 'job is', 'jobs are')} still ending; CloudFormation waits before it deletes their queue"
    )
