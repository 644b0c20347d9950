"""Timeouts."""

from __future__ import annotations

from tests.mission.subject import cluster, page
from trainyard.api.explain import explain_id
from trainyard.catalog.parallelcluster import limits


def test_tmo_1_both_timeouts_are_written():
    assert cluster("p5en-monitoring")["DevSettings"]["Timeouts"] == {
        "HeadNodeBootstrapTimeout": 3600,
        "ComputeNodeBootstrapTimeout": 2400,
    }
    own = limits("3.16.1")
    assert own is not None
    assert {own.default_bootstrap_timeout_s} == set(
        cluster("distributed-training-gpu")["DevSettings"]["Timeouts"].values()
    )


def test_tmo_2_every_step_has_its_estimate():
    guide = page("guides/timeouts.md")
    for step, estimate in (
        ("20-efa", "300 to 600 s"),
        ("30-docker", "180 s"),
        ("70-nccl", "5 s"),
        ("65-dcgm-exporter", "60 s"),
    ):
        row = next(line for line in guide.splitlines() if line.startswith(f"| [{step}]"))
        assert row.endswith(f"| {estimate} |")


def test_tmo_3_signs_cases_commands_and_strategies_are_there():
    guide = page("guides/timeouts.md")
    for words in ("Three signs", "Four cases", "Who looks", "## What to do", "For many nodes"):
        assert words in guide


def test_tmo_4_the_wait_condition_is_explained():
    assert "HeadNodeWaitCondition" in page("guides/timeouts.md")
    assert "head node" in explain_id("static-nodes-hold-up-head-node").rationale.lower()
