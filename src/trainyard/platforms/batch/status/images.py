"""The images that the job definitions of a Batch cluster name, and whether they are in their registry."""

from __future__ import annotations

from collections.abc import Iterable

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.batch_job_state import JobDefinition
from trainyard.edge.aws.container_registry import image_is_there
from trainyard.platforms.batch.status.batch_status import Image


def image_states(account: Account, definitions: Iterable[JobDefinition]) -> tuple[Image, ...]:
    """Return the images of some job definitions.

    Raises NotAllowedError, or TrainyardError where AWS does not answer.
    """
    named: dict[str, list[str]] = {}
    for definition in definitions:
        for image in definition.images:
            named.setdefault(image, []).append(definition.name)
    return tuple(Image(image, tuple(names), image_is_there(account, image)) for image, names in named.items())
