"""The stacks that clusters of every platform may have, in the order in which they are made: shared_stacks.yaml."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import yaml

from trainyard.render.cloudformation.stack import Kind, StackKind


@cache
def shared_stacks() -> dict[Kind, StackKind]:
    """Return their kinds by id."""
    with Path(__file__).with_suffix(".yaml").open("rb") as file:
        texts: dict[Kind, dict[str, str]] = yaml.load(file, Loader=yaml.CSafeLoader)
    return {kind: StackKind(kind, **of_kind) for kind, of_kind in texts.items()}
