"""The monitoring instance comes up for real: its user data, the launcher, the runner and all of its steps."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bootstrap.steps.keeper_node import PASSWORD, alertmanager, grafana, prometheus
from tests.bootstrap.user_data import user_data
from tests.bootstrap.whole.cloud import BUCKET, FOLDER, INSTANCE, Bucket, metadata_service
from tests.bootstrap.whole.debian_node import DebianNode, can_run
from tests.bootstrap.whole.root_trace import can_trace, opened_by_root, reached_by_users
from tests.rehearsal.account_copies import empty_account
from trainyard.edge.aws.account import Account

pytestmark = [
    pytest.mark.integration,
    pytest.mark.enable_socket,
    pytest.mark.skipif(not can_run(), reason="hardware: a Debian root takes root"),
]
SPEC = "monitoring: {mode: self-hosting}\nqueues: [{name: q, instance_type: m5.large}]\n"
DOWNLOADS = {
    ("prometheus", "prometheus-3.5.0.linux-amd64.tar.gz"): prometheus(),
    ("alertmanager", "alertmanager-0.31.1.linux-amd64.tar.gz"): alertmanager(),
    ("grafana", "grafana-12.4.3.linux-amd64.tar.gz"): grafana(),
}
LOOK = ("trainyard-follow-releases", "look")
STEPS = ["node-package", "data-volume", "keeper", "alertmanager", "grafana", "alert-receivers"]
# EC2 gives the volume, and no program is at hand that makes its file system: a folder takes its place.
AWS = """\
#!/bin/sh
if [ "$1 $2" = "ec2 attach-volume" ]; then
  mkdir -p /dev/disk/by-id
  exec touch /dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_vol00000000000000001
fi
exec /usr/bin/aws --endpoint-url "$TEST_ENDPOINT" "$@"
"""
MOUNT = """\
#!/bin/sh
for place; do :; done
mkdir -p /var/stub-volume
exec /bin/mount --bind /var/stub-volume "$place"
"""
PROGRAMS = {
    "aws": AWS,
    "blkid": "#!/bin/sh\ncat /var/stub-xfs 2>/dev/null || exit 2\n",
    "mkfs.xfs": "#!/bin/sh\necho xfs >/var/stub-xfs\n",
    "mount": MOUNT,
}


@pytest.fixture
def account() -> Iterator[Account]:
    with empty_account() as made:
        yield made


@pytest.fixture
def instance(account: Account, tmp_path: Path) -> Iterator[DebianNode]:
    """Return an instance whose user data has just been run."""
    secret = account.client("secretsmanager").create_secret(
        Name="grafana", SecretString=json.dumps({"username": "admin", "password": PASSWORD})
    )
    with metadata_service() as metadata:
        made = DebianNode(tmp_path, account.client("s3").meta.endpoint_url, metadata)
        made.prepare("")
        for name, text in PROGRAMS.items():
            made.write(f"/usr/local/bin/{name}", text, 0o755)
        made.write("/var/lib/cloud/part-001", user_data(BUCKET, FOLDER, secret=secret["ARN"]))
        ran = made.run("bash", "/var/lib/cloud/part-001")
        assert (ran.returncode, ran.stderr) == (0, "")
        yield made


@pytest.mark.exhaustive
def test_it_follows_the_releases_of_its_folder(account: Account, instance: DebianNode):
    bucket = Bucket(account)
    ran = instance.run(*LOOK)
    assert (ran.returncode, "nothing changes" in ran.stdout) == (0, True)

    # A damaged asset is reported, and a repaired one is taken at the next look.
    bucket.publish(SPEC, DOWNLOADS)
    key = next(name for name in bucket.names() if name.endswith("alertmanager-0.31.1.linux-amd64.tar.gz"))
    content = DOWNLOADS["alertmanager", "alertmanager-0.31.1.linux-amd64.tar.gz"]
    bucket.put(key, content[:-1] + b"x")
    assert instance.run(*LOOK).returncode == 1
    record = bucket.record()
    failed = next(step for step in record["steps"] if step["status"] == "failed")
    assert (record["status"], failed["name"], failed["exit_status"]) == ("failed", "alertmanager", 65)

    bucket.put(key, content)
    ran = instance.run(*LOOK)
    assert ran.returncode == 0, ran.stderr
    said = ran.stdout + ran.stderr
    record = bucket.record()
    assert (record["status"], record["role"], record["instance_id"]) == ("ready", "monitoring", INSTANCE)
    assert {step["name"]: step["status"] for step in record["steps"]} == dict.fromkeys(STEPS, "done")
    assert "rule_files" in instance.read("/etc/trainyard/prometheus/prometheus.yml")
    assert "sns_configs" in instance.read("/etc/trainyard/alertmanager.yml")
    assert json.loads(instance.read("/etc/trainyard/grafana/dashboards/cluster-overview.json"))["uid"]

    # What is published already is not run again, and what runs again changes nothing.
    before = instance.files()
    assert instance.run(*LOOK).stdout == ""
    assert instance.run("bash", "/opt/trainyard/current/run.sh", f"s3://{BUCKET}/{FOLDER}").returncode == 0
    assert instance.files() == before

    # Where root reads the password is gone with the machine, and it is nowhere else.
    assert not [name for name, (_, content) in before.items() if PASSWORD.encode() in content]
    logs = "".join(path.read_text() for path in (instance.upper / "var/log/trainyard").iterdir())
    assert PASSWORD not in said + logs + json.dumps(record)


@pytest.mark.exhaustive  # a head node is traced each time
@pytest.mark.skipif(not can_trace(), reason="hardware: no strace, see tools/debian_root.sh")
def test_no_user_can_put_anything_where_root_of_it_looks(account: Account, instance: DebianNode):
    Bucket(account).publish(SPEC, DOWNLOADS)
    opened = opened_by_root(instance, "bash", "/var/lib/cloud/part-001")
    opened |= opened_by_root(instance, "bash", "-c", "cd /tmp && trainyard-follow-releases look")
    password = "/opt/trainyard/current/grafana/read-password.sh"
    opened |= opened_by_root(instance, "bash", "-c", f"cd /tmp && PATH= /bin/bash {password} || true")
    assert "/opt/trainyard/current/grafana/read-password.sh" in opened
    assert reached_by_users(instance, opened) == {}
