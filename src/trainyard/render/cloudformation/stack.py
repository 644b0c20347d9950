"""One CloudFormation stack as it is to be: its template, and all that the spec decides about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import yaml

from trainyard.document.write import yaml_text
from trainyard.render.overlay import merged
from trainyard.render.tags import all_tags
from trainyard.spec.cluster import Spec

Kind = str
"""What a stack is for: the end of its name, and the name of its template's file."""

# What a request may carry, and what may lie in S3 instead.
# https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html
INLINE_BYTES, IN_S3_BYTES = 51_200, 1_048_576


class StackKind(NamedTuple):
    """A kind of stack, and what people are told of it."""

    id: Kind
    contents: str
    """What it makes: "stack of the …"."""
    file: str
    """What its template is, in the list of a bundle's files."""
    making: str | None
    """What stands above the commands that make it by hand, before the cluster; None where it is the cluster."""


class Stack(NamedTuple):
    """What CreateStack and CreateChangeSet take."""

    kind: Kind
    name: str
    template: str
    """The text of the template, as it stands in the package, or as an overlay makes it."""
    parameters: dict[str, str]
    """Values by name: only what the spec decides; for the rest the defaults of the template are right."""
    tags: dict[str, str]
    """Tags of the stack, which CloudFormation hands on to what the stack makes."""
    capabilities: tuple[str, ...]
    texts: StackKind

    @property
    def template_file(self) -> str:
        """Return the name of the template's file in a bundle."""
        return f"{self.kind}.yaml"

    @property
    def parameters_file(self) -> str:
        """Return the name of the file with the parameters in a bundle."""
        return f"{self.kind}.parameters.json"


def stack_of(
    spec: Spec, kind: StackKind, template: str, parameters: dict[str, str], capabilities: tuple[str, ...] = ()
) -> Stack:
    """Return a stack of a spec, under the name and with the tags that all of its stacks have, its overlay merged in."""
    overlay = spec.stack_overlays.of(kind.id)
    if overlay is not None:
        parameters = {**parameters, **{name: str(value) for name, value in overlay.parameters.items()}}
        template = with_resources(template, overlay.resources)
    return Stack(kind.id, f"{spec.name}-{kind.id}", template, parameters, all_tags(spec), capabilities, kind)


def with_resources(template: str, overlay: Mapping[str, Any]) -> str:
    """Return a template with the keys of an overlay in its resources; without its comments then."""
    if not overlay:
        return template
    content = yaml.load(template, yaml.CSafeLoader)
    return yaml_text({**content, "Resources": merged(content["Resources"], overlay)}, blocks=True)


def fits_inline(template: str) -> bool:
    """Return whether a request to CloudFormation can carry a template; otherwise it has to lie in S3."""
    return len(template.encode()) <= INLINE_BYTES
