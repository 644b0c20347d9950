"""What the spec would change of a cluster that exists: asked of ParallelCluster before anything else is touched."""

from __future__ import annotations

from dataclasses import replace

from trainyard.bundle.config_text import config_text
from trainyard.counts import count_text
from trainyard.deploy.cluster_update import ClusterUpdate, RunningJobs
from trainyard.deploy.drift_review import refuse_overwriting
from trainyard.deploy.losses import refuse_losses
from trainyard.deploy.preflight_step import known_outputs
from trainyard.deploy.running_nodes import RunningNodes
from trainyard.deploy.step import Probe, StepOutcome
from trainyard.deploy.steps.release import release_so_far
from trainyard.deploy.steps.reservation_groups import known_groups
from trainyard.deploy.work import Work
from trainyard.edge.aws.nodes import nodes
from trainyard.edge.aws.stacks import StackState, find_stack, refuse_stuck
from trainyard.edge.pcluster_command import PclusterRefusedError
from trainyard.errors import TrainyardError
from trainyard.finding import Finding
from trainyard.platforms.parallelcluster.deployment.classification import cluster_update, config_for
from trainyard.platforms.parallelcluster.deployment.cluster import VERSION_TAG, settled_cluster_stack
from trainyard.platforms.parallelcluster.deployment.drift import overwritten_drift
from trainyard.platforms.parallelcluster.deployment.running_jobs import refuse_running_jobs, running_jobs
from trainyard.render.rendering import render
from trainyard.stop_request import side_by_side

_MINIMUM = ".MinCount"
_MOST_SHOWN = 5
_WAYS = (
    "nothing was touched; undo these changes, or give the spec another name and let `trainyard replace` make a second "
    "cluster that takes over"
)


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
        work.cluster_update, work.untold = side_by_side(lambda: _update_of(work), lambda: _untold(work))
        if work.cluster_update is None:
            return StepOutcome(changed=False, detail="nothing of the cluster itself" if work.untold else "nothing")
        for line in work.cluster_update.lines():
            work.tell(line)
        if work.nodes_to_start:
            return StepOutcome(changed=False, detail="nodes that are to run always are still to be started")
        _refuse(work.cluster_update, work)
        refuse_overwriting(work, f"cluster {work.name}", tuple(map(str, work.cluster_update.overwrites)))
        refuse_losses(work, work.cluster_update.losses)
        refuse_running_jobs(work, work.cluster_update)
        count = len(work.cluster_update.changes)
        return StepOutcome(changed=False, detail=count_text(count, "change"))

    def undo(self, work: Work) -> StepOutcome:
        """Do nothing."""
        del work
        return StepOutcome(changed=False)


def _update_of(work: Work) -> ClusterUpdate | None:
    """Return what the spec changes; None where nothing. Stand-ins take the place of what is not made yet."""
    spec = work.required_spec()
    rendering = render(spec, work.outputs)
    document = rendering.documents["cluster.yaml"]
    parallelcluster = work.pcluster(spec.parallelcluster.version)
    classified = parallelcluster.classify(work.name, config_text(spec, document))
    if not classified:
        return None
    update = cluster_update(spec, document, classified)
    if update.need == "refused":
        return replace(update, overwrites=overwritten_drift(work, document))
    asked = config_text(spec, config_for(document, update.need))
    verdict, overwrites, cluster_nodes, running = side_by_side(
        lambda: None if rendering.stand_ins else parallelcluster.dry_run(work.name, asked, update=True),
        lambda: overwritten_drift(work, document),
        lambda: nodes(work.account, work.name),
        lambda: running_jobs(work, update.queues) if update.queues else RunningJobs(),
    )
    only_minimums = all(change.parameter.endswith(_MINIMUM) for change in update.changes)
    work.nodes_to_start = only_minimums and not any(node.role == "Compute" for node in cluster_nodes)
    update = replace(update, overwrites=overwrites, running=running)
    # What is only refused because the fleet runs is no reason: it is stopped then.
    if verdict is not None and (
        any(message.level == "ERROR" for message in verdict.messages) or not (verdict.accepted or verdict.changes)
    ):
        work.cluster_update = update  # which is shown beside the reason
        raise PclusterRefusedError(verdict, where=work.name)
    return update


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
            hint=_WAYS,
        )


def _refuse(update: ClusterUpdate, work: Work) -> None:
    """Raise TrainyardError where ParallelCluster allows a change in no state of the cluster."""
    if update.need != "refused":
        return
    refused = [change for change in update.changes if change.need == "refused"]
    shown = "; ".join(f"{change.path}: {change.reason}" for change in refused[:_MOST_SHOWN])
    more = f"; and {len(refused) - _MOST_SHOWN} more" if len(refused) > _MOST_SHOWN else ""
    raise TrainyardError(
        f"cluster {work.name} exists, and the spec would change of it what ParallelCluster does not change: "
        f"{shown}{more}",
        where=refused[0].path if refused else work.name,
        hint=_WAYS,
    )
