"""What only the picture of an environment shows: that clusters stand in it."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.render.diagram.cards import Card
from trainyard.render.diagram.cards import assets as node_services
from trainyard.render.diagram.cards import ways_to_nodes as ways_in
from trainyard.spec.cluster import Spec

__all__ = [
    "has_public_control_plane",
    "head_services",
    "node_cards",
    "node_services",
    "nodes_beside_queues",
    "own_file_systems",
    "title",
    "ways_in",
]


def title(spec: Spec) -> str:
    """Return what it is."""
    del spec
    return "An environment: network, file systems and monitoring that several clusters share"


def nodes_beside_queues(spec: Spec) -> str:
    """Return nothing: there are no nodes."""
    del spec
    return ""


def has_public_control_plane(spec: Spec) -> bool:
    """Return False: there is none."""
    del spec
    return False


def node_cards(spec: Spec) -> Iterator[tuple[str, str, Card]]:
    """Yield what stands for the clusters."""
    yield (
        "private",
        "clusters",
        Card("server", "compute", "Clusters", (f"those whose spec says environment: {spec.name}",)),
    )


def head_services(spec: Spec) -> Iterator[tuple[str, Card]]:
    """Yield nothing: people come in through the clusters."""
    del spec
    yield from ()


def own_file_systems(spec: Spec) -> Iterator[tuple[str, str]]:
    """Yield that there are none, where the spec has none."""
    if not spec.file_systems:
        yield "None", "clusters bring their own"
