"""The template of a spec's stack of AWS Batch: batch.yaml with the lists of its instance types, once for each queue."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from trainyard.errors import TrainyardError
from trainyard.platforms.batch.rendering.queue_slots import queue_slots
from trainyard.render.cloudformation.stack import IN_S3_BYTES, fits_inline
from trainyard.render.repeated_sections import for_each_queue
from trainyard.render.slots import without_comments
from trainyard.spec.cluster import Spec


def batch_template(spec: Spec) -> str:
    """Return the text: without comments where it fits into a request only so, otherwise with them.

    Raises TrainyardError where it is too long even for S3, or a type is not known well enough.
    """
    text = _whole(spec, native_template(), dense=False)
    if not fits_inline(text):
        dense = _whole(spec, without_comments(native_template()), dense=True)
        text = dense if fits_inline(dense) else text
    if len(text.encode()) > IN_S3_BYTES:
        raise TrainyardError(
            f"the template of {len(spec.queues)} queues has {len(text.encode()):,} bytes, and CloudFormation takes "
            f"{IN_S3_BYTES:,}",
            where="queues",
            hint="make two clusters of it, which may share an environment",
        )
    return text


@cache
def native_template() -> str:
    """Return the file as it lies in the package, with marks, comments and empty texts."""
    return Path(__file__).with_name("batch.yaml").read_text(encoding="utf-8")


def _whole(spec: Spec, native: str, *, dense: bool) -> str:
    return for_each_queue(native, {queue.name: queue_slots(spec, queue, dense=dense) for queue in spec.queues})
