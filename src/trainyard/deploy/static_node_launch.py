"""Whether EC2 has launched the nodes that always run: a fleet is RUNNING also where none of its nodes is."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from trainyard.deploy.release_notice import not_told
from trainyard.deploy.withheld_nodes import held_back
from trainyard.deploy.work import Work
from trainyard.edge.aws.nodes import nodes
from trainyard.finding import Finding
from trainyard.spec.node_group import NodeGroup

_POLL_S = 10.0
# The head node launches what is missing once a minute: _LOOP_TIME_S of clustermgtd in
# https://github.com/aws/aws-parallelcluster-node/blob/develop/src/slurm_plugin/clustermgtd.py
_POLLS = 30


class Missing(NamedTuple):
    """Static nodes of one kind that EC2 has not launched."""

    group: NodeGroup
    launched: int

    def __str__(self) -> str:
        """Say it in a few words."""
        group = self.group
        kinds = " or ".join(group.instance_types)
        return f"{self.launched} of the {group.min_nodes} nodes of queue {group.queue.name} ({kinds})"


def await_launch(work: Work) -> list[Missing]:
    """Wait until EC2 has launched the static nodes, and return those that it has not after five minutes."""
    told = ""
    missing = missing_nodes(work)
    for _ in range(_POLLS):
        if not missing:
            break
        text = "; ".join(map(str, missing))
        if text != told:
            work.tell(f"EC2 has launched {text}")
            told = text
        work.account.clock.sleep(_POLL_S)
        missing = missing_nodes(work)
    return missing


def not_launched(missing: Missing, work: Work) -> Finding:
    """Return the finding about nodes that are missing."""
    message = f"EC2 has launched {missing} within {_POLL_S * _POLLS / 60:.0f} minutes of the start of the fleet"
    remedy = (
        f"see why: `trainyard diagnose {work.name}`; the head node goes on trying, until ParallelCluster protects the "
        "cluster from a queue whose nodes keep failing"
    )
    return not_told("static-nodes-not-launched", message, remedy, work.name)


def missing_nodes(work: Work) -> list[Missing]:
    """Return the static nodes that are not there right now."""
    there = Counter(
        (node.queue, node.compute_resource)
        for node in nodes(work.account, work.name)
        if node.role == "Compute" and node.state in ("pending", "running")
    )
    groups = held_back(work.wanted())
    counted = [Missing(group, there[group.queue.name, group.name]) for group in groups]
    return [one for one in counted if one.launched < one.group.min_nodes]
