"""Which images the nodes of ParallelCluster can boot instead of official ones, and the configuration that builds each.

Its schema: https://docs.aws.amazon.com/parallelcluster/latest/ug/image-builder-configuration-file-v3.html.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from trainyard.bootstrap.steps import STEPS
from trainyard.catalog.architecture import architecture_of
from trainyard.errors import TrainyardError
from trainyard.render.networking import security_groups, subnets
from trainyard.render.node_image import NodeImage, image_id, script_url
from trainyard.render.nodes import NodeKind, node_kinds, steps_of
from trainyard.render.stand_ins import Ids
from trainyard.render.tags import all_tags
from trainyard.spec.cluster import Spec


def node_images(spec: Spec) -> tuple[NodeImage, ...]:
    """Return an image for nodes with GPUs, one for those with Neuron devices, and one for all others.

    What holds nothing is left out.
    """
    groups: dict[tuple[str, str], dict[str, NodeKind]] = {}
    for name, kind in node_kinds(spec).items() if spec.installs_anything else ():
        has = kind.role.removeprefix("compute-") if kind.role in _WITH_DEVICES else "cpu"
        groups.setdefault((has, _architecture(spec, kind)), {})[name] = kind
    images = [_image(spec, has, architecture, kinds) for (has, architecture), kinds in groups.items()]
    return tuple(image for image in images if image.steps)


def image_config(spec: Spec, image: NodeImage, ids: Ids, parent: str) -> dict[str, Any]:
    """Return build-image.yaml of an image as a dict."""
    tags = [{"Key": key, "Value": value} for key, value in all_tags(spec).items()]
    build = {
        "InstanceType": _builder(image),
        "ParentImage": parent,
        **_place(spec, ids),
        "Imds": {"ImdsSupport": "v2.0"},
        "Iam": {"AdditionalIamPolicies": [{"Policy": ids.of("NodeAssetsPolicyArn")}], **_boundary(spec)},
        "Components": [{"Type": "script", "Value": script_url(spec, image, ids)}],
        # The driver and the client that official images have; with neither, the parent's own would be in doubt.
        "Installation": {
            "NvidiaSoftware": {"Enabled": image.has == "gpu"},
            "LustreClient": {"Enabled": True},
        },
        # Drivers are built for the parent's kernel.
        "UpdateOsPackages": {"Enabled": False},
        "Tags": tags,
    }
    return {"Region": spec.region, "Image": {"Name": image_id(spec, image), "Tags": tags}, "Build": build}


def _place(spec: Spec, ids: Ids) -> dict[str, Any]:
    """Return where the image is built. A subnet needs security groups; without any, Image Builder chooses both."""
    groups = security_groups(spec, "Compute", ids).get("AdditionalSecurityGroups", [])
    return {"SubnetId": subnets(spec, "private", ids)[0], "SecurityGroupIds": groups} if groups else {}


_WITH_DEVICES = ("compute-gpu", "compute-neuron")


def _image(spec: Spec, has: str, architecture: str, kinds: Mapping[str, NodeKind]) -> NodeImage:
    names = {step.name for kind in kinds.values() for step in steps_of(spec, kind)}
    steps = tuple(step for step in STEPS if step.baked and step.name in names)
    return NodeImage(f"{has}-{architecture}", has, architecture, tuple(kinds), steps)


def _architecture(spec: Spec, kind: NodeKind) -> str:
    """Return the architecture of nodes, or of any others where theirs is unknown: a cluster has one."""
    kinds = (kind, *node_kinds(spec).values())
    architectures = (architecture_of(name) for kind in kinds for name in _types(spec, kind))
    return next((architecture for architecture in architectures if architecture is not None), "x86_64")


def _types(spec: Spec, kind: NodeKind) -> Iterator[str]:
    if kind.queue is None:
        yield spec.head_node.instance_type
    else:
        yield from (name for group in spec.groups_in(kind.queue) for name in group.instance_types)


def _builder(image: NodeImage) -> str:
    builder = _builders().get(image.has, {}).get(image.architecture)
    if builder is None:
        raise TrainyardError(
            f"no instance type is known on which an image for {image.has} nodes on {image.architecture} can be built",
            hint="bake it by hand, or leave these nodes with the official image",
        )
    return builder


def _boundary(spec: Spec) -> dict[str, str]:
    boundary = spec.iam.permissions_boundary
    return {} if boundary is None else {"PermissionsBoundary": boundary}


@cache
def _builders() -> dict[str, dict[str, str]]:
    builders: dict[str, dict[str, str]] = yaml.load(
        Path(__file__).with_name("image_builders.yaml").read_bytes(), Loader=yaml.CSafeLoader
    )
    return builders
