"""What the spec would change of a cluster that exists: asked of ParallelCluster before anything else is touched."""

from __future__ import annotations

from trainyard.counts import count_text
from trainyard.deploy.preflight_step import known_outputs
from trainyard.deploy.running_nodes import RunningNodes
from trainyard.deploy.step import Probe, StepOutcome
from trainyard.deploy.steps.release import release_so_far
from trainyard.deploy.steps.reservation_groups import known_groups
from trainyard.deploy.work import Work
from trainyard.edge.aws.stacks import StackState, find_stack, refuse_stuck
from trainyard.errors import TrainyardError
from trainyard.finding import Finding
from trainyard.platforms.parallelcluster.deployment.cluster import VERSION_TAG, settled_cluster_stack
from trainyard.platforms.parallelcluster.deployment.running_jobs import refuse_running_jobs
from trainyard.platforms.parallelcluster.deployment.update_plan import WAYS, refuse_update, update_plan
from trainyard.stop_request import side_by_side


class Changes:
    """Lets a deployment go on where ParallelCluster can change the cluster to what the spec says."""

    name = "changes"
    title = "what the spec changes of a cluster that exists"

    def probe(self, work: Work) -> Probe:
        """Say whether there is a cluster already."""
        stack_state = find_stack(work.account, work.name)
        return Probe("missing", "no cluster yet") if stack_state is None else Probe("there", stack_state.status)

    def apply(self, work: Work) -> StepOutcome:
        """Raise TrainyardError where the cluster cannot be changed so, or jobs would end without consent."""
        stack_state = settled_cluster_stack(work)
        if stack_state is None and work.required_spec().parallelcluster.adopted:
            raise TrainyardError(
                f"there is no cluster {work.name} in {work.account.region}, which the spec has adopted",
                where="parallelcluster.adopted",
                hint="correct its name and region; or remove the key, and trainyard makes a cluster with its own tags",
            )
        if stack_state is None:
            return StepOutcome(changed=False, detail="no cluster yet")
        refuse_stuck(stack_state)
        if not stack_state.usable:
            return StepOutcome(changed=False, detail=stack_state.status)
        _refuse_other_version(work, stack_state)
        work.outputs.update({**known_outputs(work), **known_groups(work), "AssetsBucket": work.bucket})
        work.cluster_update, work.untold = side_by_side(lambda: update_plan(work), lambda: _untold(work))
        if work.cluster_update is None:
            return StepOutcome(changed=False, detail="nothing of the cluster itself" if work.untold else "nothing")
        for line in work.cluster_update.lines():
            work.tell(line)
        if work.nodes_to_start:
            return StepOutcome(changed=False, detail="nodes that are to run always are still to be started")
        refuse_update(work, work.cluster_update)
        refuse_running_jobs(work, work.cluster_update)
        count = len(work.cluster_update.changes)
        return StepOutcome(changed=False, detail=count_text(count, "change"))

    def undo(self, work: Work) -> StepOutcome:
        """Do nothing."""
        del work
        return StepOutcome(changed=False)


def _untold(work: Work) -> tuple[Finding, ...]:
    """Return which nodes will have to be told: what they carry out is no part of ParallelCluster's configuration."""
    release = release_so_far(work)
    return () if release is None else RunningNodes(work, release).untold()


def _refuse_other_version(work: Work, stack: StackState) -> None:
    """Raise TrainyardError where the spec asks for another ParallelCluster: a cluster keeps the one that made it."""
    version = work.required_spec().parallelcluster.version
    there = stack.tags.get(VERSION_TAG, version)
    if there != version:
        raise TrainyardError(
            f"cluster {work.name} was made by ParallelCluster {there}, and no cluster moves to another version",
            where="parallelcluster.version",
            hint=WAYS,
        )
