"""The stacks that a spec needs, in the order in which they are made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path as FilePath

from trainyard.bootstrap.launcher import follow_releases
from trainyard.document.write import indented
from trainyard.monitoring.alertmanager_config import stack_definition
from trainyard.monitoring.rules_text import rules_text
from trainyard.platform_table import platform_of
from trainyard.render.cloudformation.assets import assets_parameters, needs_assets
from trainyard.render.cloudformation.iam import CAPABILITIES
from trainyard.render.cloudformation.monitoring import (
    monitoring_parameters,
    needs_monitoring,
    needs_rules,
    rules_parameters,
)
from trainyard.render.cloudformation.network import needs_network, network_parameters
from trainyard.render.cloudformation.stack import Kind, Stack, stack_of
from trainyard.render.cloudformation.storage import needs_storage, storage_parameters, storage_template
from trainyard.render.shared_stacks import shared_stacks
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec
from trainyard.spec.software import AlertReceiver

_NEEDED: Mapping[Kind, Callable[[Spec], bool]] = {
    "network": needs_network,
    "storage": needs_storage,
    "monitoring": needs_monitoring,
    "rules": needs_rules,
    "assets": needs_assets,
}
_PARAMETERS: Mapping[Kind, Callable[[Spec, Ids], dict[str, str]]] = {
    "network": lambda spec, _: network_parameters(spec),
    "storage": storage_parameters,
    "monitoring": monitoring_parameters,
    "rules": rules_parameters,
    "assets": assets_parameters,
}
_CAPABILITIES = {"monitoring": CAPABILITIES, "assets": CAPABILITIES}
# A line that ends so begins a literal block of YAML, which is empty in the file: what belongs there is a document of
# its own, which comes below the line as text.
_SLOT = "|  # slot: "


def shared_kinds(spec: Spec) -> tuple[Kind, ...]:
    """Return which of the stacks that every platform may have a spec needs, in order. Nothing is rendered for that."""
    return tuple(kind for kind in shared_stacks() if _NEEDED[kind](spec))


def stack(spec: Spec, kind: Kind, ids: Ids) -> Stack:
    """Return one of the stacks that a spec needs. What an earlier stack makes is asked of ``ids``."""
    if kind in _PARAMETERS:
        parameters = _PARAMETERS[kind](spec, ids)
        text = storage_template(spec, template(kind)) if kind == "storage" else template(kind, _amp_receivers(spec))
        return stack_of(spec, shared_stacks()[kind], text, parameters, _CAPABILITIES.get(kind, ()))
    return next(own for own in platform_of(spec).rendering().stacks(spec, ids) if own.kind == kind)


def stacks(spec: Spec, ids: Ids) -> tuple[Stack, ...]:
    """Return them all, those of the platform last: one of them may be the cluster.

    What an earlier stack makes is asked of ``ids``: a stand-in until that stack has outputs.
    """
    shared = (stack(spec, kind, ids) for kind in shared_kinds(spec))
    return (*shared, *platform_of(spec).rendering().stacks(spec, ids))


@cache
def template(kind: Kind, receivers: tuple[AlertReceiver, ...] = ()) -> str:
    """Return the text of a template, comments and all.

    ``receivers`` are those that Amazon's Alertmanager is to tell of alerts, beside the topic of SNS.
    """
    return "".join(_filled(FilePath(__file__).with_name(f"{kind}.yaml").read_text(encoding="utf-8"), receivers))


def _amp_receivers(spec: Spec) -> tuple[AlertReceiver, ...]:
    return () if spec.monitoring.mode == "self-hosting" else spec.monitoring.alert_receivers


def _filled(text: str, receivers: tuple[AlertReceiver, ...]) -> Iterator[str]:
    for line in text.splitlines(keepends=True):
        yield line
        if _SLOT in line:
            indent = " " * (len(line) - len(line.lstrip()) + 2)
            yield indented(_SLOTS[line.partition(_SLOT)[2].strip()](receivers), indent)


_SLOTS: dict[str, Callable[[tuple[AlertReceiver, ...]], str]] = {
    "alert-rules": lambda _: rules_text("alert-rules"),
    "alertmanager": lambda receivers: stack_definition(receivers) if receivers else rules_text("alertmanager"),
    "recording-rules": lambda _: rules_text("recording-rules"),
    "follow-releases": lambda _: follow_releases(),
}
"""What belongs into each slot. Fn::Sub is around the Alertmanager's, and knows the names in braces."""
