"""Whether the instance store is mounted, where the node has one: one volume is made of all its drives.

ParallelCluster makes it and says where. On Amazon EKS nodeadm does, where it is told to; a node on which that fails
joins no cluster, so that one without the volume was told nothing.
"""

from __future__ import annotations

from pathlib import Path

from trainyard_node.health.machine import Machine
from trainyard_node.health.mounts import Mount, mount_at, trouble_with
from trainyard_node.health.outcome import Outcome
from trainyard_node.places import Places
from trainyard_node.this_node import assignments

NAME = "scratch-mounted"
# What such a drive calls itself, and by what ParallelCluster knows it: the name ends as in setup-ephemeral-drives.sh of
# cookbooks/aws-parallelcluster-environment/files in https://github.com/aws/aws-parallelcluster-cookbook
_MODEL = "Amazon EC2 NVMe Instance Storage"
_SOURCE = "https://docs.aws.amazon.com/parallelcluster/latest/ug/Scheduling-v3.html"
# Images, containers and emptyDir volumes lie there.
# https://github.com/awslabs/amazon-eks-ami/blob/main/templates/shared/runtime/bin/setup-local-disks
_OF_EKS = "/mnt/k8s-disks/0"
_REMEDY = "see 'journalctl -u setup-ephemeral' and 'lsblk'; until then what jobs write there fills the root volume"


def check(machine: Machine) -> list[Outcome]:
    """Look for the drives first: what has none has nothing to mount."""
    places = machine.world.places
    drives = _drives(places)
    count = f"{len(drives)} drive{'s' * (len(drives) != 1)}"
    if not drives:
        return [Outcome(NAME, "absent", "no drive of an instance store is here")]
    if not places.cfnconfig.is_file():
        mount = mount_at(places, _OF_EKS)
        if mount is None:
            return [Outcome(NAME, "absent", f"nodeadm was told to make no volume of {count}")]
        return [_of(machine, mount, count)]
    place = "/" + assignments(places.cfnconfig).get("cfn_ephemeral_dir", "").strip("/")
    if place == "/":
        return [Outcome(NAME, "absent", f"ParallelCluster was told to mount none of {count}")]
    mount = mount_at(places, place)
    if mount is None:
        message = f"nothing is mounted of the instance store, which has {count}: {' '.join(drives)}"
        return [Outcome(NAME, "failed", message, place, _REMEDY, _SOURCE)]
    return [_of(machine, mount, count)]


def _of(machine: Machine, mount: Mount, count: str) -> Outcome:
    place = mount.place
    trouble = None if mount.read_only else trouble_with(machine.world, place)
    if mount.read_only or trouble:
        why = trouble.text if trouble else "it is mounted for reading only"
        remedy = "see 'dmesg' for errors of the drives; a node with a broken drive is best replaced"
        return Outcome(NAME, "failed", f"{mount.kind} is mounted here, but {why}", place, remedy)
    return Outcome(NAME, "ok", f"{mount.kind} on {count} is mounted here and answers", place)


def _drives(places: Places) -> list[str]:
    return sorted(
        file.parent.parent.name for file in places.at("/sys/block").glob("nvme*/device/model") if _is_store(file)
    )


def _is_store(model: Path) -> bool:
    try:
        return model.read_text(encoding="utf-8", errors="replace").strip() == _MODEL
    except OSError:
        return False
