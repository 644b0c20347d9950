"""How long the stages of a deployment take."""

from __future__ import annotations

import pytest

from trainyard.catalog.step_minutes import sources_of, stage_minutes


@pytest.mark.parametrize(
    ("stage", "minutes"),
    [
        ("infrastructure", (5, 8)),
        ("lustre", (5, 10)),
        ("parallelcluster", (8, 9)),
        ("openzfs", (9, 11)),
        ("amp", (1, 1)),
        ("", None),
    ],
)
def test_a_stage_takes_as_long_as_somebody_says(stage, minutes):
    assert stage_minutes(stage) == minutes


@pytest.mark.parametrize("stage", ["infrastructure", "lustre", "parallelcluster"])
def test_the_minutes_of_a_stage_have_a_source(stage):
    assert sources_of(stage)[stage].url.startswith("https://")


def test_a_stage_that_nobody_measured_has_no_source():
    assert sources_of("efs") == {}
