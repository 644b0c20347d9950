"""No metric of a node has a label that changes with what the node does: each change would be a new series."""

from __future__ import annotations

import pytest

from trainyard.monitoring.registry import registries, registry

# The state of one node, its reason and its problems are what these say, in one series at a time, or in one a state.
SAY_IT = {
    "slurm_node_status": {"status"},
    "slurm_node_drain_reason_info": {"reason"},
    "trainyard_health_check": {"status"},
    "trainyard_nccl_ras_gpus_missing": {"reason"},
    "trainyard_health_problem": {"status"},
}
CHANGES = {"status", "state", "reason", "since", "version"}


@pytest.mark.parametrize("file", registries())
def test_no_label_changes_with_the_state_of_a_node(file: str):
    of_nodes = {name: labels for name, labels in registry(file).items() if _is_of_a_node(file, labels)}
    found = {name: set(labels & CHANGES) for name, labels in of_nodes.items() if labels & CHANGES}
    assert {name: labels for name, labels in found.items() if SAY_IT.get(name) != labels} == {}


def _is_of_a_node(file: str, labels: frozenset[str]) -> bool:
    """Say whether one node makes the series: those of Slurm and of timers stand for the cluster where none is named."""
    return file != "collectors" and ("node" in labels or not file.startswith(("slurm", "timers")))
