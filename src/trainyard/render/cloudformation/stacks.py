"""The stacks that a spec needs, in the order in which they are made."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.platform_table import platform_of
from trainyard.render.cloudformation.assets import assets_parameters, needs_assets
from trainyard.render.cloudformation.iam import CAPABILITIES
from trainyard.render.cloudformation.monitoring import monitoring_parameters, needs_monitoring
from trainyard.render.cloudformation.network import needs_network, network_parameters
from trainyard.render.cloudformation.rules import needs_rules, rules_parameters
from trainyard.render.cloudformation.stack import Kind, Stack, stack_of
from trainyard.render.cloudformation.storage import needs_storage, storage_parameters
from trainyard.render.cloudformation.template import template
from trainyard.render.shared_stacks import shared_stacks
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec

_CAPABILITIES = {"monitoring": CAPABILITIES, "assets": CAPABILITIES}


def stacks(spec: Spec, ids: Ids) -> tuple[Stack, ...]:
    """Return them, those of the platform last: one of them may be the cluster.

    What an earlier stack makes is asked of ``ids``: a stand-in until that stack has outputs.
    """
    kinds = shared_stacks()
    shared = (
        stack_of(spec, kinds[kind], template(kind), parameters, _CAPABILITIES.get(kind, ()))
        for kind, parameters in _parameters(spec, ids)
    )
    return (*shared, *platform_of(spec).rendering().stacks(spec, ids))


def _parameters(spec: Spec, ids: Ids) -> Iterator[tuple[Kind, dict[str, str]]]:
    if needs_network(spec):
        yield "network", network_parameters(spec)
    if needs_storage(spec):
        yield "storage", storage_parameters(spec, ids)
    if needs_monitoring(spec):
        yield "monitoring", monitoring_parameters(spec, ids)
    if needs_rules(spec):
        yield "rules", rules_parameters(spec, ids)
    if needs_assets(spec):
        yield "assets", assets_parameters(spec, ids)
