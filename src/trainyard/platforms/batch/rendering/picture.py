"""What only the picture of a cluster of AWS Batch shows: its job queues and its registry."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.platforms.batch.rendering.names import job_queue
from trainyard.render.diagram.cards import Card, assets, cloudwatch, registry, session_manager, ways_to_nodes
from trainyard.spec.cluster import Spec


def title(spec: Spec) -> str:
    """Return what runs the jobs."""
    del spec
    return "AWS Batch, multi-node parallel jobs"


def nodes_beside_queues(spec: Spec) -> str:
    """Return nothing: all nodes stand in queues."""
    del spec
    return ""


def has_public_control_plane(spec: Spec) -> bool:
    """Return False: AWS Batch is reached as every service of AWS is."""
    del spec
    return False


def node_cards(spec: Spec) -> Iterator[tuple[str, str, Card]]:
    """Yield nothing: all nodes stand in queues."""
    del spec
    yield from ()


def head_services(spec: Spec) -> Iterator[tuple[str, Card]]:
    """Yield what people use to reach nodes."""
    del spec
    yield session_manager()


def node_services(spec: Spec) -> Iterator[tuple[str, Card]]:
    """Yield what every node talks to."""
    queues = ", ".join(job_queue(spec, queue.name) for queue in spec.queues)
    yield "batch", Card("server", "compute", "AWS Batch", (f"job queues {queues}",))
    yield registry()
    yield from cloudwatch(spec, alarms=False)
    yield from assets(spec)


def own_file_systems(spec: Spec) -> Iterator[tuple[str, str]]:
    """Yield that there are none, where the spec has none."""
    if not spec.file_systems:
        yield "None", "containers have what their nodes have"


def ways_in(spec: Spec) -> Iterator[str]:
    """Yield that jobs are submitted to AWS Batch, and who reaches shells and Grafana beside it."""
    yield "jobs submitted to AWS Batch over HTTPS, as IAM allows"
    yield from ways_to_nodes(spec)
