"""What is installed on the nodes of a queue: what the spec says of the queue, else what fits its instance types."""

from __future__ import annotations

from trainyard.catalog.instance_type import InstanceType
from trainyard.catalog.instances import find
from trainyard.spec.cluster import Spec
from trainyard.spec.queue import Queue
from trainyard.spec.software import Setup


def setup_of(spec: Spec, queue: Queue) -> Setup:
    """Return the setup of a queue.

    A setup for accelerators that the spec gives the whole cluster is for the queues that have such: a queue of another
    kind gets what fits it, where the types of all its nodes are known and alike.
    """
    if queue.setup is not None or spec.software.setup not in ("gpu", "neuron"):
        return queue.setup or spec.software.setup
    types = [find(name) for group in spec.groups_in(queue) for name in group.instance_types]
    fitting = {None if facts is None else fitting_setup(facts) for facts in types}
    return (fitting.pop() if len(fitting) == 1 else None) or spec.software.setup


def checks_health(spec: Spec, queue: Queue | None = None) -> bool:
    """Return whether the health of a queue's nodes is looked at around jobs; without one, of the nodes of any queue."""
    queues = spec.queues if queue is None else (queue,)
    return spec.software.health_checks and any(setup_of(spec, queue) in ("gpu", "neuron") for queue in queues)


def fitting_setup(facts: InstanceType) -> Setup | None:
    """Return the setup that fits the accelerators of a type; None where nobody knows whether it has any."""
    if facts.gpu_count is None:
        return None
    if facts.gpu_count:
        return "gpu"
    return "neuron" if facts.neuron_count else "cpu"
