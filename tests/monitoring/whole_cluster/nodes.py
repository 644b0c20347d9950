"""The nodes of the cluster: as EC2 knows them, and as Slurm names them."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.monitoring.fake_ec2 import Instance

SPEC = """\
name: p5-cluster
region: us-east-1
platform: parallelcluster
network: {availability_zone: us-east-1a}
head_node: {instance_type: m5.8xlarge}
login_nodes: {count: 1, instance_type: m5.large}
queues:
  - {name: gpu, instance_type: p5.48xlarge, nodes: 4, capacity: on-demand}
file_systems:
  - {mount: /fsx, lustre: {size_gib: 4800, throughput_mb_s_per_tib: 250}}
scratch: {mount: /scratch}
software: {setup: gpu}
monitoring: {mode: self-hosting}
"""


@dataclass(frozen=True, slots=True)
class Node:
    """A node that is scraped."""

    number: int
    """The last number of its address, as in `Instance`."""
    type: str
    node_type: str
    """ParallelCluster's name of its kind."""
    slurm_name: str = ""
    """Also the name of its host, as ParallelCluster has it."""
    busy: bool = False
    """Whether the job runs on it."""
    ill_gpu: int | None = None
    """The GPU that falls ill in a cluster that is ill."""
    lost_efa: str = ""
    """The EFA interface that is gone in a cluster that is ill."""
    host_label: str = "hostname"
    """How its dcgm-exporter calls the label: https://github.com/NVIDIA/dcgm-exporter/pull/655"""
    more_tags: dict[str, str] = field(default_factory=dict)

    def instance(self, network: str) -> Instance:
        """Return it as EC2 knows it, with addresses of a network of this machine."""
        tags = {"Name": self.node_type, "cluster-name": "p5-cluster", "node-type": self.node_type, **self.more_tags}
        named = {name if name == "Name" else f"parallelcluster:{name}": value for name, value in tags.items()}
        return Instance(self.number, self.type, named, network=network)

    @property
    def host(self) -> str:
        """What the kernel calls it."""
        return self.slurm_name or f"ip-10-0-16-{self.number}"

    @property
    def ports(self) -> tuple[int, ...]:
        """Where its exporters listen."""
        return {"HeadNode": (9100, 9341), "Compute": (9100, 9400, 9341), "LoginNode": (9100,)}[self.node_type]


_QUEUE = {"queue-name": "gpu", "compute-resource-name": "p5-48xlarge"}
HEAD = Node(4, "m5.8xlarge", "HeadNode")
LOGIN = Node(5, "m5.large", "LoginNode", more_tags={"login-nodes-pool-name": "login"})
# ParallelCluster's names of nodes that stay:
# https://docs.aws.amazon.com/parallelcluster/latest/ug/slurm-workload-manager-v3.html
COMPUTE = (
    Node(6, "p5.48xlarge", "Compute", "gpu-st-p5-48xlarge-1", busy=True, host_label="Hostname", more_tags=_QUEUE),
    Node(7, "p5.48xlarge", "Compute", "gpu-st-p5-48xlarge-2", busy=True, more_tags=_QUEUE),
    Node(8, "p5.48xlarge", "Compute", "gpu-st-p5-48xlarge-3", busy=True, ill_gpu=3, more_tags=_QUEUE),
    Node(
        9, "p5.48xlarge", "Compute", "gpu-st-p5-48xlarge-4",
        lost_efa="rdmap201s0", host_label="Hostname", more_tags=_QUEUE,
    ),
)  # fmt: skip
NODES = (HEAD, LOGIN, *COMPUTE)
