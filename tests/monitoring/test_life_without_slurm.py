"""Faults of jobs that no Slurm tells, pods on Amazon EKS and jobs of AWS Batch, are found with their names as well."""

from __future__ import annotations

import urllib.parse
from collections.abc import Iterator

import pytest

from tests.browser import chromium
from tests.monitoring.life.lived import Lived, lived
from tests.monitoring.life.without_slurm import LifeWithoutSlurm
from tests.operate.monitoring.viewer.above_the_fold import SeenText, texts_above_the_fold
from tests.operate.monitoring.viewer.viewing import viewing

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]
HUNG = {
    "eks": ("research/pretrain-70b", "pretrain-70b", "research"),
    "batch": ("00000000-0000-0000-0000-000000000fa1", "pretrain-70b", "p5-cluster-p5"),
}
"""The job whose nodes hang first: its id, name and owner."""


@pytest.fixture(scope="module", params=HUNG)
def life(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lived]:
    told = LifeWithoutSlurm(24, length_m=70, platform=request.param)
    with lived(tmp_path_factory.mktemp("life"), told) as started:
        yield started


def platform(life: Lived) -> str:
    assert isinstance(life.life, LifeWithoutSlurm)
    return life.life.platform


def test_each_fault_is_told_in_time_with_the_names_of_node_and_job(life: Lived):
    faults = [fault for fault in life.life.faults if fault.to_m <= life.life.minutes]
    assert {"hang-of-some-nodes", "hang-of-all-nodes", "throttled-gpu-with-violation-counters"} <= {
        fault.id for fault in faults
    }
    assert {fault.id: late for fault in faults if (late := life.late(fault))} == {}


def test_nothing_else_alarms(life: Lived):
    assert life.unexpected() == []


def test_the_alert_of_a_hang_says_whose_job_it_is(life: Lived):
    told = {(labels["jobid"], labels["jobname"], labels["user"])
            for one in life.firings if one.alert == "job-hangs" and (labels := dict(one.labels))}  # fmt: skip
    assert HUNG[platform(life)] in told


@pytest.fixture(scope="module")
def seen(life: Lived) -> dict[int, list[SeenText]]:
    """Return what the page of the hung job shows above the fold before it hangs and while it does, by the minute."""
    job = urllib.parse.quote(HUNG[platform(life)][0], safe="")
    with viewing(life.api) as viewer, chromium() as browser:
        window = browser.new_page(viewport={"width": 1400, "height": 900})
        read = {}
        for minute in (8, 40):
            window.goto(f"{viewer.url}job?to={life.life.at(minute):.0f}&job={job}")
            window.wait_for_selector("body[data-complete]", timeout=300_000)
            read[minute] = texts_above_the_fold(window)
        return read


def test_its_page_shows_the_job_with_its_nodes_and_that_it_computes_nothing(
    life: Lived, seen: dict[int, list[SeenText]]
):
    id_, name, owner = HUNG[platform(life)]
    for minute, busy in ((8, True), (40, False)):
        texts = seen[minute]
        assert {SeenText("jobs", text) for text in (id_, name, owner)} <= set(texts)
        assert SeenText("nodes", "6") in texts
        tensor = [text for panel, text in texts if panel == "tensor-now" and text.endswith("%")]
        assert [float(text.rstrip(" %")) > 10 for text in tensor] == [busy], texts
