"""What a spec wants to find in S3: data repositories and scripts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from trainyard.finding import Path
from trainyard.spec.cluster import Spec
from trainyard.spec.custom_actions import CustomActions


class InS3(NamedTuple):
    """A bucket, or a key in it, and where the spec names it."""

    path: Path
    bucket: str
    key: str


def data_repositories(spec: Spec) -> Iterator[InS3]:
    """Yield the buckets and prefixes that file systems of the spec's own are linked to."""
    for path, _, lustre in spec.new_lustre():
        yield from (_in_s3((*path, *link.uri_path), link.uri) for link in lustre.links)


def scripts(spec: Spec) -> Iterator[InS3]:
    """Yield the scripts of custom actions that lie in S3."""
    holders: list[tuple[Path, CustomActions]] = [
        (("head_node",), spec.head_node.custom_actions),
        *((path, pool.custom_actions) for path, pool in spec.login_pools()),
        *((("queues", index), queue.custom_actions) for index, queue in enumerate(spec.queues)),
    ]
    for holder, actions in holders:
        for moment in actions.field_names():
            for index, action in enumerate(getattr(actions, moment)):
                if action.script.startswith("s3://"):
                    yield _in_s3((*holder, "custom_actions", moment, index, "script"), action.script)


def _in_s3(path: Path, uri: str) -> InS3:
    bucket, _, key = uri.removeprefix("s3://").partition("/")
    return InS3(path, bucket, key)
