"""How a second cluster of ParallelCluster takes over from one that no update changes."""

from __future__ import annotations

from collections.abc import Collection

from trainyard.deploy.replacement_loss import ReplacementLoss
from trainyard.deploy.step import DeploymentStep
from trainyard.deploy.work import Work
from trainyard.edge.aws.parallelcluster import cluster_config
from trainyard.errors import TrainyardError
from trainyard.platforms.parallelcluster.replacement.losses import losses as losses_between
from trainyard.platforms.parallelcluster.replacement.partitions import is_inactive, partitions_of
from trainyard.platforms.parallelcluster.replacement.queue_move import QueueMove
from trainyard.render.rendering import render


def losses(former: Work, successor: Work) -> list[ReplacementLoss]:
    """Return what the former cluster has and the second would not have.

    Raises TrainyardError where the configuration of the former cannot be read.
    """
    config = _config(former)
    new = render(successor.required_spec(), successor.outputs).documents["cluster.yaml"]
    return list(losses_between(config, new))


def steps(former: Work, successor: Work, queues: Collection[str] = ()) -> list[DeploymentStep]:
    """Return the steps that move queues, those that are named or all of them, in the order of the former's."""
    names = [queue["Name"] for queue in _config(former)["Scheduling"]["SlurmQueues"]]
    if unknown := sorted(set(queues) - set(names)):
        raise TrainyardError(
            f"{former.name} has no queue {', '.join(unknown)}", where="--queue", hint=f"it has {', '.join(names)}"
        )
    return [QueueMove(name, successor) for name in names if not queues or name in queues]


def open_queues(former: Work) -> list[str]:
    """Return the queues of which the former cluster may still have jobs or nodes."""
    states = partitions_of(former.name, former.account).states()
    return [queue for queue, state in states.items() if not is_inactive(state)]


def _config(former: Work) -> dict:  # type: ignore[type-arg]
    config = cluster_config(former.account, former.name)
    if config is None:
        raise TrainyardError(f"nothing says what cluster {former.name} is made of", where=former.name)
    return dict(config)
