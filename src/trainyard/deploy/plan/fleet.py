"""A cluster's compute nodes coming up at once, simulated: when the first, the median and the last of them are ready.

Deferred steps are left out: they come when a node is up.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from trainyard.bundle.asset_lock import AssetLock
from trainyard.catalog.bootstrap_times import Seconds
from trainyard.deploy.plan.simulation import (
    Busy,
    Distribution,
    Fetch,
    Link,
    SimulatedNode,
    SimulatedStart,
    distribution,
    simulate,
)
from trainyard.deploy.plan.time_budget import NodeTime, StepTime, time_budget
from trainyard.spec.cluster import Spec

_BYTES_S_PER_GBIT_S = 125_000_000
_BUCKET = "bucket"


class Assumptions(NamedTuple):
    """What nobody can know beforehand."""

    seed: int = 1
    spread_s: float = 60
    """Nodes are asked for at any moment of this time."""
    # One flow gets no more outside a placement group.
    # https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-instance-network-bandwidth.html
    node_gbit_s: float = 5
    """What one node gets from the bucket."""
    shared_gbit_s: float | None = None
    """What all nodes get together; None where no limit is known, as of a gateway endpoint of S3."""
    step_mb: float = 500
    """What a step fetches whose assets have no known size."""
    refused: float = 0
    """The share of attempts to fetch that are refused, below 1."""


class SimulationRequest(NamedTuple):
    """A simulation that is asked for."""

    nodes: int
    seed: int = 1
    lock: AssetLock | None = None
    """It says how many bytes the assets of a step have."""


# The assets of the steps that a node is not up without.
_ASSET_OF = {
    "efa": "efa-installer",
    "neuron": "neuron",
    "docker": "docker",
    "nvidia-toolkit": "nvidia-container-toolkit",
}
# Of a network that exists, nobody knows the way to S3. A NAT gateway begins with this and grows to 100 Gbit/s.
# https://docs.aws.amazon.com/vpc/latest/userguide/nat-gateway-basics.html
_NAT_GATEWAY_GBIT_S = 5


class Ready(NamedTuple):
    """When the nodes of a queue are ready with one kind of image."""

    times: Distribution | None
    """Of those that came up; None where none did."""
    not_in_time: int
    """How many came up after the timeout, or never."""


class QueueOutcome(NamedTuple):
    """The nodes of one queue."""

    queue: str
    nodes: int
    timeout_s: int
    official: Ready
    baked: Ready


@dataclass(frozen=True, slots=True)
class Fleet:
    """What was simulated."""

    nodes: int
    assumptions: Assumptions
    queues: tuple[QueueOutcome, ...]
    not_counted: tuple[str, ...]
    """Steps that take no time here because nobody has measured them."""


def simulate_fleet(
    spec: Spec, count: int, *, sizes: Mapping[str, int] | None = None, assumptions: Assumptions | None = None
) -> Fleet | None:
    """Return when ``count`` nodes are ready that start at once; None where the spec is no ParallelCluster's.

    The queues share them by the most nodes that they may have. ``sizes`` are the bytes that a step fetches.
    """
    budget = time_budget(spec)
    if budget is None:
        return None
    assumed = assumptions or assumptions_of(spec)
    by_name = {node.name: node for node in budget.nodes}
    drawn = [(queue, by_name[f"queue/{queue}"]) for queue, nodes in _shares(spec, count).items() for _ in range(nodes)]
    official = _outcomes(drawn, assumed, sizes or {}, baked=False)
    baked = _outcomes(drawn, assumed, sizes or {}, baked=True)
    queues = dict.fromkeys(queue for queue, _ in drawn)
    unknown = dict.fromkeys(step for _, node in drawn for step in node.official.unknown)
    return Fleet(
        count, assumed, tuple(_of_queue(spec, queue, drawn, official, baked) for queue in queues), tuple(unknown)
    )


def assumptions_of(spec: Spec, seed: int = 1) -> Assumptions:
    """Return what is assumed of a spec where nothing else is said."""
    return Assumptions(seed, shared_gbit_s=None if spec.network.existing is None else _NAT_GATEWAY_GBIT_S)


def sizes_in(spec: Spec, lock: AssetLock) -> dict[str, int]:
    """Return how many bytes each step fetches, by a lock; of several architectures the most."""
    sizes: dict[str, Counter[str | None]] = {step: Counter() for step in _ASSET_OF}
    for step, name in _ASSET_OF.items():
        for asset in lock.assets:
            if asset.name == name and asset.os in {None, spec.image.os}:
                sizes[step][asset.arch] += asset.size_bytes
    return {step: max(by_step.values()) for step, by_step in sizes.items() if by_step}


def _shares(spec: Spec, count: int) -> dict[str, int]:
    """Return how many nodes each queue gets, by the most that it may have; together they are exactly ``count``."""
    most = {queue.name: sum(group.max_nodes for group in spec.groups_in(queue)) for queue in spec.queues}
    exact = {queue: count * nodes / sum(most.values()) for queue, nodes in most.items()}
    shares = {queue: int(share) for queue, share in exact.items()}
    for queue in sorted(exact, key=lambda queue: shares[queue] - exact[queue])[: count - sum(shares.values())]:
        shares[queue] += 1
    return shares


def _outcomes(
    drawn: list[tuple[str, NodeTime]], assumed: Assumptions, sizes: Mapping[str, int], *, baked: bool
) -> tuple[SimulatedStart, ...]:
    all_gbit_s = assumed.shared_gbit_s
    all_bytes_s = None if all_gbit_s is None else all_gbit_s * _BYTES_S_PER_GBIT_S
    links = {_BUCKET: Link(assumed.node_gbit_s * _BYTES_S_PER_GBIT_S, all_bytes_s)}
    nodes = [_node(node, assumed, sizes, number, baked=baked) for number, (_, node) in enumerate(drawn)]
    return simulate(nodes, links)


def _node(node: NodeTime, assumed: Assumptions, sizes: Mapping[str, int], number: int, *, baked: bool) -> SimulatedNode:
    """Return a node whose chances are its own: whatever the others do, and with either image, it draws the same."""
    chance = random.Random(f"{assumed.seed}/{number}")  # noqa: S311  nothing secret
    start_s = chance.random() * assumed.spread_s
    work = [
        part
        for step in node.steps
        if not step.deferred
        for part in _parts(step, (chance.random(), chance.random()), assumed, sizes, baked=baked)
    ]
    return SimulatedNode(start_s, work)


def _parts(
    step: StepTime, chances: tuple[float, float], assumed: Assumptions, sizes: Mapping[str, int], *, baked: bool
) -> Iterator[Busy | Fetch]:
    """Yield a fetch, and what is left of the step's time: estimates are of nodes that came up alone."""
    seconds = _between(step.baked if baked else step.official, chances[0])
    if step.network and not (baked and step.is_baked):
        size_bytes = sizes.get(step.name, assumed.step_mb * 1_000_000)
        yield Fetch(_BUCKET, size_bytes, _refusals(chances[1], assumed.refused))
        seconds -= size_bytes / (assumed.node_gbit_s * _BYTES_S_PER_GBIT_S)
    yield Busy(max(0.0, seconds))


def _between(seconds: Seconds | None, chance: float) -> float:
    return 0.0 if seconds is None else seconds[0] + chance * (seconds[1] - seconds[0])


def _refusals(chance: float, share: float) -> int:
    """Return how many attempts are refused in a row: one with a chance of ``share``, two with its square, and so on."""
    return 0 if share == 0 or chance == 0 else int(math.log(chance) / math.log(share))


def _of_queue(
    spec: Spec,
    queue: str,
    drawn: list[tuple[str, NodeTime]],
    official: tuple[SimulatedStart, ...],
    baked: tuple[SimulatedStart, ...],
) -> QueueOutcome:
    timeout_s = spec.timeouts.compute_node_s
    numbers = [number for number, (name, _) in enumerate(drawn) if name == queue]
    first, second = ([outcomes[number] for number in numbers] for outcomes in (official, baked))
    return QueueOutcome(queue, len(numbers), timeout_s, _ready(first, timeout_s), _ready(second, timeout_s))


def _ready(outcomes: list[SimulatedStart], timeout_s: int) -> Ready:
    ready_s = [outcome.ended_s for outcome in outcomes if not outcome.failed]
    in_time = sum(ready <= timeout_s for ready in ready_s)
    return Ready(distribution(ready_s), len(outcomes) - in_time)
