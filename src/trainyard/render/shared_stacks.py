"""The stacks that clusters of every platform may have, in the order in which they are made: shared_stacks.yaml."""

from __future__ import annotations

from functools import cache

from trainyard.render.cloudformation.stack import Kind, StackKind
from trainyard.render.data_files import data


@cache
def shared_stacks() -> dict[Kind, StackKind]:
    """Return their kinds by id."""
    texts: dict[Kind, dict[str, str]] = data("shared_stacks.yaml")
    return {kind: StackKind(kind, **of_kind) for kind, of_kind in texts.items()}
