"""Everything that a spec renders to: documents, manifests and stacks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import yaml

from trainyard.platform_table import platform_of
from trainyard.render.cloudformation.stack import Stack
from trainyard.render.cloudformation.stacks import stacks
from trainyard.render.nodes import node_plan
from trainyard.render.stand_ins import Ids, StandIn
from trainyard.spec.cluster import Spec

MANIFESTS = "manifests/"
"""What the names of manifests begin with."""
EXAMPLES = f"{MANIFESTS}examples/"
"""What the names of jobs begin with, which are not installed with everything else."""


class Rendering(NamedTuple):
    """The documents and stacks of a spec, and the ids in them that a deployment has to fill in."""

    documents: dict[str, Any]
    """By file name: a mapping, or a list of mappings for a file of several documents."""
    manifests: dict[str, str]
    """By file name: those of the documents that are manifests, as text with the comments of their native files."""
    stacks: tuple[Stack, ...]
    """In the order in which they are made, all of them before a cluster that is no stack."""
    stand_ins: tuple[StandIn, ...]
    outputs: frozenset[str]
    """Names of the stack outputs that documents and stacks use, known or not."""


def render(spec: Spec, outputs: Mapping[str, str]) -> Rendering:
    """Return the documents of a spec. ``outputs`` are the outputs of its stacks by name, as far as they are known."""
    ids = Ids(outputs)
    part = platform_of(spec).rendering()
    documents: dict[str, Any] = {**part.cluster_documents(spec, ids), **part.collection(spec, ids)}
    manifests = {f"{MANIFESTS}{name}": text for name, text in part.manifests(spec, ids).items()}
    documents |= {name: list(yaml.load_all(text, Loader=yaml.CSafeLoader)) for name, text in manifests.items()}
    all_stacks = stacks(spec, ids)
    if spec.installs_anything:
        node_plan(spec, ids)  # lies in the bundle too, so what it asks for counts
    return Rendering(documents, manifests, all_stacks, ids.in_order(), frozenset(ids.used))
