"""A cluster as EC2, its nodes and its spec describe it, without any account; and the same planted in one."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from tests.operate.status.planted import IMAGE
from trainyard.deploy.node_record import BadRecordError, read_record
from trainyard.deploy.record import Deployment, write_record
from trainyard.edge.aws import s3
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.nodes import ClusterNode
from trainyard.operate.nodes.bucket_records import Readings, RecordReading
from trainyard.operate.nodes.cluster_nodes import ClusterNodes, ClusterPlace, compare_nodes
from trainyard.operate.nodes.expected_nodes import expected_of
from trainyard.operate.nodes.findings import with_findings
from trainyard.operate.nodes.node_query import of_node, of_queue

BUCKET = "ml-bucket"
FOLDER = "trainyard/llm/nodes/arn:aws:ec2:us-east-2:123456789012:instance"
CURRENT, FORMER = "a" * 64, "b" * 64
POINTER = f"{CURRENT}  node-release.tar\n".encode()
HEAD, LOGIN, COMPUTE, GONE = (f"i-{number:017x}" for number in (1, 2, 3, 0xDEAD))
NOON = 1795262400.0
SPEC = """\
name: llm
region: us-east-2
platform: parallelcluster
network: {availability_zone: us-east-2a}
login_nodes: {count: 1}
queues:
  - {name: gpu, instance_type: p5.48xlarge, nodes: {min: 1, max: 2}}
  - {name: cpu, instance_type: m5.large, nodes: {min: 0, max: 4}}
software: {setup: cpu}
timeouts: {head_node_s: 3600, compute_node_s: 2400}
"""
DEPLOYMENT = Deployment("llm", "us-east-2", "deployed", "0.0.1", "3.16.1", SPEC, None, "2026-11-21T12:00:00+00:00")


def step(name: str = "efa", status: str = "done", **more: Any) -> dict[str, Any]:
    return {
        "name": name, "status": status, "required": True, "deferred": False, "attempts": 1,
        "started": "2026-11-21T12:00:00Z", "seconds": 1.5, "exit_status": 0, "message": None, **more,
    }  # fmt: skip


def failed(message: str = "no route to S3", name: str = "efa", **more: Any) -> dict[str, Any]:
    return step(name, "failed", exit_status=69, message=message, **more)


def record(instance_id: str, status: str = "ready", **more: Any) -> dict[str, Any]:
    """Return the record of a compute node, or of another role under a host name that EC2 does not give to anybody."""
    more = {"hostname": f"the-{more['role']}", **more} if "role" in more else more
    return {
        "schema": 1, "cluster": "llm", "instance_id": instance_id, "instance_type": "p5.48xlarge",
        "role": "compute-gpu", "queue": "gpu", "hostname": "gpu-st-p5-48xlarge-1", "release": CURRENT,
        "status": status, "message": "", "started": "2026-11-21T12:00:00Z", "seconds": 41.5, "steps": [step()],
        "earlier": [], **more,
    }  # fmt: skip


def node(instance_id: str, role: str = "Compute", **more: Any) -> ClusterNode:
    """Return an instance that was launched at noon."""
    queue = {"queue": "gpu", "compute_resource": "p5-48xlarge"} if role == "Compute" else {"queue": None}
    known = {
        "instance_type": "p5.48xlarge", "state": "running", "zone": "us-east-2a", "private_address": None,
        "launched": datetime.fromtimestamp(NOON, UTC).isoformat(), **queue, **more,
    }  # fmt: skip
    return ClusterNode(instance_id, role, **known)


class Planted:
    """A cluster just deployed: a head node, a login node and a compute node that have not reported yet."""

    def __init__(self) -> None:
        self.now = NOON
        self.deployment: Deployment | None = DEPLOYMENT
        self.pointer: bytes | None = POINTER
        self.nodes = {HEAD: node(HEAD, "HeadNode"), LOGIN: node(LOGIN, "LoginNode", pool="login")}
        self.nodes[COMPUTE] = node(COMPUTE)
        self.written: dict[str, bytes] = {}

    def write(self, instance_id: str, status: str = "ready", **more: Any) -> None:
        at = self.nodes.get(instance_id)
        if at is not None and at.queue and "role" not in more:
            own = {"queue": at.queue, "instance_type": at.instance_type}
            more = {**own, "hostname": f"{at.queue}-st-{at.compute_resource}-1", **more}
        self.written[instance_id] = json.dumps(record(instance_id, status, **more)).encode()

    def come_up(self) -> None:
        self.write(HEAD, role="head", queue="", hostname="ip-10-0-0-1")
        self.write(LOGIN, role="login", queue="", hostname="ip-10-0-0-2")
        self.write(COMPUTE)

    def look(self, queue: str | None = None, node: str | None = None, unread: int = 0) -> ClusterNodes:
        readings = {id_: _reading(id_, content) for id_, content in self.written.items()}
        wanted = expected_of(self.deployment, self.pointer)
        instances = tuple(self.nodes.values())
        nodes = compare_nodes(
            ClusterPlace("llm", "us-east-2", BUCKET, FOLDER), self.now, instances, Readings(readings, unread), wanted
        )
        nodes = nodes if queue is None else of_queue(nodes, queue)
        return with_findings(nodes if node is None else of_node(nodes, node))


def _reading(instance_id: str, content: bytes) -> RecordReading:
    try:
        return RecordReading(instance_id, "tag", NOON, read_record(content, instance_id), None)
    except BadRecordError as error:
        return RecordReading(instance_id, "tag", NOON, None, str(error))


def plant(account: Account, bucket: str = BUCKET) -> tuple[str, str, str]:
    """Plant such a cluster in an account, and return the ids of its head node, login node and compute node."""
    s3.put(account, bucket, "trainyard/llm/release", POINTER)
    write_record(account, bucket, DEPLOYMENT)
    login = launch(account, "LoginNode", login_nodes_pool_name="login")
    compute = launch(account, "Compute", queue_name="gpu", compute_resource_name="p5-48xlarge")
    return launch(account, "HeadNode"), login, compute


def launch(account: Account, kind: str, **tags: str) -> str:
    """Launch an instance as ParallelCluster does, and return its id."""
    tagged = {"cluster-name": "llm", "node-type": kind, **{key.replace("_", "-"): one for key, one in tags.items()}}
    marks = [{"Key": f"parallelcluster:{key}", "Value": value} for key, value in tagged.items()]
    subnets = account.client("ec2").describe_subnets()["Subnets"]
    started = account.client("ec2").run_instances(
        ImageId=IMAGE,
        SubnetId=subnets[0]["SubnetId"],
        InstanceType="p5.48xlarge",
        MinCount=1,
        MaxCount=1,
        TagSpecifications=[{"ResourceType": "instance", "Tags": marks}],
    )
    return str(started["Instances"][0]["InstanceId"])


def put(account: Account, instance_id: str, content: dict[str, Any] | bytes, bucket: str = BUCKET) -> None:
    """Put a record where the node would."""
    text = content if isinstance(content, bytes) else json.dumps(content).encode()
    s3.put(account, bucket, f"{FOLDER}/{instance_id}.json", text)
