"""Root of a node runs, loads and reads nothing that a user, a container or another cluster could have put there."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.bootstrap.whole.cloud import BUCKET, FOLDER, Bucket, metadata_service
from tests.bootstrap.whole.debian_node import DebianNode, can_run
from tests.bootstrap.whole.root_trace import can_trace, opened_by_root, reached_by_users
from tests.rehearsal.account_copies import empty_account
from trainyard.edge.aws.account import Account
from trainyard.rules.mount_reserved import root_folders

pytestmark = [
    pytest.mark.integration,
    pytest.mark.enable_socket,
    pytest.mark.skipif(not can_run(), reason="hardware: a Debian root takes root"),
    pytest.mark.skipif(not can_trace(), reason="hardware: no strace, see tools/debian_root.sh"),
]
SPEC = """\
software: {setup: cpu, containers: true}
monitoring: {mode: amp-only}
file_systems: [{mount: /fsx, lustre: {size_gib: 4800, throughput_mb_s_per_tib: 250}}]
login_nodes: {count: 1, instance_type: m5.large}
queues: [{name: prepare, instance_type: m5.xlarge}]
"""
ENDPOINT = "https://aps-workspaces.us-east-2.amazonaws.com/workspaces/ws-0a1b2c3d/"
VERSION = "2.28.7-1"
# As somebody who is root elsewhere leaves it: everybody may write, and every name is there that might be looked for.
PLANTED = (
    "json.py", "re.py", "hashlib.py", "os.py", ".bashrc", ".profile", "common.sh", "run.sh", "python3", "aws", "sed",
    "tail", "logger", "sleep", "dcgmi", "nvidia-smi", "systemctl", "trainyard-node", "scontrol",
)  # fmt: skip
# Somebody brings a node up and repairs it by hand, from a folder of users.
START = """\
cd /fsx
aws s3 cp --only-show-errors "$1/launch.sh" /root/launch.sh
bash /root/launch.sh "$1"
trainyard-node bootstrap --deferred
trainyard-node health || true
"""
NCCL = """\
cd /fsx
printf '%s\\n' TRAINYARD_NCCL_VERSION=2.28.7-1 TRAINYARD_SHARED=/fsx >>/etc/trainyard/node.env
bash /opt/trainyard/current/steps/70-nccl.sh
"""
AGAIN = """\
cd /fsx
for name in $(jq --raw-output '.steps[].name' /var/lib/trainyard/bootstrap.json); do
  bash /opt/trainyard/current/steps/*-"$name".sh
done
"""
# As Slurm runs them: as root, without a search path, in a folder that may be anybody's, for jobs of anybody.
OF_SLURM = """\
cd /fsx
PATH= SLURM_JOB_UID=65534 /bin/bash /opt/slurm/etc/scripts/prolog.d/50_trainyard_job_gate || true
PATH= SLURM_JOB_UID=65534 /bin/bash /opt/slurm/etc/scripts/epilog.d/50_trainyard_health || true
PATH= /bin/bash /opt/trainyard/current/health/slurm-health-check.sh || true
PATH= /bin/bash /opt/trainyard/current/health/dcgm-level-2.sh || true
"""
GATE = "bash /opt/trainyard/current/steps/75-job-gate.sh"
LOGIN = "cd /fsx && su --login root --command 'echo ${LD_LIBRARY_PATH:-none}' && bash --login -c :"
AS_USER = "setpriv --reuid=nobody --regid=nogroup --clear-groups bash --login -c 'echo $LD_LIBRARY_PATH'"


@pytest.fixture(scope="module")
def account() -> Iterator[Account]:
    with empty_account() as made:
        yield made


@pytest.fixture(scope="module")
def bucket(account: Account) -> Bucket:
    bucket = Bucket(account)
    bucket.publish(SPEC, outputs={"AMPPrometheusEndpoint": ENDPOINT})
    return bucket


@pytest.fixture
def node(account: Account, bucket: Bucket, tmp_path: Path) -> Iterator[Callable[..., DebianNode]]:
    def started(kind: str, queue: str = "") -> DebianNode:
        made = DebianNode(tmp_path, account.client("s3").meta.endpoint_url, metadata)
        made.prepare(kind, queue)
        return made

    with metadata_service() as metadata:
        yield started


def plant(node: DebianNode) -> Path:
    """Fill the shared file system with what is not to be run, and return it."""
    shared = node.place / "fsx"
    shared.mkdir(mode=0o777)
    shared.chmod(0o777)
    for name in PLANTED:
        (shared / name).write_text("#!/bin/sh\necho planted >>/fsx/ran\n")
        (shared / name).chmod(0o777)
    return shared


def build_nccl(node: DebianNode, shared: Path) -> None:
    """Leave a version there as its build leaves it, and beside it what is planted."""
    place = shared / "nccl" / VERSION
    (place / "lib").mkdir(parents=True)
    (place / "lib/libnccl.so.2").write_text("a library")
    (place / "setup-nccl-env.sh").write_text("echo planted >>/fsx/ran\n")
    (shared / "nccl/current").symlink_to(VERSION)
    files = {"lib/libnccl.so.2": hashlib.sha256(b"a library").hexdigest()}
    manifest = {"architectures": ["90"], "files": files, "links": {}}
    node.write(f"/opt/slurm/etc/trainyard/nccl/{VERSION}.json", json.dumps(manifest))
    (node.upper / "opt/slurm/etc/trainyard/nccl/current").symlink_to(f"{VERSION}.json")
    for path in (shared / "nccl", place, place / "lib", *place.rglob("*")):
        path.chmod(0o777)


@pytest.mark.exhaustive  # a node is traced each time
@pytest.mark.parametrize(("kind", "queue"), [("HeadNode", ""), ("ComputeFleet", "prepare"), ("LoginNode", "")])
def test_no_user_can_put_anything_where_root_looks(node: Callable[..., DebianNode], kind: str, queue: str):
    there = node(kind, queue)
    shared = plant(there)
    opened = opened_by_root(there, "bash", "-euc", START, "start", f"s3://{BUCKET}/{FOLDER}")
    build_nccl(there, shared)
    for text in (AGAIN, NCCL, GATE, OF_SLURM, LOGIN):
        opened |= opened_by_root(there, "bash", "-euc", text)
    # Read to be copied, and compared with a checksum on the way.
    opened.discard(f"/fsx/nccl/{VERSION}/lib/libnccl.so.2")
    assert {"/etc/profile.d/trainyard-nccl.sh", "/opt/slurm/etc/trainyard/nccl/2.28.7-1.json"} <= opened
    assert reached_by_users(there, opened) == {}
    assert not (shared / "ran").exists()
    # The rule mount-reserved keeps file systems away from all of it. In /tmp, root makes files with names of their own.
    folders = tuple(f"{folder}/" for folder in root_folders())
    assert {path for path in opened if not f"{path}/".startswith(folders)} <= {"/tmp"}


def test_login_shells_of_users_load_the_copy_and_those_of_root_nothing(node: Callable[..., DebianNode]):
    there = node("ComputeFleet", "prepare")
    build_nccl(there, plant(there))
    assert there.start(f"s3://{BUCKET}/{FOLDER}").returncode == 0
    assert there.run("bash", "-euc", NCCL).returncode == 0
    root, user = (there.run("bash", "-euc", text).stdout.splitlines() for text in (LOGIN, AS_USER))
    assert root == ["none"]
    assert user == [f"/opt/trainyard/nccl/{VERSION}/lib"]
