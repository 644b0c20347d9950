"""What whoever deploys a spec has to be allowed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path as FilePath
from typing import Any

import yaml

from trainyard.platform_table import platform_of
from trainyard.render.cloudformation.assets import needs_assets
from trainyard.render.cloudformation.monitoring import needs_monitoring
from trainyard.render.cloudformation.network import has_load_balancer
from trainyard.spec.cluster import Spec

_OF_MONITORING = {"amp-only": ("amp",), "amp+amg": ("amp", "amg"), "self-hosting": ("self-hosting",)}


def needed_actions(spec: Spec) -> tuple[str, ...]:
    """Return the actions, each once, in the order of the alphabet."""
    return tuple(sorted({action for part in _parts(spec) for action in parts()[part]["actions"]}))


def _parts(spec: Spec) -> Iterator[str]:
    yield "always"
    yield from platform_of(spec).deployment().permissions(spec)
    if spec.network.existing is None and spec.environment is None:
        yield "network"
    kinds = {file_system.kind for file_system in spec.file_systems if file_system.settings.id is None}
    yield from kinds & {"lustre", "openzfs", "efs"}
    if needs_assets(spec):
        yield "assets"
    if needs_monitoring(spec):
        yield from ("alerts", *_OF_MONITORING.get(spec.monitoring.mode, ()))
        if spec.monitoring.alert_email is not None:
            yield "alert-email"
        if has_load_balancer(spec):
            yield "grafana_load_balancer"


@cache
def parts() -> dict[str, Any]:
    """Return the parts of a deployment, each with its actions and the source that says so."""
    with (FilePath(__file__).parent.parent / "permissions.yaml").open("rb") as file:
        permissions: dict[str, Any] = yaml.load(file, Loader=yaml.CSafeLoader)
    return permissions
