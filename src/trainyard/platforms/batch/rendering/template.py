"""The template of a spec's stack of AWS Batch: batch.yaml with the lists of its instance types, once for each queue."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from trainyard.document.write import compact_yaml
from trainyard.errors import TrainyardError
from trainyard.platforms.batch.rendering.queue_slots import queue_slots
from trainyard.render.slots import filled, without_comments
from trainyard.spec.cluster import Spec

# What a request may carry, and what may lie in S3 instead.
# https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html
INLINE_BYTES, IN_S3_BYTES = 51_200, 1_048_576
_EACH, _ALL = "  #: of each queue", "  #: of all queues"
_REFERRED = re.compile(r"\$\{(\w+)")


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


def fits_inline(text: str) -> bool:
    """Return whether a request to CloudFormation can carry a template; otherwise it has to lie in S3."""
    return len(text.encode()) <= INLINE_BYTES


@cache
def native_template() -> str:
    """Return the file as it lies in the package, with marks, comments and empty texts."""
    return Path(__file__).with_name("batch.yaml").read_text(encoding="utf-8")


def _whole(spec: Spec, native: str, *, dense: bool) -> str:
    return for_each_queue(native, {queue.name: queue_slots(spec, queue, dense=dense) for queue in spec.queues})


def for_each_queue(native: str, slots: Mapping[str, Mapping[str, Any]]) -> str:
    """Return a native file filled for its first queue, with the marked part again for each further one.

    ``slots`` are the values of each queue by its name.
    """
    (_, values), *others = slots.items()
    text = filled(native, values)
    for number, (queue, own) in enumerate(others, 2):
        text = _with_queue(text, _parts(filled(native, own)), queue, number)
    return "".join(line for line in text.splitlines(keepends=True) if not line.lstrip().startswith("#:"))


def _parts(text: str) -> list[dict[str, Any]]:
    """Return what each section has for one queue, in the order of the sections."""
    regions = [part.partition(_ALL)[0] for part in text.split(_EACH)[1:]]
    return [yaml.load(textwrap.dedent(region), Loader=yaml.CSafeLoader) for region in regions]


def _with_queue(text: str, parts: list[dict[str, Any]], queue: str, number: int) -> str:
    names = {name for part in parts for name in part}
    for part in parts:
        renamed = {f"{name}{number}": numbered(value, names, number) for name, value in part.items()}
        own = textwrap.indent(f"# Queue {queue}\n{compact_yaml(renamed)}", "  ")
        # Each section has its mark once, and the one that was filled last is marked anew below.
        text = text.replace(f"{_ALL}\n", f"{own}  #: filled\n", 1)
    return text.replace("  #: filled\n", f"{_ALL}\n")


def numbered(value: Any, names: set[str], number: int) -> Any:
    """Return part of a template with a number behind every reference to one of the names."""
    if isinstance(value, list):
        return [numbered(one, names, number) for one in value]
    if not isinstance(value, dict):
        return value
    return {key: _numbered_member(key, member, names, number) for key, member in value.items()}


def _numbered_member(key: str, value: Any, names: set[str], number: int) -> Any:
    if key in ("Ref", "Condition") and isinstance(value, str):
        return _named(value, names, number)
    if key in ("Fn::GetAtt", "Fn::If"):
        return [_named(value[0], names, number), *(numbered(one, names, number) for one in value[1:])]
    if key == "Fn::Sub":
        text, *more = [value] if isinstance(value, str) else value
        made = _REFERRED.sub(lambda found: f"${{{_named(found[1], names, number)}", text)
        return [made, *(numbered(one, names, number) for one in more)] if more else made
    return numbered(value, names, number)


def _named(name: str, names: set[str], number: int) -> str:
    return f"{name}{number}" if name in names else name
