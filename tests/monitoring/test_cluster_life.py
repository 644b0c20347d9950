"""The life of a cluster with everything that goes wrong: each fault is told in time and by name, no other is."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.monitoring.life.cluster import Fault, Life
from tests.monitoring.life.lived import Lived, lived

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]
FAULTS = Life(24).faults


@pytest.fixture(
    scope="module", params=[24, *(pytest.param(size, marks=pytest.mark.exhaustive) for size in (128, 1000))]
)
def life(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lived]:
    with lived(tmp_path_factory.mktemp("life"), Life(request.param)) as started:
        yield started


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.id)
def test_a_fault_is_told_in_time_with_the_names_of_what_is_ill(life: Lived, fault: Fault):
    late = {}
    for expected in fault.alerts:
        firing = life.answer_to(expected, fault)
        after_m = None if firing is None else (firing.from_s - life.life.at(fault.from_m)) / 60
        if after_m is None or after_m > expected.within_m:
            late[expected] = after_m
    assert late == {}


def test_no_other_alert_fires(life: Lived):
    assert life.unexpected() == []
