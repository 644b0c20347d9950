"""Arrows lead from who sends to who receives."""

from __future__ import annotations

import pytest

from tests.specs import spec_of
from trainyard.api.new import new_spec
from trainyard.render.diagram.canvas import Box
from trainyard.render.diagram.flows import Flow, flows
from trainyard.render.diagram.layout import Layout, layout
from trainyard.spec.cluster import Spec
from trainyard.spec.parsing import parse

SELF_HOSTING = """\
network: {availability_zone: us-east-2a, secondary_availability_zone: us-east-2b}
monitoring: {mode: self-hosting}
"""


def box(drawn: Layout, role: str) -> Box:
    if role in drawn.services:
        return drawn.services[role].box
    place = drawn.role(role)
    assert place is not None
    return place[1]


def touches(place: Box, point: tuple[float, float]) -> bool:
    return place.x <= point[0] <= place.right and place.y <= point[1] <= place.bottom


def arrows(spec: Spec, sender: str, receiver: str) -> list[Flow]:
    drawn = layout(spec)
    start, end = box(drawn, sender), box(drawn, receiver)
    return [flow for flow in flows(spec, drawn) if touches(start, flow.points[0]) and touches(end, flow.points[-1])]


@pytest.mark.parametrize("head", ["private", "public"])
def test_the_head_node_sends_metrics_to_the_monitoring_instance_and_is_not_scraped_by_it(head: str):
    spec = spec_of(f"{SELF_HOSTING}head_node: {{subnet: {head}}}\n")
    assert arrows(spec, "monitoring", "head") == []
    assert [flow.label for flow in arrows(spec, "head", "monitoring")] in (["metrics"], [])
    if head == "private":
        assert arrows(spec, "head", "monitoring")


def test_alerts_go_from_the_workspace_to_the_topic():
    assert [flow.label for flow in arrows(spec_of("monitoring: {mode: amp-only}"), "prometheus", "alerts")] == [
        "alerts"
    ]
    assert "alerts" in layout(spec_of(SELF_HOSTING)).services
    assert "alerts" not in layout(spec_of()).services


@pytest.mark.parametrize(
    ("architecture", "services"),
    [("batch-p5", {"session manager", "batch"}), ("eks-p5-capacity-block", {"control plane", "session manager"})],
)
def test_people_reach_what_runs_their_jobs_and_shells(architecture: str, services: set[str]):
    spec = parse(new_spec(architecture), architecture).spec
    drawn = layout(spec)
    ends = [flow.points[-1] for flow in flows(spec, drawn)]
    assert {role for role, place in drawn.services.items() if (place.box.right, place.box.middle) in ends} == services
