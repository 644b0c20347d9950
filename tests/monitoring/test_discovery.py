"""A real Prometheus finds the nodes of a cluster in EC2, labels them, and goes on when credentials change."""

from __future__ import annotations

import json
import shutil
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.monitoring.clusters import mixed, on_head_node
from tests.monitoring.fake_ec2 import FakeAws, Instance, fake_aws
from tests.monitoring.prometheus import Prometheus, real_prometheus
from tests.slurm import free_ports
from tests.waiting import wait_until
from trainyard import monitoring
from trainyard.monitoring.prometheus_config import amp_write_url, runs_as_agent

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]
AWS_CONFIG = Path(monitoring.__file__).with_name("aws_config.ini")
CREDENTIALS = "/run/trainyard-prometheus/credentials.json"


def tagged(node_type: str, cluster: str = "mixed", **more: str) -> dict[str, str]:
    """Return the tags that ParallelCluster sets, as far as they matter; Name is the type of the node, too."""
    also = {f"parallelcluster:{key.replace('_', '-')}": value for key, value in more.items()}
    return {
        "Name": node_type,
        "parallelcluster:cluster-name": cluster,
        "parallelcluster:node-type": node_type,
        "parallelcluster:attributes": "ubuntu2204, slurm, 3.16.1, x86_64",
        **also,
    }


INSTANCES = (
    Instance(4, "m5.2xlarge", tagged("HeadNode")),
    Instance(5, "m5.large", tagged("LoginNode", login_nodes_pool_name="login")),
    Instance(6, "p5.48xlarge", tagged("Compute", queue_name="gpu", compute_resource_name="p5-48xlarge")),
    Instance(7, "c5n.18xlarge", tagged("Compute", queue_name="cpu", compute_resource_name="c5n-18xlarge")),
    Instance(8, "m5.2xlarge", tagged("Compute", queue_name="bare", compute_resource_name="m5-2xlarge")),
    Instance(9, "p5.48xlarge", tagged("Compute", queue_name="gpu"), state="shutting-down"),
    Instance(10, "p5.48xlarge", tagged("Compute", cluster="other", queue_name="gpu")),
    Instance(11, "m5.large", {"parallelcluster:cluster-name": "mixed"}),
    Instance(12, "m5.large", {"aws:parallelcluster:node-type": "Compute", "Name": "Compute"}),
)


def config(aws: FakeAws) -> dict[str, Any]:
    made = on_head_node(mixed())
    for job in made["scrape_configs"]:
        for discovery in job.get("ec2_sd_configs", []):
            discovery |= {"endpoint": aws.url, "refresh_interval": "1s"}
    made["remote_write"][0]["url"] = amp_write_url(f"{aws.url}/workspaces/ws-0/")
    made["global"] |= {"scrape_interval": "1s", "scrape_timeout": "1s"}
    return made


def labels_by_job(prometheus: Prometheus) -> dict[str, list[dict[str, str]]]:
    with urllib.request.urlopen(f"{prometheus.url}/api/v1/targets?state=active", timeout=300) as response:
        targets = json.load(response)["data"]["activeTargets"]
    found: dict[str, list[dict[str, str]]] = {}
    for labels in sorted((target["labels"] for target in targets), key=lambda one: one["instance"]):
        found.setdefault(labels["job"], []).append(labels)
    return found


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    return monkeypatch


def test_every_node_has_its_exporters_and_its_labels(keys: pytest.MonkeyPatch, tmp_path: Path):
    keys.setenv("AWS_ACCESS_KEY_ID", "AKIDTEST")
    keys.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    with fake_aws(INSTANCES) as aws, real_prometheus(tmp_path, config(aws)) as prometheus:
        # That it may not ask for zones has to do no harm: the fake refuses it, as the head node's role does.
        found = wait_until(
            lambda: now if len(now := labels_by_job(prometheus)) == 4 else {},
            lambda: (aws.actions, (tmp_path / "log").read_text()),
        )
    assert set(aws.actions) == {"DescribeAvailabilityZones", "DescribeInstances"}
    instances = {job: [target["instance"] for target in targets] for job, targets in found.items()}
    assert instances == {
        "prometheus": ["localhost:9090"],
        "node-exporter": [f"10.0.16.{number}:9100" for number in (4, 5, 6, 7, 8)],
        "dcgm-exporter": ["10.0.16.6:9400"],
        "trainyard-node": [f"10.0.16.{number}:9341" for number in (4, 6, 7, 8)],
    }
    (gpu,) = found["dcgm-exporter"]
    assert gpu == {
        "job": "dcgm-exporter",
        "instance": "10.0.16.6:9400",
        "cluster": "mixed",
        "instance_id": "i-00000000000000006",
        "instance_type": "p5.48xlarge",
        "node_name": "ip-10-0-16-6",
        "node_type": "Compute",
        "queue": "gpu",
    }
    head = found["node-exporter"][0]
    assert (head["node_type"], head["node_name"]) == ("HeadNode", "ip-10-0-16-4")
    assert "queue" not in head


# Debian's Prometheus asks for the credentials of remote_write, and then sends without them: its patch against
# OpenTelemetry takes away the transport that signs. So only discovery can be watched here.
# https://sources.debian.org/patches/prometheus/2.42.0+ds-5/91-Disable_opentelemetry.patch/
def test_credentials_that_end_are_read_anew(keys: pytest.MonkeyPatch, tmp_path: Path):
    file, ini = tmp_path / "credentials.json", tmp_path / "aws_config.ini"
    ini.write_text(AWS_CONFIG.read_text(encoding="utf-8").replace(CREDENTIALS, str(file)))
    assert str(file) in ini.read_text()
    keys.setenv("AWS_SDK_LOAD_CONFIG", "1")
    keys.setenv("AWS_CONFIG_FILE", str(ini))
    write_credentials(file, "FIRST", lasting_s=3)
    with fake_aws(INSTANCES) as aws, real_prometheus(tmp_path, config(aws)):
        wait_until(lambda: "FIRST" in aws.keys("ec2"), (tmp_path / "log").read_text)
        write_credentials(file, "SECOND", lasting_s=3600)
        wait_until(lambda: "SECOND" in aws.keys("ec2"), (tmp_path / "log").read_text)
    assert {region for _, region, _ in aws.signed} == {"us-east-1"}


def write_credentials(file: Path, key: str, lasting_s: float) -> None:
    ends = datetime.now(UTC) + timedelta(seconds=lasting_s)
    content = {"Version": 1, "AccessKeyId": key, "SecretAccessKey": "secret", "SessionToken": "token"}
    new = file.with_suffix(".new")
    new.write_text(json.dumps({**content, "Expiration": ends.strftime("%Y-%m-%dT%H:%M:%SZ")}))
    new.replace(file)


def test_a_file_of_plain_keys_is_never_read_again(keys: pytest.MonkeyPatch, tmp_path: Path):
    file = tmp_path / "credentials"
    keys.setenv("AWS_SHARED_CREDENTIALS_FILE", str(file))
    file.write_text("[default]\naws_access_key_id = FIRST\naws_secret_access_key = secret\n")
    with fake_aws(INSTANCES) as aws, real_prometheus(tmp_path, config(aws)):
        wait_until(lambda: aws.keys("ec2"), (tmp_path / "log").read_text)
        file.write_text(file.read_text().replace("FIRST", "SECOND"))
        before = len(aws.keys("ec2"))
        wait_until(lambda: len(aws.keys("ec2")) > before + 4, (tmp_path / "log").read_text)
        assert set(aws.keys("ec2")) == {"FIRST"}


def test_an_agent_sends_to_the_workspace(keys: pytest.MonkeyPatch, tmp_path: Path):
    keys.setenv("AWS_ACCESS_KEY_ID", "AKIDTEST")
    keys.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    assert runs_as_agent(mixed())
    file, log = tmp_path / "prometheus.yml", tmp_path / "log"
    with fake_aws(INSTANCES) as aws:
        file.write_text(yaml.safe_dump(config(aws)))
        with agent(file, log):
            wait_until(lambda: aws.writes, log.read_text)
    assert set(aws.writes) == {"/workspaces/ws-0/api/v1/remote_write"}


@contextmanager
def agent(config: Path, log: Path) -> Iterator[None]:
    """Start Prometheus as an agent, which keeps nothing that could be asked for."""
    program = shutil.which("prometheus")
    assert program is not None
    (port,) = free_ports(1)
    command = [
        program, "--enable-feature=agent", f"--config.file={config}", f"--storage.agent.path={config.parent / 'agent'}",
        f"--web.listen-address=127.0.0.1:{port}", "--log.level=warn",
    ]  # fmt: skip
    with log.open("wb") as file, subprocess.Popen(command, stdout=file, stderr=file) as process:
        try:
            yield
        finally:
            process.terminate()
