import pytest

from tests.rules.found import paths, problems
from tests.specs import spec_of
from trainyard.catalog.instances import researched_names
from trainyard.monitoring.sizing import sizings
from trainyard.rules.amp_quota_exceeded import AT_ONCE, NODES_FOR_ANY_WORKSPACE

RULE = "amp-quota-exceeded"


def spec(least: int, most: int, mode: str = "amp-only") -> str:
    return (
        f"queues: [{{name: q, instance_type: p5.48xlarge, nodes: {{min: {least}, max: {most}}}}}]\n"
        f"software: {{setup: gpu}}\nmonitoring: {{mode: '{mode}'}}\n"
    )


@pytest.mark.parametrize("mode", ["amp-only", "amp+amg"])
def test_ten_thousands_of_nodes_are_more_than_a_workspace_takes(mode: str):
    assert paths(RULE, spec(0, 40_000, mode)) == ["monitoring.mode"]
    (problem,) = problems(RULE, spec(0, 40_000, mode))
    assert problem.message.startswith(f"{mode}: 40,001 nodes make ")
    assert problem.message.endswith("the quota is 50,000,000")


def test_a_cluster_of_hundreds_is_fine():
    assert paths(RULE, spec(0, 1_000)) == []
    assert paths(RULE, spec(100, 1_000)) == []


def test_a_new_workspace_takes_less_than_it_will():
    (problem,) = problems(RULE, spec(1_200, 1_200))
    assert problem.severity == "info"
    assert "1,201 nodes make" in problem.message
    assert problem.message.endswith("and a new workspace takes 2,000,000")


@pytest.mark.parametrize("mode", ["none", "self-hosting"])
def test_other_modes_have_no_workspace(mode: str):
    assert paths(RULE, spec(0, 40_000, mode)) == []


def test_nodes_that_are_not_counted_fit_into_half_of_a_new_workspace_whatever_their_type():
    series = {}
    for name in researched_names():
        setup = "neuron" if name.startswith(("trn", "inf")) else "gpu"
        nodes = f"queues: [{{name: q, instance_type: {name}, nodes: {NODES_FOR_ANY_WORKSPACE}}}]"
        _, most = sizings(spec_of(f"{nodes}\nsoftware: {{setup: {setup}}}\nmonitoring: {{mode: amp-only}}"))
        series[name] = most.series or 0
    assert {name: count for name, count in series.items() if count > AT_ONCE / 2} == {}
