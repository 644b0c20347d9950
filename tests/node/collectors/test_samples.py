"""The text format: what is written is read back by Prometheus' own parser, whatever is in the labels."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.node.collectors.exposed import exposed
from trainyard_node.samples import LONGEST_LABEL, Samples, metrics, number

FILES = ("slurm", "slurm_rivosinc", "efa", "node_health", "collectors")


@given(st.text(max_size=LONGEST_LABEL - 1, alphabet=st.characters(codec="utf-8")), st.floats() | st.integers())
def test_any_label_and_any_number_come_back(reason: str, value: float):
    samples = Samples("slurm")
    samples.add("slurm_node_drain_reason_info", value, "a", reason)
    ((key, found),) = exposed(samples.text()).items()
    # The parser for Python ends lines at \r too, which Prometheus itself does not.
    if "\r" not in reason:
        assert key == ("slurm_node_drain_reason_info", (("node", "a"), ("reason", reason)))
    assert float(found) == float(value) or (math.isnan(found) and math.isnan(value))


def test_half_a_character_and_a_long_label_are_made_fit():
    samples = Samples("slurm")
    samples.add("slurm_node_drain_reason_info", 1, "a\udc80", "x" * 10_000)
    ((_, labels),) = exposed(samples.text())
    assert dict(labels) == {"node": "a?", "reason": "x" * (LONGEST_LABEL - 1) + "…"}


def test_the_same_labels_again_replace_a_sample():
    samples = Samples("slurm")
    samples.add("slurm_nodes_total", 1)
    samples.add("slurm_nodes_total", 2)
    assert exposed(samples.text()) == {("slurm_nodes_total", ()): 2}


def test_a_metric_without_samples_is_not_written():
    assert Samples("slurm").text() == ""


@pytest.mark.parametrize(
    ("value", "text"), [(3, "3"), (True, "1"), (0.5, "0.5"), (4.0, "4"), (2**70, str(2**70)), (-1.5e-9, "-1.5e-09")]
)
def test_a_number_is_written_as_short_as_it_can_be(value: float, text: str):
    assert number(value) == text


def test_a_wrong_number_of_labels_is_a_bug():
    with pytest.raises(ValueError, match="node"):
        Samples("slurm").add("slurm_node_drain_reason_info", 1, "a")


@pytest.mark.parametrize("file", FILES)
def test_what_is_registered_follows_the_rules_of_names(file: str):
    for metric in metrics(file).values():
        assert metric.type in ("gauge", "counter", "untyped")
        assert metric.stability in ("community", "stable", "experimental")
        assert (metric.type == "counter") <= metric.name.endswith("_total")
        assert (metric.type == "gauge") <= (not metric.name.endswith("_total"))
        if metric.stability != "community":
            assert metric.unit is None or metric.unit in metric.name
            assert metric.type != "untyped"
        assert metric.help.endswith(".")
        assert len(set(metric.labels)) == len(metric.labels)


def test_no_two_files_register_a_name_with_different_labels():
    seen: dict[str, tuple[str, ...]] = {}
    for file in FILES:
        for metric in metrics(file).values():
            assert seen.setdefault(metric.name, metric.labels) == metric.labels
