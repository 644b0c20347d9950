"""The AWS commands that make, or find, what a stand-in stands for. A test holds them against botocore's own models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.bundle.by_hand.monitoring import remote_write
from trainyard.bundle.by_hand.network import prefix_list, subnets
from trainyard.bundle.by_hand.storage import lustre, openzfs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trainyard.render.stand_ins import StandIn
    from trainyard.spec.cluster import Spec


def commands_for(spec: Spec, stand_in: StandIn) -> Sequence[str]:
    """Return shell commands that leave the real value in the variable ``shell_name(stand_in.output)``."""
    kind = next(kind for kind in sorted(_COMMANDS, key=len, reverse=True) if stand_in.output.startswith(kind))
    return _COMMANDS[kind](spec, stand_in)


_COMMANDS: dict[str, Callable[[Spec, StandIn], Sequence[str]]] = {
    "PublicSubnet": subnets,
    "PrimaryPrivateSubnet": subnets,
    "PrivateSubnet": subnets,
    "SSHPrefixList": prefix_list,
    "FSxLustreFilesystemId": lustre,
    "FSxORootVolumeId": openzfs,
    "AMPRemoteWritePolicyArn": remote_write,
}
