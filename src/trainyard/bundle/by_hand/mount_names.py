"""Asking FSx by what name a file system is mounted that was there before.

https://docs.aws.amazon.com/fsx/latest/LustreGuide/mount-fs-auto-mount-onreboot.html
"""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.bundle.by_hand.aws_command import assignment, aws, shell_name
from trainyard.render.lustre_mount_names import existing_lustre_ids, mount_name_output
from trainyard.render.stand_ins import StandIn
from trainyard.spec.cluster import Spec


def mount_names(spec: Spec, stand_ins: tuple[StandIn, ...]) -> Iterator[tuple[str, StandIn, str]]:
    """Yield each file system whose mount name a stand-in stands for, that stand-in, and how to ask."""
    waiting = {stand_in.output: stand_in for stand_in in stand_ins}
    for id_ in existing_lustre_ids(spec):
        output = mount_name_output(id_)
        if output in waiting:
            query = aws(
                spec.region, "fsx describe-file-systems", "--file-system-ids", id_,
                "--query", "FileSystems[0].LustreConfiguration.MountName", "--output", "text",
            )  # fmt: skip
            yield id_, waiting[output], assignment(shell_name(output), query)
