"""A cluster whose metrics are to be verified: a keeper that answers what it is told to, and an account in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tests.edge.aws.in_memory import StandingClock
from trainyard.edge.aws.account import Account
from trainyard.edge.prometheus_api import Sample
from trainyard.errors import TrainyardError
from trainyard.finding import Finding
from trainyard.operate.monitoring.verify.in_account import InAccount, ScrapedInstance
from trainyard.operate.monitoring.verify.subject import Situation
from trainyard.platforms.parallelcluster.node_discovery import node_of_tags
from trainyard.spec.cluster import Spec
from trainyard.spec.parsing import parse

SPEC = """\
name: llm
region: us-east-2
platform: parallelcluster
network: {availability_zone: us-east-2a}
login_nodes: {count: 1, instance_type: m5.large}
queues:
  - {name: gpu, instance_type: p5.48xlarge, nodes: 2, capacity: on-demand}
  - {name: cpu, instance_type: m5.large, nodes: {min: 0, max: 4}, capacity: on-demand, setup: cpu}
software: {setup: gpu}
monitoring: {mode: amp-only}
"""
HOUR_S = 3600.0
HEAD, LOGIN, FIRST, SECOND = (f"i-{number:017x}" for number in (1, 2, 3, 4))
PORTS = {"node-exporter": 9100, "dcgm-exporter": 9400, "trainyard-node": 9341}
ONE_SECURITY_GROUP = {
    "sg-1": {
        "IpPermissions": [{"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": "sg-1"}]}],
        "IpPermissionsEgress": [{"IpProtocol": "-1", "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}],
    }
}


class FakeKeeper:
    """Answers `up` as it is told to, other expressions by what stands in them, and everything else with nothing."""

    url = "http://localhost:9090"

    def __init__(self, up: Sequence[Sample] = (), answers: dict[str, float] | None = None) -> None:
        self.up = list(up)
        self.answers = answers or {}
        self.groups: list[dict[str, Any]] = []
        self.asked: list[str] = []
        self.reachable = True

    def query(self, expr: str, at_s: float | None = None) -> list[Sample]:
        self.asked.append(expr)
        if expr.startswith("up{"):
            return self.up
        found = [value for part, value in self.answers.items() if part in expr]
        return [Sample({}, at_s or 0.0, found[0])] if found else []

    def rules(self) -> list[dict[str, Any]]:
        return self.groups

    def expect_ready(self) -> None:
        if not self.reachable:
            raise TrainyardError(f"no Prometheus answers at {self.url}", hint="is the port forwarded?")


def spec(text: str = SPEC) -> Spec:
    return parse(text, "cluster.yaml").spec


def up(job: str, instance_id: str, node_type: str = "Compute", value: float = 1, **labels: str) -> Sample:
    """Return what Prometheus says of a target."""
    number = _number(instance_id)
    queue = {"queue": "gpu"} if node_type == "Compute" else {}
    known = {
        "job": job, "instance_id": instance_id, "node_type": node_type, "node_name": f"ip-10-0-0-{number}",
        "instance": f"10.0.0.{number}:{PORTS[job]}", "cluster": "llm", "instance_type": "m5.large", **queue, **labels,
    }  # fmt: skip
    return Sample(known, 0.0, value)


def _number(instance_id: str) -> int:
    return int(instance_id.removeprefix("i-"), base=16)


def whole() -> list[Sample]:
    """Return all targets, which all answer."""
    computes = [up(job, one) for one in (FIRST, SECOND) for job in PORTS]
    head = [up(job, HEAD, "HeadNode") for job in ("node-exporter", "trainyard-node")]
    return [*head, up("node-exporter", LOGIN, "LoginNode"), *computes]


def instance(id_: str, node_type: str = "Compute", *, age_s: float = HOUR_S, **more: Any) -> ScrapedInstance:
    """Return an instance as ParallelCluster tags it."""
    tags = {"parallelcluster:cluster-name": "llm", "parallelcluster:node-type": node_type}
    if node_type == "Compute":
        tags["parallelcluster:queue-name"] = "gpu"
    launched_s = StandingClock().now() - age_s
    address = f"10.0.0.{_number(id_)}"
    all_tags = {**tags, **more.pop("tags", {})}
    made = ScrapedInstance(
        id_, "running", all_tags, address, ("sg-1",), None, launched_s, *node_of_tags(all_tags, "llm")
    )
    return made._replace(**more)


def nodes() -> tuple[ScrapedInstance, ...]:
    """Return the instances of the whole cluster."""
    return instance(HEAD, "HeadNode"), instance(LOGIN, "LoginNode"), instance(FIRST), instance(SECOND)


def in_account(instances: Sequence[ScrapedInstance] | None = None, **outputs: str) -> InAccount:
    """Return an account that has these instances, in one security group that lets its own in."""
    known = InAccount(Account("us-east-2", clock=StandingClock()), spec(), outputs)
    known.instances = tuple(nodes() if instances is None else instances)
    known.groups = ONE_SECURITY_GROUP
    return known


def found(
    check: Callable[[Situation], Iterator[Finding]], keeper: FakeKeeper | None = None, account: InAccount | None = None
) -> list[tuple[str, str, str]]:
    """Return severity, id and message of what a check finds."""
    situation = Situation(spec(), keeper or FakeKeeper(whole()), account)
    return [(finding.severity, finding.id, finding.message) for finding in check(situation)]
