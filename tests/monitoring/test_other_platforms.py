"""Collection for EKS and AWS Batch: reviewed files that promtool accepts, and what a real Prometheus makes of them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.monitoring.clusters import WORKSPACE, mixed, on_head_node, spec_of
from tests.monitoring.fake_ec2 import Instance, fake_aws
from tests.monitoring.other_nodes import discovered, without_kubernetes
from tests.monitoring.prometheus import real_prometheus
from tests.monitoring.test_discovery import labels_by_job
from tests.waiting import wait_until
from trainyard.document.write import yaml_text
from trainyard.monitoring.node_discovery import TARGET_LABELS
from trainyard.monitoring.prometheus_config import amp_write_url
from trainyard.platforms.batch.rendering.collection import NEEDED_ACTIONS, batch_config
from trainyard.platforms.eks.rendering.monitoring_slots import eks_config
from trainyard.spec.cluster import Spec

GOLDEN = Path(__file__).parent / "golden" / "other_platforms"
SPEC = """\
name: train
region: us-east-1
platform: PLATFORM
queues:
  - {name: gpu, instance_type: TYPE, nodes: 1}
  - {name: OTHER, instance_type: c5n.18xlarge, nodes: 1}
"""


def cluster(platform: str, other: str, instance_type: str = "p5.48xlarge") -> Spec:
    return spec_of(SPEC.replace("PLATFORM", platform).replace("OTHER", other).replace("TYPE", instance_type))


BATCH, EKS = cluster("batch", "cpu"), cluster("eks", "system")
URL = amp_write_url(WORKSPACE)
CONFIGS = {"batch.yml": batch_config(BATCH, URL), "eks.yml": eks_config(EKS, URL)}


@pytest.mark.parametrize("name", CONFIGS)
def test_a_configuration_is_the_reviewed_one(name: str):
    assert yaml_text(CONFIGS[name]) == (GOLDEN / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", CONFIGS)
def test_intervals_and_the_way_out_are_those_of_the_head_node(name: str):
    head = on_head_node(mixed("amp-only"))
    for key in ("scrape_interval", "scrape_timeout"):
        assert CONFIGS[name]["global"][key] == head["global"][key]
    assert CONFIGS[name]["remote_write"] == head["remote_write"]


@pytest.mark.parametrize("name", CONFIGS)
def test_every_target_has_the_labels_that_queries_ask_for_and_no_key_is_written(name: str):
    jobs = {job["job_name"]: job for job in CONFIGS[name]["scrape_configs"]}
    assert set(jobs) == {"prometheus", "node-exporter", "trainyard-node", "dcgm-exporter"}
    for job in (job for name_, job in jobs.items() if name_ != "prometheus"):
        assert set(TARGET_LABELS) <= {rule.get("target_label") for rule in job["relabel_configs"]}
    assert "metric_relabel_configs" in jobs["dcgm-exporter"]
    text = yaml_text(CONFIGS[name])
    assert not any(word in text for word in ("access_key", "secret_key", "profile", "role_arn"))


def test_without_gpus_there_is_no_exporter_of_them():
    for config in (
        batch_config(cluster("batch", "cpu", "c5n.18xlarge"), URL),
        eks_config(cluster("eks", "system", "c5n.18xlarge"), URL),
    ):
        assert "dcgm-exporter" not in {job["job_name"] for job in config["scrape_configs"]}


@pytest.mark.integration
@pytest.mark.parametrize("name", CONFIGS)
def test_promtool_accepts_it_for_an_agent(name: str, tmp_path: Path):
    program = shutil.which("promtool")
    assert program is not None
    (tmp_path / name).write_text(yaml_text(without_kubernetes(CONFIGS[name], {"targets": ["localhost:1"]})))
    done = subprocess.run(
        [program, "check", "config", "--agent", str(tmp_path / name)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def of_batch(number: int, queue: str, **more: Any) -> Instance:
    """Return an instance as Batch launches it for a compute environment with our tags."""
    tags = {"AWSBatchServiceTag": "batch", "trainyard:cluster": "train", "trainyard:queue": queue}
    return Instance(number, "p5.48xlarge", tags, **more)


@pytest.mark.integration
@pytest.mark.enable_socket
def test_a_real_prometheus_finds_the_instances_of_batch_and_labels_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDTEST")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    instances = (
        of_batch(6, "gpu"),
        of_batch(7, "cpu"),
        of_batch(8, "gpu", state="shutting-down"),
        Instance(9, "p5.48xlarge", {"AWSBatchServiceTag": "batch", "trainyard:cluster": "other"}),
        Instance(10, "m5.large", {"trainyard:cluster": "train"}),  # of one of our stacks
    )
    with fake_aws(instances) as aws:
        config = batch_config(BATCH, f"{aws.url}/workspaces/ws-0/api/v1/remote_write")
        for job in config["scrape_configs"]:
            for discovery in job.get("ec2_sd_configs", ()):
                discovery |= {"endpoint": aws.url, "refresh_interval": "1s"}
        with real_prometheus(tmp_path, config) as prometheus:
            found = wait_until(
                lambda: now if len(now := labels_by_job(prometheus)) == 4 else {},
                lambda: (aws.actions, (tmp_path / "log").read_text()),
            )
    assert {f"ec2:{action}" for action in aws.actions} <= set(NEEDED_ACTIONS)
    assert [one["instance"] for one in found["node-exporter"]] == ["10.0.16.6:9100", "10.0.16.7:9100"]
    assert [one["instance"] for one in found["trainyard-node"]] == ["10.0.16.6:9341", "10.0.16.7:9341"]
    (gpu,) = found["dcgm-exporter"]
    assert gpu == {
        "job": "dcgm-exporter",
        "instance": "10.0.16.6:9400",
        "cluster": "train",
        "instance_id": "i-00000000000000006",
        "instance_type": "p5.48xlarge",
        "node_name": "ip-10-0-16-6",
        "node_type": "Compute",
        "queue": "gpu",
    }


def test_eks_is_asked_for_its_nodes_from_inside():
    found = [job["kubernetes_sd_configs"] for job in CONFIGS["eks.yml"]["scrape_configs"][1:]]
    assert found == [[{"role": "node"}]] * 3


@pytest.mark.integration
@pytest.mark.enable_socket
def test_a_real_prometheus_gives_the_nodes_of_eks_the_same_labels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDTEST")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    nodes = [discovered(6, "gpu"), discovered(7, "system"), discovered(8, "of somebody else")]
    with fake_aws(()) as aws:
        config = without_kubernetes(eks_config(EKS, f"{aws.url}/workspaces/ws-0/api/v1/remote_write"), *nodes)
        with real_prometheus(tmp_path, config) as prometheus:
            found = wait_until(
                lambda: now if len(now := labels_by_job(prometheus)) == 4 else {}, (tmp_path / "log").read_text
            )
    assert [one["instance"] for one in found["node-exporter"]] == ["10.0.16.6:9100", "10.0.16.7:9100"]
    assert [one["queue"] for one in found["trainyard-node"]] == ["gpu", "system"]
    (gpu,) = found["dcgm-exporter"]
    assert gpu == {
        "job": "dcgm-exporter",
        "instance": "10.0.16.6:9400",
        "cluster": "train",
        "instance_id": "i-00000000000000006",
        "instance_type": "p5.48xlarge",
        "node_name": "ip-10-0-16-6",
        "node_type": "Compute",
        "queue": "gpu",
    }


def write_goldens() -> None:
    """Write the reviewed files anew: `python -m tests.monitoring.test_other_platforms`."""
    GOLDEN.mkdir(exist_ok=True)
    for name, config in CONFIGS.items():
        (GOLDEN / name).write_text(yaml_text(config), encoding="utf-8")


if __name__ == "__main__":
    write_goldens()
