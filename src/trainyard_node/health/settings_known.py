"""Whether node.env says what the node should have: without it, no check can tell that something is missing."""

from __future__ import annotations

from trainyard_node.errors import NodeError
from trainyard_node.health.machine import Machine, count
from trainyard_node.health.outcome import Outcome
from trainyard_node.node_env import read_node_env

NAME = "settings-known"
_COUNTS = ("TRAINYARD_GPUS", "TRAINYARD_EFA_INTERFACES")
_REMEDY = "publish the release again and run it: docs/bootstrap.md"


def check(machine: Machine) -> list[Outcome]:
    """Look at the settings. An empty number is unknown on purpose: the queue has several types, or the type is new."""
    places = machine.world.places
    try:
        settings = read_node_env(places)
    except NodeError as error:
        return [Outcome(NAME, "warning", f"{error}; until then nobody knows what this node should have")]
    if not settings.get("TRAINYARD_CLUSTER"):
        return [Outcome(NAME, "warning", f"{places.node_env} is damaged: it names no cluster", remedy=_REMEDY)]
    wrong = [f"{name} is {settings[name]!a:.40}" for name in _COUNTS if _is_wrong(settings.get(name, ""))]
    if wrong:
        message = f"{places.node_env} is damaged: {', '.join(wrong)} instead of a number"
        return [Outcome(NAME, "warning", message, remedy=_REMEDY)]
    expected = machine.expected
    return [Outcome(NAME, "ok", f"{expected.instance_type or 'this node'} should have {_in_words(machine)}")]


def _is_wrong(text: str) -> bool:
    return bool(text) and count(text) is None


def _in_words(machine: Machine) -> str:
    expected = machine.expected
    counts = ((expected.gpus, "GPUs"), (expected.efa_interfaces, "EFA interfaces"))
    return " and ".join(f"{'an unknown number of' if number is None else number} {what}" for number, what in counts)
