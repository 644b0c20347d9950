"""What dashboards expect of nodes is what nodes are told to send, for every architecture and any spec."""

from __future__ import annotations

import pytest
from hypothesis import given as drawn

from tests.architectures.by_platform import architectures_on
from tests.specs import spec_texts
from trainyard.api.new import new_spec
from trainyard.monitoring.cloudwatch_cluster import features_of_cluster
from trainyard.platforms.parallelcluster.rendering.cluster import cluster
from trainyard.render.cloudwatch_metrics import groups_of
from trainyard.render.nodes import node_kinds
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec
from trainyard.spec.parsing import parse

GROUPS = {"system": "system", "gpu": "gpu-metrics", "slurm": "slurm"}
ALL = "monitoring.cloudwatch_metrics=[system, gpu, efa, slurm]"


def told(spec: Spec) -> set[str]:
    """Return the groups that any kind of nodes sends, by the words of the dashboards."""
    groups = {one for kind in node_kinds(spec).values() for one in groups_of(spec, kind.role, kind.queue)}
    efa = {"efa-metrics"} if groups & {"efa", "efa-interfaces"} else set()
    return {GROUPS[group] for group in groups if group in GROUPS} | efa


def rendered(spec: Spec) -> set[str]:
    """Return what ParallelCluster's configuration says of compute nodes."""
    queues = cluster(spec, Ids({}))["Scheduling"]["SlurmQueues"]
    resources = [compute_resource for queue in queues for compute_resource in queue["ComputeResources"]]
    checks = any(resource.get("HealthChecks", {}).get("Gpu", {}).get("Enabled") for resource in resources)
    actions = any(queue.get("CustomActions") for queue in queues)
    return {*(["gpu-health-check"] if checks else []), *(["custom-actions"] if actions else [])}


def expected(spec: Spec) -> set[str]:
    ours = {*GROUPS.values(), "efa-metrics", "gpu-health-check", "custom-actions"}
    return set(features_of_cluster(spec)) & ours


@pytest.mark.parametrize("name", [architecture.name for architecture in architectures_on("parallelcluster")])
@pytest.mark.parametrize("changes", [[], [ALL]], ids=["as-it-is", "all-metrics"])
def test_every_architecture_sends_what_its_dashboards_show(name: str, changes: list[str]):
    spec = parse(new_spec(name, changes), "cluster.yaml").spec
    assert expected(spec) == told(spec) | rendered(spec)


@drawn(spec_texts())
def test_any_cluster_sends_what_its_dashboards_show(text: str):
    spec = parse(text, "cluster.yaml").spec
    if spec.platform == "parallelcluster":
        assert expected(spec) == told(spec) | rendered(spec)
