"""What a spec changes of a cluster that exists, as ParallelCluster classifies it, and what of it is refused."""

from __future__ import annotations

from dataclasses import replace

from trainyard.bundle.config_text import config_text
from trainyard.deploy.cluster_update import ClusterUpdate, RunningJobs
from trainyard.deploy.drift_review import refuse_overwriting
from trainyard.deploy.losses import refuse_losses
from trainyard.deploy.work import Work
from trainyard.edge.aws.nodes import nodes
from trainyard.edge.pcluster_command import PclusterRefusedError
from trainyard.errors import TrainyardError
from trainyard.platforms.parallelcluster.deployment.classification import cluster_update, config_for
from trainyard.platforms.parallelcluster.deployment.drift import overwritten_drift
from trainyard.platforms.parallelcluster.deployment.running_jobs import running_jobs
from trainyard.render.rendering import render
from trainyard.stop_request import side_by_side

WAYS = (
    "nothing was touched; undo these changes, or give the spec another name and let `trainyard replace` make a second "
    "cluster that takes over"
)
_MINIMUM = ".MinCount"
_MOST_SHOWN = 5


def update_plan(work: Work) -> ClusterUpdate | None:
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


def refuse_update(work: Work, update: ClusterUpdate) -> None:
    """Raise TrainyardError where ParallelCluster allows no such update, or it takes away what nobody has given up."""
    _refuse_impossible(work, update)
    refuse_overwriting(work, f"cluster {work.name}", tuple(map(str, update.overwrites)))
    refuse_losses(work, update.losses)


def _refuse_impossible(work: Work, update: ClusterUpdate) -> None:
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
        hint=WAYS,
    )
