"""A whole ParallelCluster cluster of p5.48xlarge, as Prometheus sees it.

``with whole_cluster(tmp_path, ill=True, faults={"closed-port"}) as cluster: cluster.ask("up")`` starts EC2's answer,
the exporters of a head node, a login node and four compute nodes with a job over three of them, the real Prometheus of
the head node with our configuration, and a second one that everything is written to and that has our alerts.
What the exporters say was recorded of real programs (recorded/, by record_*.py) or comes from our real collectors;
only dcgm-exporter, which needs GPUs, is written after NVIDIA's documentation, and the clock is said to be kept, as it
is on nodes in AWS and was not where node_exporter was recorded. Counters grow at fixed rates.
The fixtures `p5_cluster`, with an ill GPU, and `healthy_cluster` are in tests/monitoring/conftest.py.
"""

from __future__ import annotations

from tests.monitoring.whole_cluster.cluster import WholeCluster, whole_cluster
from tests.monitoring.whole_cluster.faults import NAMED, Faults

__all__ = ["NAMED", "Faults", "WholeCluster", "whole_cluster"]
