"""What a spec would do to the queues of a cluster of AWS Batch that exists: looked at before anything is touched.

The rest of an update is CloudFormation's, which changes compute environments in place and waits for their jobs.
"""

from __future__ import annotations

from trainyard.deploy.step import Outcome, Probe
from trainyard.deploy.steps.stack import refuse_foreign
from trainyard.deploy.work import Work
from trainyard.edge.aws.stacks import find_stack, refuse_stuck
from trainyard.errors import TrainyardError
from trainyard.platforms.batch import BATCH
from trainyard.platforms.batch.deployment.cluster import job_queues, jobs_in
from trainyard.platforms.batch.rendering.names import job_queue

_MOST_SHOWN = 3


class BatchChanges:
    """Lets a deployment go on where no queue changes its place, and none goes that has jobs."""

    name = "changes"
    title = "what the spec changes of a cluster that exists"

    def probe(self, work: Work) -> Probe:
        """Say whether there is a cluster already."""
        stack_state = find_stack(work.account, BATCH.cluster_stack(work.name))
        return Probe("missing", "no cluster yet") if stack_state is None else Probe("there", stack_state.status)

    def apply(self, work: Work) -> Outcome:
        """Raise TrainyardError where CloudFormation could not do it, or would end jobs."""
        stack_state = find_stack(work.account, BATCH.cluster_stack(work.name))
        refuse_foreign(stack_state, work)
        if stack_state is None:
            return Outcome(changed=False, detail="no cluster yet")
        refuse_stuck(stack_state)
        there, wanted = job_queues(stack_state), _wanted(work)
        _refuse_moved(there, wanted)
        gone = [name for name in there.values() if name not in wanted.values()]
        _refuse_busy(work, gone)
        new = [name for name in wanted.values() if name not in there.values()]
        parts = (("new queues", new), ("queues that go", gone))
        said = "; ".join(f"{what}: {', '.join(names)}" for what, names in parts if names)
        return Outcome(changed=False, detail=said if there else stack_state.status)

    def undo(self, work: Work) -> Outcome:
        """Do nothing."""
        del work
        return Outcome(changed=False)


def _wanted(work: Work) -> dict[str, str]:
    """Return the names of the queues by the outputs that they will be."""
    spec = work.required_spec()
    queues = enumerate(spec.queues, 1)
    return {f"JobQueue{number if number > 1 else ''}": job_queue(spec, queue.name) for number, queue in queues}


def _refuse_moved(there: dict[str, str], wanted: dict[str, str]) -> None:
    """Refuse another order: two queues cannot bear one name, not even while CloudFormation changes the one.

    https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-properties-name.html
    """
    places = {name: output for output, name in there.items()}
    moved = [name for output, name in wanted.items() if places.get(name, output) != output]
    if moved:
        order = ", ".join(there.values())
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
