"""How much metrics nodes of EKS and AWS Batch make, against the same nodes in ParallelCluster."""

from __future__ import annotations

import pytest

from tests.monitoring.clusters import mixed, spec_of
from trainyard.launch.instance import instance
from trainyard.monitoring.agent_config import NodeSet, agent_sizing
from trainyard.monitoring.amp_price import amp_price
from trainyard.monitoring.node_series import agent_series, compute_series, facts
from trainyard.monitoring.sizing import sizings
from trainyard.platform_table import PLATFORMS

EACH_PLATFORM = pytest.mark.parametrize("platform", ["batch", "eks"])


def nodes_of(name: str, number: int, platform: str = "eks", *, gpus: bool) -> NodeSet:
    layout = PLATFORMS[platform].interface_layout
    assert layout is not None
    return NodeSet(instance(name, layout, efa=None), number, gpus)


def test_a_node_of_batch_makes_as_much_as_one_of_parallelcluster():
    gpu, cpu, _ = (compute_series(mixed(), group) or 0 for group in mixed().node_groups())
    nodes = [nodes_of("p5.48xlarge", 4, "batch", gpus=True), nodes_of("c5n.18xlarge", 2, "batch", gpus=False)]
    sizing = agent_sizing(nodes, all_host_metrics=False)
    assert sizing.nodes == 6
    assert sizing.series is not None
    # The interfaces are laid out differently; all else is the same.
    assert abs(sizing.series - (4 * gpu + 2 * cpu + agent_series())) <= 6 * 37


@EACH_PLATFORM
def test_gpus_add_what_dcgm_says_of_each(platform: str):
    plain, with_gpus = (
        agent_sizing([nodes_of("p5.48xlarge", 1, platform, gpus=gpus)], all_host_metrics=False)
        for gpus in (False, True)
    )
    assert plain.series is not None
    assert (
        with_gpus.series
        == plain.series + 8 * facts("series")["dcgm-exporter"]["gpu"] + facts("series")["scrape"]["target"]
    )


@EACH_PLATFORM
def test_what_the_catalog_does_not_know_leaves_the_sum_unknown_unless_there_is_none_of_it(platform: str):
    assert agent_sizing([nodes_of("x99.large", 1, platform, gpus=False)], all_host_metrics=False).series is None
    assert (
        agent_sizing([nodes_of("x99.large", 0, platform, gpus=False)], all_host_metrics=False).series == agent_series()
    )


def test_it_has_a_price():
    sizing = agent_sizing([nodes_of("p5.48xlarge", 100, gpus=True)], all_host_metrics=False)
    assert sizing.samples_per_s is not None
    price = amp_price(sizing.samples_per_s, "us-east-1")
    assert price is not None
    assert price.usd_month > 100


OTHER = """\
name: train
region: us-east-1
platform: PLATFORM
network: {availability_zone: us-east-1a}
queues:
  - {name: gpu, instance_type: p5.48xlarge, nodes: {min: 2, max: 4}, capacity: on-demand}
  - {name: cpu, instance_type: c5n.18xlarge, nodes: {min: 0, max: 3}, capacity: on-demand}
monitoring: {mode: amp-only}
"""


@EACH_PLATFORM
def test_plan_counts_its_nodes_and_the_agent_and_no_head_node(platform: str):
    least, most = sizings(spec_of(OTHER.replace("PLATFORM", platform)))
    gpu = nodes_of("p5.48xlarge", 4, platform, gpus=True)
    cpu = nodes_of("c5n.18xlarge", 3, platform, gpus=False)
    assert most == agent_sizing([gpu, cpu], all_host_metrics=False)
    assert least == agent_sizing([gpu._replace(number=2)], all_host_metrics=False)
