"""The files from which the images of a cluster's nodes are built. Pure: the same input gives the same bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from trainyard.bootstrap.launcher import image_script
from trainyard.bundle.asset_lock import FILE_NAME, parse_lock
from trainyard.bundle.config_text import config_text
from trainyard.bundle.contents import missing_from_lock
from trainyard.bundle.image_readme import image_readme
from trainyard.bundle.release import release
from trainyard.errors import TrainyardError
from trainyard.platform_table import platform_of
from trainyard.render.node_image import NO_PARENT, NodeImage, install_settings
from trainyard.render.stand_ins import Ids, StandIn
from trainyard.spec.cluster import Spec

RELEASE = "release.tar"


@dataclass(frozen=True, slots=True)
class ImageBundle:
    """The files by name, the images that they build, and the ids in them that are stand-ins."""

    files: dict[str, bytes]
    images: tuple[NodeImage, ...]
    release_sha256: str
    stand_ins: tuple[StandIn, ...]
    outputs: frozenset[str]
    """Names of the stack outputs that they use, known or not."""
    unlocked: tuple[str, ...] = ()
    """What nodes install that the lock does not name."""


def assemble_images(
    spec: Spec, outputs: Mapping[str, str] | None = None, lock: bytes | None = None, parent: str | None = None
) -> ImageBundle:
    """Return what builds the images of a spec. ``parent`` is the image that they are built on, where it is known.

    Raises TrainyardError where there is nothing to bake.
    """
    ids = Ids(outputs or {})
    rendering = platform_of(spec).rendering()
    images = rendering.node_images(spec)
    if not images:
        hint = "an image is of use where software.setup, software.containers or monitoring ask for anything"
        raise TrainyardError("there is nothing to bake: the nodes of this spec install nothing", hint=hint)
    node_release = release(spec, lock, outputs)
    files: dict[str, bytes] = {}
    for image in images:
        config = rendering.node_image_config(spec, image, ids, parent or NO_PARENT)
        settings = install_settings(spec, image, ids, sha256=node_release.sha256, file=node_release.file)
        files[f"{image.name}/build-image.yaml"] = config_text(spec, config).encode()
        files[f"{image.name}/install.sh"] = image_script(settings)
    locked = parse_lock(lock, FILE_NAME)
    text = image_readme(spec, images, ids.in_order(), node_release.file, locked, parent_is_known=parent is not None)
    files = {"README.md": text.encode(), RELEASE: node_release.content, **files}
    used = node_release.outputs | ids.used
    return ImageBundle(files, images, node_release.sha256, ids.in_order(), used, missing_from_lock(spec, locked))
