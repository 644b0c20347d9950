"""The compute nodes as those of Amazon EKS: what its agent scrapes of them, and the keeper that it writes to.

Pods mount the shared file systems there, so that no exporter of a node tells of them, and there is no head node.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from tests.monitoring.clusters import spec_of
from tests.monitoring.other_nodes import discovered, without_kubernetes
from tests.monitoring.prometheus import Prometheus
from tests.monitoring.whole_cluster.cluster import KEEPER_OPTIONS, load_rules, started
from tests.monitoring.whole_cluster.exporters import TRAINYARD_NODE, Expositions, exporters
from tests.monitoring.whole_cluster.faults import Faults
from tests.monitoring.whole_cluster.nodes import COMPUTE, Node
from tests.node.collectors.job_tree import allocate, run_pod
from tests.node.doubles import FakeClock, FakeProcesses
from trainyard.platforms.eks.rendering.monitoring_slots import agent_document
from trainyard.render.stand_ins import Ids
from trainyard_node.collectors.jobs import JobsCollector
from trainyard_node.collectors.prices import PricesCollector
from trainyard_node.machine import World
from trainyard_node.places import Places

SPEC = """\
name: eks-p5
region: us-east-1
platform: eks
network: {availability_zone: us-east-1a}
queues:
  - {name: gpu, instance_type: p5.48xlarge, nodes: 4, capacity: on-demand}
file_systems:
  - {mount: /fsx, lustre: {size_gib: 4800, throughput_mb_s_per_tib: 250}}
monitoring: {mode: amp-only}
"""
# What node_exporter says of mounts that nodes of EKS do not have, and of the NFS that they do not speak.
_OF_MOUNTS = re.compile(r'(?m)^(?:node_nfsd?_.*|.*fstype="(?:lustre|nfs4?)".*)\n')


@contextmanager
def eks_cluster(folder: Path, ids: Sequence[str] = ()) -> Iterator[tuple[Prometheus, float]]:
    """Start it, and yield the keeper once all has arrived twice, and when it began to judge.

    ``ids``: what the nodes are called in EC2, where an account has them.
    """
    expositions = Expositions(folder / "node", COMPUTE)
    with ExitStack() as running:
        network = running.enter_context(exporters(COMPUTE, _says(expositions, _jobs(folder / "jobs")), Faults()))
        keeper_config: dict[str, Any] = {"global": {}, "scrape_configs": []}
        keeper = running.enter_context(started(folder / "keeper", keeper_config, *KEEPER_OPTIONS))
        config = agent_document(spec_of(SPEC), Ids({}))
        assert config is not None
        # Signed or not, who keeps the samples here asks nobody who they are.
        config["remote_write"] = [{"url": f"{keeper.url}/api/v1/write", "queue_config": {"batch_send_deadline": "1s"}}]
        nodes = [discovered(node.number, "gpu", network) for node in COMPUTE]
        for node, id_ in zip(nodes, ids, strict=False):
            node["labels"]["__meta_kubernetes_node_provider_id"] = f"aws:///us-east-1a/{id_}"
        running.enter_context(started(folder / "agent", without_kubernetes(config, *nodes)))
        targets = 1 + sum(len(node.ports) for node in COMPUTE)
        keeper.wait_for("count(count_over_time(up[5m]) >= 2)", lambda found: found == {(): targets})
        yield keeper, load_rules(keeper, folder / "keeper")


def _says(expositions: Expositions, jobs: str) -> Callable[[Node, int], str]:
    def says(node: Node, port: int) -> str:
        return _OF_MOUNTS.sub("", expositions.of(node, port)) + (jobs if port == TRAINYARD_NODE else "")

    return says


def _jobs(root: Path) -> str:
    """Return what a node says of the job that all of them have, and of its own price."""
    run_pod(root, "llm-worker-0", "uid-1")
    allocate(root, ["uid-1"])
    clock = FakeClock()
    world = World(Places(str(root)), clock, FakeProcesses(clock))
    world.places.node_env.parent.mkdir(parents=True)
    world.places.node_env.write_text("TRAINYARD_LIST_PRICES='gpu:p5.48xlarge:on-demand:55.04'\n")
    return "".join(collector.collect().text() for collector in (JobsCollector(world), PricesCollector(world)))
