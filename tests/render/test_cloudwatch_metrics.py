"""Which nodes are told to give which metrics to CloudWatch."""

from __future__ import annotations

import pytest

from tests.specs import spec_of
from trainyard.render.cloudwatch_metrics import events_of, metrics_of
from trainyard.render.nodes import node_plan

ALL = "system, gpu, efa, efa-interfaces, slurm"
QUEUES = """\
queues:
  - {name: train, instance_type: p5.48xlarge}
  - {name: prepare, instance_type: m5.8xlarge}
  - {name: neuron, instance_type: trn1.32xlarge}
  - {name: unknown, instance_type: p9.48xlarge, efa: true}
login_nodes: {}
"""


def told(monitoring: str) -> dict[str, str]:
    nodes = node_plan(spec_of(f"{QUEUES}monitoring: {{{monitoring}}}"))["nodes"]
    return {name: node["settings"]["TRAINYARD_CLOUDWATCH_METRICS"] for name, node in nodes.items()}


def test_each_kind_of_nodes_gives_what_it_has():
    assert told(f"cloudwatch_metrics: [{ALL}]") == {
        "head": "system slurm",
        "login": "system",
        "queue/train": "system gpu efa efa-interfaces",
        "queue/prepare": "system",
        "queue/neuron": "system efa efa-interfaces",
        "queue/unknown": "system gpu efa efa-interfaces",
    }


@pytest.mark.parametrize("monitoring", ["", "logs: false, cloudwatch_metrics: [system, slurm]"])
def test_no_node_gives_any_where_none_is_asked_for_or_nothing_sends_them(monitoring: str):
    assert set(told(monitoring).values()) == {""}


def test_what_is_written_twice_is_measured_once():
    assert told("cloudwatch_metrics: [slurm, system, slurm]")["head"] == "slurm system"


def test_metrics_alone_are_enough_for_nodes_to_run_something():
    nothing = "software: {setup: none}\nqueues: [{name: q, instance_type: m5.large}]\n"
    assert not spec_of(nothing).installs_anything
    assert spec_of(f"{nothing}monitoring: {{cloudwatch_metrics: [slurm]}}").installs_anything
    assert not spec_of(f"{nothing}monitoring: {{logs: false, cloudwatch_metrics: [slurm]}}").installs_anything


@pytest.mark.parametrize(
    ("wanted", "metrics", "events"),
    [("system", 11, 0), ("gpu", 48, 8), ("efa", 6, 1), ("efa-interfaces", 192, 32), ("slurm", 0, 0)],
)
def test_the_metrics_and_log_events_of_a_p5_are_counted(wanted: str, metrics: int, events: int):
    spec = spec_of("queues: [{name: q, instance_type: p5.48xlarge}]")
    (group,) = spec.node_groups()
    assert (metrics_of(group, wanted, spec), events_of(group, wanted, spec)) == (metrics, events)
