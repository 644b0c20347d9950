"""The stacks that a spec needs, in the order in which they are made. That of Batch is the cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from trainyard.platforms.batch.rendering.parameters import batch_parameters, needs_batch
from trainyard.platforms.batch.rendering.template import batch_template
from trainyard.platforms.eks.rendering.launch_templates import (
    launch_template_parameters,
    launch_templates,
    needs_launch_templates,
)
from trainyard.render.cloudformation.assets import assets_parameters, needs_assets
from trainyard.render.cloudformation.iam import CAPABILITIES
from trainyard.render.cloudformation.monitoring import monitoring_parameters, needs_monitoring
from trainyard.render.cloudformation.network import needs_network, network_parameters
from trainyard.render.cloudformation.rules import needs_rules, rules_parameters
from trainyard.render.cloudformation.stack import Kind, Stack
from trainyard.render.cloudformation.storage import needs_storage, storage_parameters
from trainyard.render.cloudformation.template import template
from trainyard.render.stand_ins import Ids
from trainyard.render.tags import all_tags
from trainyard.spec.cluster import Spec


def stacks(spec: Spec, ids: Ids) -> tuple[Stack, ...]:
    """Return them. What an earlier stack makes is asked of ``ids``: a stand-in until that stack has outputs."""
    tags = all_tags(spec)
    return tuple(
        Stack(
            kind=kind,
            name=f"{spec.name}-{kind}",
            template=_FOLLOWING_SPEC[kind](spec) if kind in _FOLLOWING_SPEC else template(kind),
            parameters=parameters,
            tags=tags,
            capabilities=_capabilities(kind, parameters),
        )
        for kind, parameters in _parameters(spec, ids)
    )


def _capabilities(kind: Kind, parameters: Mapping[str, str]) -> tuple[str, ...]:
    """Return what a stack needs to be allowed. That of Batch has names for its roles only where they are wanted."""
    if kind == "batch" and "IamNamePrefix" not in parameters:
        return ("CAPABILITY_IAM",)
    return CAPABILITIES if kind in ("monitoring", "assets", "batch") else ()


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
    if needs_batch(spec):
        yield "batch", batch_parameters(spec, ids)
    if needs_launch_templates(spec):
        yield "nodes", launch_template_parameters(spec, ids)


# Whose text follows the spec; those of the others are the same for all.
_FOLLOWING_SPEC: Mapping[Kind, Callable[[Spec], str]] = {"batch": batch_template, "nodes": launch_templates}
