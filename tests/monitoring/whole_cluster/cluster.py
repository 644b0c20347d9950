"""The cluster as a whole: exporters, EC2, Prometheus on the head node, and the one that everything is written to."""

from __future__ import annotations

import time
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.monitoring.clusters import spec_of
from tests.monitoring.fake_ec2 import FakeAws, fake_aws
from tests.monitoring.prometheus import Prometheus, Series, real_prometheus
from tests.monitoring.whole_cluster.exporters import Expositions, exporters
from tests.monitoring.whole_cluster.faults import Faults, planted
from tests.monitoring.whole_cluster.nodes import NODES, SPEC, Node
from tests.monitoring.whole_cluster.rules import LONGEST_S, shortened_rules
from tests.monitoring.whole_cluster.stand_in import answering
from tests.slurm import free_ports
from trainyard.monitoring.prometheus_config import head_node_config, instance_config

VARIABLES = {
    "AWS_ACCESS_KEY_ID": "AKIDTEST", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_SESSION_TOKEN": "",
    "AWS_EC2_METADATA_DISABLED": "true",
}  # fmt: skip
KEEPER_OPTIONS = ("--web.enable-remote-write-receiver", "--web.enable-lifecycle")
# Instead of half a minute. More often, a busy machine does not always answer in time.
_EVERY = "2s"
# From a sample to the evaluation of a rule: a scrape, a write and an evaluation.
DELAY_S = 7.0
# Of Grafana and Alertmanager, only that they are there matters.
_BESIDE = 'some_build_info{version="1.2.3"} 1\n'
_ITSELF = "localhost:9090"


@dataclass(slots=True)
class WholeCluster:
    """What runs."""

    prometheus: Prometheus
    """On the head node, which scrapes."""
    keeper: Prometheus
    """On the instance of self-hosting, or the workspace: it has what was written to it, and evaluates the alerts."""
    ec2: FakeAws
    network: str
    """The first three numbers of the nodes' addresses."""
    expositions: Expositions
    judged_from_s: float = 0.0
    """Since when the keeper has judged what there is now, by `time.monotonic`."""

    def ask(self, query: str) -> Series:
        """Return what the keeper answers, as a dashboard gets it."""
        return self.keeper.ask(query)

    def fired(self) -> set[str]:
        """Return the alerts that have fired, once the one that waits longest would have, without the watchdog."""
        time.sleep(max(0.0, self.judged_from_s + LONGEST_S + DELAY_S - time.monotonic()))
        firing = self.ask('last_over_time(ALERTS{alertstate="firing"}[10m])')
        return {dict(series)["alertname"] for series in firing} - {"watchdog"}

    def fall_ill(self) -> None:
        """Let a GPU fall ill, and wait until the keeper knows it from the GPU, its node and Slurm."""
        self.expositions.fall_ill()
        self.keeper.wait_for(
            "max(DCGM_FI_DEV_XID_ERRORS) > 0 and min(trainyard_node_healthy) == 0 and sum(slurm_nodes_drain) == 2"
        )
        self.judged_from_s = time.monotonic()


@contextmanager
def whole_cluster(
    folder: Path,
    *,
    ill: bool = False,
    faults: Iterable[str | Faults] = (),
    nodes: Sequence[Node] = NODES,
) -> Iterator[WholeCluster]:
    """Start it, and wait until every target was scraped twice and arrived.

    ``ill``: a GPU falls ill once all is scraped, and a node loses an EFA interface. ``faults``: names of faults.py, or
    `Faults`. ``nodes``: of which it consists.
    """
    wrong, expositions = planted(faults), Expositions(folder / "node", nodes)
    with ExitStack() as running:
        network = running.enter_context(exporters(nodes, _says(expositions, wrong), wrong))
        instances = [node.instance(network) for node in nodes if node.number not in wrong.untagged]
        ec2 = running.enter_context(fake_aws(instances))
        keeper = running.enter_context(_keeper(folder / "keeper", running))
        writes_to = f"{keeper.url}/api/v1/write"
        if wrong.write_status is not None:
            writes_to = running.enter_context(answering(wrong.write_status))
        head = running.enter_context(_head(folder / "head", ec2.url, writes_to, wrong))
        cluster = WholeCluster(head, keeper, ec2, network, expositions)
        _wait_until_known(cluster, wrong.targets(nodes), written=wrong.write_status is None)
        cluster.judged_from_s = load_rules(keeper, folder / "keeper")
        if ill:
            cluster.fall_ill()
        yield cluster


def _says(expositions: Expositions, faults: Faults) -> Callable[[Node, int], str | None]:
    def says(node: Node, port: int) -> str | None:
        if (node.number, port) in faults.silent:
            return None
        text = expositions.of(node, port)
        for alter in faults.alter:
            text = alter(node, port, text)
        return text

    return says


@contextmanager
def _head(folder: Path, ec2_url: str, writes_to: str, faults: Faults) -> Iterator[Prometheus]:
    """Start what runs on the head node with its own configuration, but for EC2's place, and much more often."""
    config = head_node_config(spec_of(SPEC), writes_to)
    assert config is not None
    for job in config["scrape_configs"]:
        for discovery in job.get("ec2_sd_configs", ()):
            discovery |= {"endpoint": ec2_url, "refresh_interval": "1s"}
    (write,) = config["remote_write"]
    write["queue_config"]["batch_send_deadline"] = "1s"
    for configure in faults.configure:
        configure(config)
    with started(folder, config) as prometheus:
        yield prometheus


@contextmanager
def _keeper(folder: Path, running: ExitStack) -> Iterator[Prometheus]:
    """Start what runs on the instance of self-hosting, without rules, as nothing arrives yet."""
    config = instance_config(spec_of(SPEC))
    assert config is not None
    for target in _static_targets(config) - {_ITSELF}:
        stand_in = running.enter_context(answering(200, _BESIDE))
        _elsewhere(config, target, stand_in.removeprefix("http://"))
    with started(folder, config, *KEEPER_OPTIONS) as prometheus:
        yield prometheus


@contextmanager
def started(folder: Path, config: dict[str, Any], *options: str) -> Iterator[Prometheus]:
    """Start a Prometheus that scrapes and evaluates much more often than its configuration says."""
    folder.mkdir()
    (port,) = free_ports(1)
    config["global"] |= {"scrape_interval": _EVERY, "scrape_timeout": _EVERY, "evaluation_interval": _EVERY}
    _elsewhere(config, _ITSELF, f"127.0.0.1:{port}")
    with real_prometheus(folder, config, *options, port=port, variables=VARIABLES) as prometheus:
        yield prometheus


def _static_targets(config: dict[str, Any]) -> set[str]:
    statics = [static for job in config["scrape_configs"] for static in job.get("static_configs", ())]
    return {target for static in statics for target in static["targets"]}


def _elsewhere(config: dict[str, Any], target: str, address: str) -> None:
    """Let what is fixed on a real machine be scraped where it is in a test, under its real name."""
    for job in config["scrape_configs"]:
        for static in job.get("static_configs", ()):
            if target in static["targets"]:
                job["relabel_configs"] = [
                    {"target_label": "instance", "replacement": target},
                    {"target_label": "__address__", "replacement": address},
                ]


def _wait_until_known(cluster: WholeCluster, targets: int, *, written: bool) -> None:
    """Wait until all were scraped twice. What the keeper scrapes comes on top of what is written to it."""
    twice = "count(count_over_time(up[5m]) >= 2)"
    scraped = targets + 1
    cluster.prometheus.wait_for(twice, lambda found: found == {(): scraped})
    own = instance_config(spec_of(SPEC))
    assert own is not None
    if written:
        everything = scraped + len(_static_targets(own))
        cluster.keeper.wait_for(twice, lambda found: found == {(): everything})


def load_rules(keeper: Prometheus, folder: Path) -> float:
    """Give the keeper its rules and return when. Before anything arrives, it would rightly say that nothing does."""
    rules, file = folder / "rules.yml", folder / "prometheus.yaml"
    rules.write_text(yaml.safe_dump(shortened_rules()), encoding="utf-8")
    config = yaml.safe_load(file.read_text(encoding="utf-8"))
    file.write_text(yaml.safe_dump({**config, "rule_files": [str(rules)]}), encoding="utf-8")
    request = urllib.request.Request(f"{keeper.url}/-/reload", method="POST")
    with urllib.request.urlopen(request, timeout=300):
        return time.monotonic()
