"""Whether the shared file system is mounted and answers."""

from __future__ import annotations

from trainyard_node.health.machine import Machine
from trainyard_node.health.mounts import mount_at, trouble_with
from trainyard_node.health.outcome import Outcome

NAME = "shared-mounted"
# File servers have hiccups: a second of grace, and the deadline of all checks is near.
TIMEOUT_S = 7.0
_SOURCE = "https://docs.aws.amazon.com/fsx/latest/LustreGuide/mount-troubleshooting.html"
# A kernel that the Lustre client was not built for: https://github.com/aws/aws-parallelcluster/issues/6353
_NOT_MOUNTED = (
    "run 'mount --all' and see 'dmesg'; where it says 'No such device', the kernel is newer than the Lustre client"
)
_SILENT = (
    "see 'dmesg' and the state of the file system in the FSx console, and whether security groups let its ports pass"
)


def check(machine: Machine) -> list[Outcome]:
    """Look at the place that the spec names, such as /fsx.

    One that is silent is a warning: its servers are silent to all nodes at once, and to hold them all helps nobody.
    Lustre answers though some of its servers are gone, because of its default option lazystatfs:
    https://git.zx2c4.com/linux-dev/commit/?id=7304370b570751b199531a8963864b0dfdb74a35
    """
    place = machine.expected.shared.rstrip("/")
    if not place:
        return [Outcome(NAME, "absent", "no shared file system is expected")]
    mount = mount_at(machine.world.places, place)
    if mount is None:
        return [Outcome(NAME, "failed", "nothing is mounted here", place, _NOT_MOUNTED, _SOURCE)]
    trouble = trouble_with(machine.world, place, TIMEOUT_S)
    if trouble:
        status = "warning" if trouble.is_silence else "failed"
        return [Outcome(NAME, status, f"{mount.kind} is mounted here, but {trouble.text}", place, _SILENT, _SOURCE)]
    if mount.read_only:
        remedy = "where that is not meant, unmount it and mount it again"
        return [Outcome(NAME, "warning", f"{mount.kind} is mounted here for reading only", place, remedy)]
    return [Outcome(NAME, "ok", f"{mount.kind} is mounted here and answers", place)]
