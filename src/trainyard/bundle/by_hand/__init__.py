"""The AWS commands that make, or find, what a cluster needs. A test holds them against botocore's own models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.bundle.by_hand import assets
from trainyard.bundle.by_hand.endpoints import endpoints
from trainyard.bundle.by_hand.images import images, images_of
from trainyard.bundle.by_hand.key import key_policy
from trainyard.bundle.by_hand.monitoring import remote_write
from trainyard.bundle.by_hand.monitoring_instance import monitoring_instance
from trainyard.bundle.by_hand.network import prefix_list, subnets
from trainyard.bundle.by_hand.secrets import secrets, secrets_of
from trainyard.bundle.by_hand.storage import lustre, openzfs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from trainyard.render.stand_ins import StandIn
    from trainyard.spec.cluster import Spec


def commands_for(spec: Spec, stand_in: StandIn) -> Sequence[str]:
    """Return shell commands that leave the real value in the variable ``shell_name(stand_in.output)``."""
    kind = next(kind for kind in sorted(_COMMANDS, key=len, reverse=True) if stand_in.output.startswith(kind))
    return _COMMANDS[kind](spec, stand_in)


def in_the_vpc(spec: Spec) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield what is to be made in the VPC and has no id in cluster.yaml: a text, and its commands."""
    if spec.network.internet == "none":
        yield (
            "The endpoints through which nodes reach AWS. The VPC needs DNS resolution and host names:",
            endpoints(spec),
        )
    if spec.monitoring.mode == "self-hosting":
        text = "The monitoring instance and its load balancer. Prometheus and Grafana are not installed on it:"
        yield text, monitoring_instance(spec)


def to_look_at(spec: Spec) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield what has to exist, or to be allowed, beside all that is made: a text, and its commands."""
    if spec.iam.kms_key is not None:
        text = (
            "Nodes need this policy to attach volumes and to read objects that the key encrypts. "
            "Name what is printed in `iam.policies` of the spec and render again, unless it is there already:"
        )
        yield text, key_policy(spec)
    if secrets_of(spec):
        yield "These secrets have to exist:", secrets(spec)
    if images_of(spec):
        version, built_for = spec.parallelcluster.version, spec.image.built_for
        said = "say in `image.built_for` what it is" if built_for is None else f"`image.built_for` says {built_for}"
        yield f"Images of your own have to be built for ParallelCluster {version}; {said}:", images(spec)


_COMMANDS: dict[str, Callable[[Spec, StandIn], Sequence[str]]] = {
    "PublicSubnet": subnets,
    "PrimaryPrivateSubnet": subnets,
    "PrivateSubnet": subnets,
    "SSHPrefixList": prefix_list,
    "FSxLustreFilesystemId": lustre,
    "FSxORootVolumeId": openzfs,
    "AMPRemoteWritePolicyArn": remote_write,
    "AssetsBucket": assets.bucket,
    "AssetsReadPolicyArn": assets.read_policy,
}
