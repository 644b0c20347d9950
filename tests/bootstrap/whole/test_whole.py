"""A head node and a CPU node come up for real, from a local S3: launcher, runner, steps, package and deferred steps."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.bootstrap.whole.cloud import ARN, BUCKET, DOWNLOADS, FOLDER, INSTANCE, Bucket, metadata_service
from tests.bootstrap.whole.debian_node import DebianNode, can_run
from tests.rehearsal.account_copies import empty_account
from trainyard.edge.aws.account import Account

pytestmark = [
    pytest.mark.integration,
    pytest.mark.enable_socket,
    pytest.mark.skipif(not can_run(), reason="hardware: a Debian root takes root"),
]
SPEC = """\
software: {setup: cpu, containers: true}
monitoring: {mode: amp-only}
file_systems: [{mount: /fsx, lustre: {size_gib: 4800, throughput_mb_s_per_tib: 250}}]
queues: [{name: prepare, instance_type: m5.xlarge}]
"""
PLACE = f"s3://{BUCKET}/{FOLDER}"
ENDPOINT = "https://aps-workspaces.us-east-2.amazonaws.com/workspaces/ws-0a1b2c3d/"
# As the unit does, which gives what it writes the group of Prometheus' user.
RENEWED = """\
file=/run/trainyard-prometheus/credentials.json group=trainyard-prometheus
install --directory --mode=0750 --group=$group /run/trainyard-prometheus
setpriv --regid=$group --clear-groups --bounding-set=-all --inh-caps=-all trainyard-node credentials
chmod o+x /run
setpriv --reuid=trainyard-prometheus --regid=$group --clear-groups cat $file
! setpriv --reuid=nobody --regid=nogroup --clear-groups cat $file 2>/dev/null
cat /var/lib/node_exporter/textfile/trainyard_credentials.prom >&2
"""


@pytest.fixture(scope="module")
def account() -> Iterator[Account]:
    with empty_account() as made:
        yield made


@pytest.fixture(scope="module")
def bucket(account: Account) -> Bucket:
    return Bucket(account)


@pytest.fixture
def node(account: Account, bucket: Bucket, tmp_path: Path) -> Iterator[Callable[..., DebianNode]]:
    bucket.publish(SPEC, outputs={"AMPPrometheusEndpoint": ENDPOINT})

    def started(kind: str, queue: str = "") -> DebianNode:
        endpoint = account.client("s3").meta.endpoint_url
        made = DebianNode(tmp_path, endpoint, metadata)
        made.prepare(kind, queue)
        return made

    with metadata_service() as metadata:
        yield started


def steps(record: dict[str, Any]) -> dict[str, str]:
    return {step["name"]: step["status"] for step in record["steps"]}


def test_a_head_node_comes_up_once_and_collects_metrics_after_its_deferred_steps(node, bucket):
    head = node("HeadNode")
    ran = head.start(PLACE)
    assert ran.returncode == 0, ran.stderr
    record = bucket.record()
    assert (record["status"], record["role"], record["instance_id"]) == ("deferred", "head", INSTANCE)
    required = {name: status for name, status in steps(record).items() if name != "node-exporter"}
    assert required == dict.fromkeys(
        ["packages", "enroot-pyxis", "shared-layout", "cloudwatch", "node-package", "job-gate"], "done"
    )
    assert "spank_pyxis.so" in head.read("/opt/slurm/etc/plugstack.conf")
    assert (head.upper / "opt/slurm/etc/scripts/prolog.d/50_trainyard_job_gate").stat().st_mode & 0o111
    assert (head.place / "fsx/containers").is_dir()

    before = head.files()
    again = head.start(PLACE)
    assert again.returncode == 0, again.stderr
    assert head.files() == before

    ran = head.run("trainyard-node", "bootstrap", "--deferred")
    assert ran.returncode == 0, ran.stderr
    assert steps(bucket.record())["prometheus"] == "done"
    assert f"url: {ENDPOINT}api/v1/remote_write" in head.read("/etc/trainyard-prometheus/prometheus.yml")
    assert "trainyard-prometheus:x:" in head.read("/etc/passwd")
    enabled = {file.name for file in (head.upper / "var/stub-enabled").iterdir()}
    assert {"trainyard-prometheus.service", "trainyard-prometheus-credentials.timer"} <= enabled

    ran = head.run("bash", "-euc", RENEWED)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["AccessKeyId"] == "AKID"
    assert "\ntrainyard_credentials_expire_timestamp_seconds 1" in ran.stderr


@pytest.mark.exhaustive
def test_a_cpu_node_with_a_damaged_asset_tells_and_is_ready_once_that_is_repaired_and_deferred_steps_done(node, bucket):
    compute = node("ComputeFleet", "prepare")
    (_, file), content = next(iter(DOWNLOADS.items()))
    key = f"assets/{hashlib.sha256(content).hexdigest()}/{file}"
    bucket.put(key, content[:-1] + b"x")
    ran = compute.start(PLACE)
    assert ran.returncode == 1
    record = bucket.record()
    failed = next(step for step in record["steps"] if step["status"] == "failed")
    assert (record["status"], failed["name"], failed["exit_status"]) == ("failed", "docker", 65)
    assert "SHA-256" in failed["message"]
    assert f"nodes/{ARN}/30-docker.log" in bucket.names()

    bucket.put(key, content)
    ran = compute.start(PLACE)
    assert ran.returncode == 0, ran.stderr
    assert bucket.record()["status"] == "deferred"
    assert not (compute.upper / "usr/local/bin/node_exporter").exists()

    ran = compute.run("trainyard-node", "bootstrap", "--deferred")
    assert ran.returncode == 0, ran.stderr
    record = bucket.record()
    assert (record["status"], record["queue"], steps(record)["node-exporter"]) == ("ready", "prepare", "done")
    assert compute.read("/usr/local/bin/node_exporter") == "#!/bin/sh\necho exporter\n"
    shown = compute.run("trainyard-node", "bootstrap-status")
    assert (shown.returncode, "ready" in shown.stdout) == (0, True)


def test_a_node_whose_release_is_damaged_runs_none_of_it(node, bucket):
    compute = node("ComputeFleet", "prepare")
    name = next(key for key in bucket.names() if key.startswith("releases/"))
    bucket.put(name, b"something else")
    ran = compute.start(PLACE)
    assert ran.returncode == 1
    assert "is not what was published" in ran.stderr
    assert not (compute.upper / "etc/trainyard").exists()
