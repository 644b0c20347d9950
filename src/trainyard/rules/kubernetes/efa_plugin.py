"""The device plugin of EFA in manifests."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules.kubernetes.workload import Container, containers

_IMAGE = re.compile(r"(?:^|/)(?:aws-)?efa-k8s-device-plugin(?::v?(?P<version>\d+(?:\.\d+)+))?(?:[-@:].*)?$")


def efa_plugins(document: Document) -> Iterator[tuple[Container, str | None]]:
    """Yield containers that run the plugin, and its version where the tag of the image says it."""
    for container in containers(document):
        image = container.written.get("image")
        if isinstance(image, str) and (match := _IMAGE.search(image)):
            yield container, match["version"]
