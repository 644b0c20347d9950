"""What an environment launches with: its launch template, its images, and the reservation that these go into."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from trainyard.edge.aws.batch_state import ComputeEnvironment
from trainyard.edge.aws.ec2 import images
from trainyard.edge.aws.launch_template import launch_template_data, reservation_of
from trainyard.platforms.batch.diagnosis.cluster_facts import BatchFacts
from trainyard.platforms.batch.diagnosis.reservation import reservation_lines

_TEMPLATES = "its launch templates"


def check(facts: BatchFacts) -> Iterator[str]:
    """Yield a line for each thing that is named and is not there, or does not fit."""
    for one in facts.environments:
        data = _template(facts, one)
        if data is None and one.launch_template is not None and not facts.refuses(_TEMPLATES):
            named, version = one.launch_template
            yield f"launch template {named} with version {version} of compute environment {one.name} does not exist"
        yield from _images(facts, one, data or {})
        if (reserved := reservation_of(data or {})) is not None:
            yield from reservation_lines(facts, one, reserved)


def launch_data(facts: BatchFacts, environment: ComputeEnvironment) -> Mapping[str, Any]:
    """Return what the launch template of an environment says; nothing where there is none."""
    return _template(facts, environment) or {}


def _template(facts: BatchFacts, environment: ComputeEnvironment) -> Mapping[str, Any] | None:
    if environment.launch_template is None:
        return None
    return facts.ask(_TEMPLATES, launch_template_data, *environment.launch_template)


def _images(facts: BatchFacts, environment: ComputeEnvironment, data: Mapping[str, Any]) -> Iterator[str]:
    own = str(data.get("ImageId", ""))
    named = tuple(dict.fromkeys([*environment.images, *([own] if own.startswith("ami-") else [])]))
    found = facts.ask("its images", images, named) if named else None
    for image in named if found is not None else ():
        if image not in (found or {}):
            what = f"image {image} of compute environment {environment.name}"
            yield f"{what} is not there, or not shared with the account"
