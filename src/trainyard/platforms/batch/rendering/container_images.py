"""The images that job definitions run, as what Docker builds them of: a Dockerfile each, and what it copies."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from trainyard.catalog.architecture import architecture_of
from trainyard.catalog.instances import find
from trainyard.catalog.partition import partition_of
from trainyard.spec.cluster import Spec

_HERE = Path(__file__).parent
_FOLDER = _HERE / "dockerfiles"


class ContainerImage(NamedTuple):
    """One of the images."""

    name: str
    tag: str
    """Of the repository where its job definition looks for it by default."""
    field: str
    """Which field of the spec names another."""
    folder: str
    copies: tuple[str, ...] = ()
    """Programs beside its Dockerfile."""

    def files(self) -> dict[str, bytes]:
        """Return the files that it is built of, by name: the Dockerfile first."""
        beside = {name: (_HERE / "programs" / name).read_bytes() for name in self.copies}
        return {"Dockerfile": (_FOLDER / self.folder / "Dockerfile").read_bytes(), **beside}


IMAGES = {
    "stress-ng": ContainerImage("stress-ng", "stress-ng", "batch.stress_image", "stress-ng"),
    "nccl": ContainerImage("nccl", "nccl", "batch.nccl_image", "nccl"),
    "pytorch": ContainerImage("pytorch", "pytorch", "batch.pytorch_image", "pytorch", ("train.py",)),
}
_WITH_NEURON = IMAGES["pytorch"]._replace(folder="pytorch-neuron")
# What Docker calls them: https://docs.docker.com/build/building/multi-platform/
_PLATFORMS = {"x86_64": "linux/amd64", "arm64": "linux/arm64"}


def image_for(name: str, instance_type: str) -> ContainerImage:
    """Return an image by its name, for nodes of a type: those with Trainium have another PyTorch."""
    facts = find(instance_type)
    has_neuron = facts is not None and bool(facts.neuron_count)
    return _WITH_NEURON if has_neuron and name == "pytorch" else IMAGES[name]


def platform_for(instance_type: str) -> str:
    """Return what Docker builds for, so that it runs on nodes of a type and not only on the machine that builds."""
    return _PLATFORMS[architecture_of(instance_type) or "x86_64"]


def pushed_images(spec: Spec) -> tuple[ContainerImage, ...]:
    """Return the images that the registry of a cluster has to hold, because its spec names no others."""
    named = {"stress-ng": spec.batch.stress_image, "pytorch": spec.batch.pytorch_image}
    first = next(iter(spec.node_groups())).instance_type
    return tuple(image_for(name, first) for name, image in named.items() if image is None)


# https://docs.aws.amazon.com/AmazonECR/latest/userguide/Registries.html
_PRIVATE = re.compile(r"(?P<account>\d{12})\.dkr\.ecr\.(?P<region>[a-z0-9-]+)\.amazonaws\.com[a-z.]*/(?P<name>[^:@]+)")


def repositories(spec: Spec) -> Iterator[str]:
    """Yield the ARNs of the private repositories of ECR that the spec's images lie in, each once."""
    named = (spec.batch.stress_image, spec.batch.nccl_image, spec.batch.pytorch_image)
    matches = (_PRIVATE.match(image) for image in named if image is not None)
    yield from dict.fromkeys(
        f"arn:{partition_of(spec.region)}:ecr:{match['region']}:{match['account']}:repository/{match['name']}"
        for match in matches
        if match is not None
    )
