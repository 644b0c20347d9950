"""How long the steps of a node take."""

from __future__ import annotations

import pytest

from trainyard.bootstrap.steps import STEPS
from trainyard.catalog import bootstrap_times, catalog_file
from trainyard.catalog.bootstrap_times import BOOT, IN_PLACE, source_of, step_seconds

DATA = catalog_file.content(catalog_file.FOLDER / "bootstrap_times.yaml")
FACTS = [fact for facts in DATA["seconds"].values() for fact in facts]


@pytest.mark.parametrize(
    ("step", "seconds"),
    [
        ("boot", (149, 329)),
        ("efa", (300, 600)),
        ("docker", (180, 180)),
        ("enroot-pyxis", (0, 120)),
        ("cloudwatch", (0, 60)),
        ("dcgm-exporter", (60, 60)),
        ("node-exporter", (60, 60)),
        ("nccl", (5, 5)),
        ("neuron", None),
        ("fabric", None),
    ],
)
def test_a_step_takes_as_long_as_measured(step, seconds):
    assert step_seconds(step) == seconds


def test_an_estimate_for_a_role_goes_before_the_one_for_all():
    assert step_seconds(BOOT, "head", "ubuntu2204") == (300, 300)
    assert step_seconds(BOOT, "compute-gpu", "ubuntu2204") == (149, 329)
    assert source_of(BOOT, "head") != source_of(BOOT, "login")


@pytest.mark.parametrize("fact", FACTS)
def test_an_estimate_begins_with_its_least_and_has_a_source(fact):
    name, *variants = fact.split("@")
    least, most = step_seconds(name, *variants) or (1, 0)
    source = source_of(name, *variants)
    assert 0 <= least <= most
    assert source is not None
    assert source.url.startswith("https://github.com/")


def test_every_estimate_is_of_a_step_that_exists():
    known = {step.name for step in STEPS} | {BOOT, IN_PLACE}
    assert {fact.split("@")[0] for fact in FACTS} <= known


def test_no_estimate_is_longer_than_its_step_may_take():
    for step in STEPS:
        assert (step_seconds(step.name) or (0, 0))[1] <= step.timeout_s, step.name


def test_what_nobody_measured_has_no_source():
    assert bootstrap_times.source_of("neuron") is None
