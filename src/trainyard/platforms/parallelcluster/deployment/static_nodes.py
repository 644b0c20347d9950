"""The nodes that the cluster was made without: started by an update, when nothing waits for them any more.

ParallelCluster raises a minimum only while the fleet is stopped, unless the queue update strategy is TERMINATE:
https://docs.aws.amazon.com/parallelcluster/latest/ug/Scheduling-v3.html#yaml-Scheduling-SlurmQueues-ComputeResources-MinCount
Nothing runs there yet, so it is stopped and started around the update.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from trainyard.bundle.config_text import config_text
from trainyard.counts import count_text
from trainyard.deploy.expired_capacity import leave_out_ended
from trainyard.deploy.release_notice import not_told
from trainyard.deploy.step import Probe, StepOutcome
from trainyard.deploy.withheld_nodes import withheld_nodes
from trainyard.deploy.work import Work
from trainyard.edge.aws.nodes import nodes
from trainyard.edge.aws.stacks import find_stack
from trainyard.finding import Finding
from trainyard.platforms.parallelcluster.deployment.cluster import final_config
from trainyard.platforms.parallelcluster.deployment.fleet import is_fleet_stopped, start_fleet, stop_fleet
from trainyard.platforms.parallelcluster.deployment.update import update
from trainyard.spec.node_group import NodeGroup

_LAUNCH_POLL_S = 10.0
# The head node launches what is missing once a minute: _LOOP_TIME_S of clustermgtd in
# https://github.com/aws/aws-parallelcluster-node/blob/develop/src/slurm_plugin/clustermgtd.py
_LAUNCH_POLLS = 30


class MissingNodes(NamedTuple):
    """Static nodes of one kind that EC2 has not launched."""

    group: NodeGroup
    launched: int

    def __str__(self) -> str:
        """Say it in a few words."""
        group = self.group
        kinds = " or ".join(group.instance_types)
        return f"{self.launched} of the {count_text(group.min_nodes, 'node')} of queue {group.queue.name} ({kinds})"


class StaticNodes:
    """Raises the minimum of those nodes to what the spec says."""

    name = "static-nodes"
    title = "nodes that always run"

    def probe(self, work: Work) -> Probe:
        """Say which nodes it is about, and whether they run where the cluster is there already."""
        names = _names(work)
        if not names:
            return Probe("there", "none that the head node would wait for")
        cluster = find_stack(work.account, work.name)
        return Probe("missing" if cluster is None or missing_nodes(work) else "there", names)

    def apply(self, work: Work) -> StepOutcome:
        """Update the cluster to its final configuration."""
        stopped = is_fleet_stopped(work)
        if not work.nodes_to_start and not stopped:
            return StepOutcome(changed=False, detail="none is missing")
        parallelcluster = work.pcluster(work.required_spec().parallelcluster.version)
        if work.nodes_to_start:
            leave_out_ended(work)
            stop_fleet(work, parallelcluster)
            update(work, parallelcluster, config_text(work.required_spec(), final_config(work)))
        start_fleet(work, parallelcluster)
        if work.options.replaces is not None:
            waits = f"{_names(work)}, once {work.options.replaces} has left their capacity"
            return StepOutcome(changed=True, detail=waits)
        missing = await_launch(work)
        work.findings += [not_launched(nodes_missing, work) for nodes_missing in missing]
        detail = f"{_names(work)}; not all have been launched" if missing else _names(work)
        return StepOutcome(changed=True, detail=detail)

    def undo(self, work: Work) -> StepOutcome:
        """Do nothing: they go with the cluster."""
        del work
        return StepOutcome(changed=False)


def _names(work: Work) -> str:
    groups = withheld_nodes(work.required_spec())
    return ", ".join(f"{group.min_nodes} × {' or '.join(group.instance_types)}" for group in groups)


def await_launch(work: Work) -> list[MissingNodes]:
    """Wait until EC2 has launched the static nodes, and return those that it has not after five minutes."""
    reported = ""
    missing = missing_nodes(work)
    for _ in range(_LAUNCH_POLLS):
        if not missing:
            break
        text = "; ".join(map(str, missing))
        if text != reported:
            work.tell(f"EC2 has launched {text}")
            reported = text
        work.account.clock.sleep(_LAUNCH_POLL_S)
        missing = missing_nodes(work)
    return missing


def not_launched(missing: MissingNodes, work: Work) -> Finding:
    """Return the finding about nodes that are missing."""
    minutes = _LAUNCH_POLL_S * _LAUNCH_POLLS / 60
    message = f"EC2 has launched {missing} within {minutes:.0f} minutes of the start of the fleet"
    remedy = (
        f"see why: `trainyard diagnose {work.name}`; the head node goes on trying, until ParallelCluster protects the "
        "cluster from a queue whose nodes keep failing"
    )
    return not_told("static-nodes-not-launched", message, remedy, work.name)


def missing_nodes(work: Work) -> list[MissingNodes]:
    """Return the static nodes that are not there right now."""
    launched = Counter(
        (node.queue, node.compute_resource)
        for node in nodes(work.account, work.name)
        if node.role == "Compute" and node.state in ("pending", "running")
    )
    groups = withheld_nodes(work.required_spec())
    launches = [MissingNodes(group, launched[group.queue.name, group.name]) for group in groups]
    return [launch for launch in launches if launch.launched < launch.group.min_nodes]
