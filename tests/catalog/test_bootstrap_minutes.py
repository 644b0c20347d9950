"""How long nodes take to install what a setup asks for."""

from __future__ import annotations

import pytest

from trainyard.catalog.bootstrap_minutes import bootstrap_minutes, component_minutes, head_node_minutes, sources_of


@pytest.mark.parametrize(
    ("setup", "minutes"), [("gpu", (15, 20)), ("cpu", (5, 10)), ("none", (2, 3)), ("neuron", None), ("", None)]
)
def test_a_setup_takes_as_long_as_measured(setup, minutes):
    assert bootstrap_minutes(setup) == minutes


@pytest.mark.parametrize(
    ("component", "minutes"),
    [
        ("efa", (5, 10)),
        ("docker", (3, 3)),
        ("pyxis", (2, 2)),
        ("cloudwatch-agent", (1, 1)),
        ("dcgm-exporter", (1, 1)),
        ("node-exporter", (1, 1)),
        ("nccl", None),
    ],
)
def test_a_component_takes_as_long_as_measured(component, minutes):
    assert component_minutes(component) == minutes


def test_a_head_node_takes_about_five_minutes():
    assert head_node_minutes() == (5, 5)


@pytest.mark.parametrize("name", ["gpu", "cpu", "none", "efa", "pyxis", "head-node"])
def test_an_estimate_has_a_source(name):
    assert sources_of(name)[name].url.startswith("https://github.com/bae12-jo/parallelcluster-for-llm-training")


def test_what_nobody_measured_has_no_source():
    assert sources_of("neuron") == {}
