"""The images that job definitions run, as what Docker builds them of: a Dockerfile each, and what it copies."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

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


def image_for(name: str, *, neuron: bool) -> ContainerImage:
    """Return an image by its name, for nodes with Trainium or others."""
    return _WITH_NEURON if neuron and name == "pytorch" else IMAGES[name]
