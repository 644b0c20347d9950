"""An image that nodes of a cluster can boot instead of an official one, and what the script of its build is told."""

from __future__ import annotations

from typing import Any, NamedTuple

from trainyard.bootstrap.steps import BootstrapStep
from trainyard.render.assets import assets_folder
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec

# Accepted by the schema, and no real image: `pcluster list-official-images` tells the id.
NO_PARENT = "ami-00000000000000001"


class NodeImage(NamedTuple):
    """One image, and the nodes that boot it."""

    name: str
    """What its nodes have, and their architecture, such as gpu-x86_64."""
    has: str
    """gpu, neuron or cpu, which has neither."""
    architecture: str
    """x86_64 or arm64."""
    nodes: tuple[str, ...]
    """head, login or queue/NAME."""
    steps: tuple[BootstrapStep, ...]
    """What is baked, in order."""

    @property
    def example(self) -> str:
        """The nodes whose settings the steps get: a queue's where there is one."""
        return next((name for name in self.nodes if name.startswith("queue/")), self.nodes[0])


def image_id(spec: Spec, image: NodeImage) -> str:
    """Return the name under which pcluster knows an image: letters, digits and hyphens."""
    return f"{spec.name}-{image.name}".replace("_", "-")


def script_key(image: NodeImage) -> str:
    """Return where the script of an image lies in the folder of the cluster."""
    return f"image/{image.name}/install.sh"


def script_url(spec: Spec, image: NodeImage, ids: Ids) -> str:
    """Return where Image Builder fetches the script of an image."""
    return f"s3://{'/'.join(assets_folder(spec, ids))}/{script_key(image)}"


def install_settings(spec: Spec, image: NodeImage, ids: Ids, *, sha256: str, file: str) -> dict[str, Any]:
    """Return what the script of an image is to bake: which steps of which release."""
    return {
        "folder": f"s3://{'/'.join(assets_folder(spec, ids))}",
        "region": spec.region,
        "sha256": sha256,
        "file": file,
        "node": image.example,
        "steps": [{"script": step.script, "timeout_s": step.timeout_s} for step in image.steps],
    }
