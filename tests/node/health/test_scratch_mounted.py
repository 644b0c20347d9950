"""Whether the instance store is mounted."""

from __future__ import annotations

import pytest

from tests.node.health.node import Node
from trainyard_node.health.scratch_mounted import check

CFNCONFIG = "/etc/parallelcluster/cfnconfig"
VOLUME = "/dev/mapper/vg.01-lv_ephemeral /scratch ext4 {},noatime,nodiratime 0 0"


@pytest.fixture
def store(node: Node) -> Node:
    """Hand out a node with eight drives, of which one is its root volume."""
    node.drives("nvme0n1", model="Amazon Elastic Block Store")
    node.drives(*(f"nvme{number}n1" for number in range(1, 9)))
    node.write(CFNCONFIG, "cfn_ephemeral_dir=/scratch\n")
    return node


def test_a_mounted_instance_store_is_well(store: Node):
    store.mounts(VOLUME.format("rw"))
    (outcome,) = check(store.machine())
    assert (outcome.status, outcome.device) == ("ok", "/scratch")
    assert outcome.message == "ext4 on 8 drives is mounted here and answers"


def test_drives_that_are_not_mounted_are_a_failure(store: Node):
    store.mounts()
    (outcome,) = check(store.machine())
    assert outcome.status == "failed"
    assert outcome.message.startswith("nothing is mounted of the instance store, which has 8 drives: nvme1n1 nvme2n1 ")


def test_a_volume_that_the_kernel_made_read_only_is_a_failure(store: Node):
    store.mounts(VOLUME.format("ro"))
    (outcome,) = check(store.machine())
    assert (outcome.status, outcome.message) == ("failed", "ext4 is mounted here, but it is mounted for reading only")


def test_a_volume_that_only_this_service_may_not_write_to_is_well(store: Node):
    # As ProtectSystem=strict shows it.
    mount = "/ /scratch ro,noatime shared:9 master:2 - ext4 /dev/mapper/vg.01-lv_ephemeral rw,stripe=32"
    store.write("/proc/self/mountinfo", f"311 280 253:0 {mount}\n")
    assert [outcome.status for outcome in check(store.machine())] == ["ok"]


@pytest.mark.parametrize("line", ["", " - ", "1 2 3 - ext4", "36 35 98:0 / /scratch rw shared:1 - ext4 /dev/x"])
def test_a_line_that_is_cut_is_no_mount(store: Node, line: str):
    store.write("/proc/self/mountinfo", f"{line}\n")
    assert [outcome.status for outcome in check(store.machine())] == ["failed"]


def test_a_volume_that_does_not_answer_is_a_failure(store: Node):
    store.mounts(VOLUME.format("rw"))
    store.says("stat", "stat: cannot read file system information: Input/output error", status=1)
    (outcome,) = check(store.machine())
    assert outcome.status == "failed"
    assert "Input/output error" in outcome.message


def test_a_type_without_an_instance_store_is_no_failure(node: Node):
    node.drives("nvme0n1", model="Amazon Elastic Block Store")
    assert [outcome.status for outcome in check(node.machine())] == ["absent"]


def test_drives_that_parallelcluster_mounts_nowhere_are_no_failure(store: Node):
    store.write(CFNCONFIG, "cfn_ephemeral_dir=\n")
    assert [outcome.status for outcome in check(store.machine())] == ["absent"]


def test_the_folder_may_be_named_without_its_slash(store: Node):
    store.write(CFNCONFIG, 'cfn_ephemeral_dir="scratch/"\n')
    store.mounts(VOLUME.format("rw"))
    assert [outcome.status for outcome in check(store.machine())] == ["ok"]


RAID = "/dev/md127 /mnt/k8s-disks/0 xfs {},noatime 0 0"


@pytest.fixture
def of_eks(node: Node) -> Node:
    """Hand out a node of Amazon EKS with eight drives: ParallelCluster has written nothing there."""
    node.drives(*(f"nvme{number}n1" for number in range(1, 9)))
    return node


def test_on_eks_the_volume_that_nodeadm_made_is_looked_at(of_eks: Node):
    of_eks.mounts(RAID.format("rw"))
    (outcome,) = check(of_eks.machine())
    assert (outcome.status, outcome.device) == ("ok", "/mnt/k8s-disks/0")
    assert outcome.message == "xfs on 8 drives is mounted here and answers"


def test_on_eks_a_volume_that_the_kernel_made_read_only_is_a_failure(of_eks: Node):
    of_eks.mounts(RAID.format("ro"))
    assert [outcome.status for outcome in check(of_eks.machine())] == ["failed"]


def test_on_eks_drives_of_which_no_volume_was_wanted_are_no_failure(of_eks: Node):
    of_eks.mounts()
    (outcome,) = check(of_eks.machine())
    assert (outcome.status, outcome.message) == ("absent", "nodeadm was told to make no volume of 8 drives")
