"""Targets that are down or missing: against EC2's instances, and by the spec alone."""

from __future__ import annotations

from tests.operate.monitoring.verify.situations import (
    FIRST,
    HEAD,
    PORTS,
    SECOND,
    FakeKeeper,
    found,
    in_account,
    instance,
    nodes,
    up,
    whole,
)
from trainyard.edge.prometheus_api import Sample
from trainyard.operate.monitoring.verify.checks import same_name
from trainyard.operate.monitoring.verify.security_groups import ports
from trainyard.operate.monitoring.verify.targets import GIVEN_S, targets

ALL_OF_GPU = "node-exporter, dcgm-exporter, trainyard-node of queue gpu"


def without(instance_id: str) -> list[Sample]:
    return [sample for sample in whole() if sample.labels["instance_id"] != instance_id]


def test_a_whole_cluster_is_good_with_an_account_and_without():
    for account in (in_account(), None):
        assert found(targets, account=account) == []
        assert found(ports, account=account) == []
        assert found(same_name, account=account) == []


def test_an_exporter_that_does_not_answer_is_named_with_its_nodes():
    keeper = FakeKeeper([*without(FIRST), *(up(job, FIRST, value=0) for job in PORTS)])
    assert ("error", "target-down", "dcgm-exporter of queue gpu does not answer: ip-10-0-0-3") in found(targets, keeper)
    assert len(found(targets, keeper)) == 3


def test_an_instance_that_is_not_scraped_is_named():
    keeper = FakeKeeper(without(SECOND))
    message = f"{ALL_OF_GPU} are not scraped: {SECOND}"
    assert found(targets, keeper, in_account()) == [("error", "target-missing", message)]


def test_one_exporter_that_is_not_scraped_is_named_alone():
    keeper = FakeKeeper([sample for sample in whole() if sample.labels["job"] != "dcgm-exporter"])
    message = f"dcgm-exporter of queue gpu is not scraped: {FIRST}, {SECOND}"
    assert found(targets, keeper, in_account()) == [("error", "target-missing", message)]


def test_a_node_that_has_just_been_launched_is_given_time():
    young = [*nodes()[:3], instance(SECOND, age_s=GIVEN_S - 1)]
    ((severity, id_, message),) = found(targets, FakeKeeper(without(SECOND)), in_account(young))
    assert (severity, id_) == ("info", "target-missing")
    assert message.endswith("launched minutes ago")
    down = FakeKeeper([*without(SECOND), *(up(job, SECOND, value=0) for job in PORTS)])
    assert found(targets, down, in_account(young)) == []


def test_instances_that_are_on_their_way_out_are_not_missed():
    leaving = [*nodes()[:3], instance(SECOND, state="shutting-down")]
    assert found(targets, FakeKeeper(without(SECOND)), in_account(leaving)) == []


def test_without_an_account_the_nodes_that_always_run_are_missed():
    message = "1 of 2 nodes of queue gpu are scraped for node-exporter, dcgm-exporter, trainyard-node"
    assert found(targets, FakeKeeper(without(SECOND))) == [("error", "target-missing", message)]


def test_where_no_node_is_scraped_only_that_is_said():
    ((_, id_, message),) = found(targets, FakeKeeper(), in_account())
    assert (id_, message) == ("no-node-discovered", "Prometheus of llm scrapes itself and no node")


def test_an_exporter_at_another_port_is_found():
    keeper = FakeKeeper([*whole(), up("dcgm-exporter", FIRST, instance="10.0.0.3:9401")])
    message = "dcgm-exporter is scraped at port 9401, and listens on 9400"
    assert found(ports, keeper) == [("error", "target-port-wrong", message)]


def test_two_head_nodes_are_two_clusters_of_one_name():
    other = "i-000000000000000ff"
    keeper = FakeKeeper([*whole(), up("node-exporter", other, "HeadNode")])
    assert found(same_name, keeper) == [
        ("error", "cluster-name-twice", f"2 head nodes send as llm: {HEAD}, {other}"),
    ]


def test_nodes_that_the_account_does_not_have_are_of_another_cluster():
    keeper = FakeKeeper([*whole(), up("node-exporter", "i-000000000000000ff")])
    assert found(same_name, keeper) == []
    message = "nodes of llm are scraped that the account does not have: i-000000000000000ff"
    assert found(same_name, keeper, in_account()) == [("warning", "cluster-name-twice", message)]
