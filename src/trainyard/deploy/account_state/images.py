"""The machine images of a spec as the account sees them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from trainyard.catalog.instances import find
from trainyard.catalog.parallelcluster_images import image_name
from trainyard.deploy.preflights import PreflightContext
from trainyard.edge.aws import ec2
from trainyard.launch.launch import Launch, launches


class UsedImage(NamedTuple):
    """An image of the user's own, and the nodes that boot it."""

    launch: Launch
    id: str
    described: ec2.Described | None
    """None where there is no such image."""


def own_images(context: PreflightContext) -> Iterator[UsedImage]:
    """Yield the image of all nodes that boot one of the user's own."""
    using = [(launch, launch.image) for launch in launches(context.spec) if launch.image is not None]
    if not using:
        return
    images = context.ask(ec2.images, tuple(sorted({ami for _, ami in using})))
    for launch, ami in using:
        yield UsedImage(launch, ami, images.get(ami))


def each_own_image(context: PreflightContext) -> Iterator[tuple[Launch, ec2.Described]]:
    """Yield the images of the user's own that exist. Which do not is another preflight's matter."""
    for used in own_images(context):
        if used.described is not None:
            yield used.launch, used.described


def official_images(context: PreflightContext, architecture: str) -> tuple[ec2.Described, ...] | None:
    """Return ParallelCluster's images for the operating system of the spec; None where its name is unknown."""
    name = image_name(context.spec.image.os, architecture, context.spec.parallelcluster.version)
    return None if name is None else context.ask(ec2.amazon_images, name)


def architecture_of(context: PreflightContext, name: str) -> str | None:
    """Return the architecture of an instance type, None where nobody knows the type."""
    facts = find(name)
    if facts is not None and facts.architecture is not None:
        return facts.architecture
    described = context.ask(ec2.instance_types, (name,)).get(name)
    supported = [] if described is None else described["ProcessorInfo"]["SupportedArchitectures"]
    return next((name for name in supported if name in ("x86_64", "arm64")), None)
