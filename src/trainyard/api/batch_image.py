"""The images of a cluster of AWS Batch: built with the user's own Docker, and pushed into the cluster's registry."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from trainyard.edge.aws.container_registry import digest_of, login
from trainyard.edge.bundle_folder import write_folder
from trainyard.edge.docker import ENGINES, find_engine
from trainyard.errors import InputError
from trainyard.platforms.batch.jobs.image_build import ImageBuild, image_build
from trainyard.platforms.batch.rendering.container_images import IMAGES

if TYPE_CHECKING:
    from collections.abc import Callable

    from trainyard.edge.aws.account import Account

__all__ = ["ENGINES", "IMAGES", "ImageBuild", "PushedImage", "image_build", "push_image", "write_image"]


class PushedImage(NamedTuple):
    """An image that is in the registry."""

    build: ImageBuild
    digest: str | None


def push_image(
    build: ImageBuild,
    where: Account,
    *,
    engine: str | None = None,
    folder: Path | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> PushedImage:
    """Build an image, of a folder with a Dockerfile where one is named, and push it; what Docker says goes to stderr.

    Raises InputError where the folder has no Dockerfile, TrainyardError where Docker is missing, does not answer or
    fails, or AWS does not open the registry.
    """
    if folder is not None and not (folder / "Dockerfile").is_file():
        hint = "`trainyard batch image NAME -o DIR` writes one to start from"
        raise InputError(f"there is no Dockerfile in {folder}", where=str(folder), hint=hint)
    engine_ = find_engine(engine)
    engine_.refuse_without_daemon()
    tell(f"{engine_.name} builds {build.name} for {build.platform}")
    if folder is not None:
        engine_.build(folder, build.name, build.platform)
    else:
        with tempfile.TemporaryDirectory(prefix="trainyard-image-") as temporary:
            for name, content in build.files.items():
                (Path(temporary) / name).write_bytes(content)
            engine_.build(Path(temporary), build.name, build.platform)
    with engine_.logged_in(login(where, build.registry)) as variables:
        tell(f"{engine_.name} pushes {build.name}")
        engine_.push(build.name, variables)
    return PushedImage(build, digest_of(where, build.repository, build.tag))


def write_image(build: ImageBuild, folder: Path, *, force: bool = False) -> Path:
    """Write what an image is built of into a folder, and return it. Raises InputError where it must not be replaced."""
    return write_folder(folder, build.files, force=force).folder
