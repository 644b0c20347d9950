"""What is wrong with the overlay of AWS Batch's stack: resources that it has not, and keys that the spec decides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from trainyard.catalog.cloudformation_keys import cloudformation_kinds
from trainyard.catalog.eksctl_keys import Shape
from trainyard.errors import TrainyardError
from trainyard.finding_kinds import Problem
from trainyard.platforms.batch.rendering.documents import batch_template
from trainyard.render.overlay import is_function, overlay_problems, unknown_keys
from trainyard.spec.cluster import Spec

_ABOVE = ("batch", "overlay")
# https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-product-attribute-reference.html
_ATTRIBUTES = ("CreationPolicy", "DeletionPolicy", "DependsOn", "Metadata", "UpdatePolicy", "UpdateReplacePolicy")


def problems(spec: Spec) -> Iterator[Problem]:
    """Yield resources that the stack has not, keys that CloudFormation does not know, and those that are rendered."""
    overlay = spec.batch.overlay
    if not overlay:
        return
    try:
        text = batch_template(spec.replaced(batch=spec.batch.replaced(overlay={})))
    except TrainyardError:  # the rules say why there is none
        return
    resources = yaml.load(text, yaml.CSafeLoader)["Resources"]
    for logical_id in sorted(overlay.keys() - resources.keys()):
        message = f"the stack has no resource {logical_id}; there are {', '.join(resources)}"
        yield Problem((*_ABOVE, logical_id), message, "name one of them")
    known = {logical_id: keys for logical_id, keys in overlay.items() if logical_id in resources}
    for logical_id, keys in known.items():
        kinds = {**cloudformation_kinds(), "": _resource(resources[logical_id]["Type"])}
        yield from unknown_keys(keys, "", (*_ABOVE, logical_id), kinds, "CloudFormation")
    yield from overlay_problems(_without_functions(resources), known, _ABOVE, lambda _: None)


def _resource(type_: str) -> Mapping[str, Shape]:
    """Return the keys that a resource of a type can have."""
    return {"Properties": type_, "Type": None, "Condition": None, **dict.fromkeys(_ATTRIBUTES, True)}


def _without_functions(value: Any) -> Any:
    """Return a part of a template with text for what a function of CloudFormation gives: nothing merges into that."""
    if isinstance(value, Mapping):
        inner = {key: _without_functions(member) for key, member in value.items()}
        return "a function" if is_function(value) else inner
    return [_without_functions(item) for item in value] if isinstance(value, list) else value
