"""How near the instances of a cluster are, as EC2 says it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from trainyard.cli.nodes_output import print_topology, topology_values
from trainyard.errors import TrainyardError
from trainyard.operate.nodes.topology import ClusterTopology, cluster_topology


def instance(number: int, kind: str = "p5.48xlarge", state: str = "running") -> dict[str, Any]:
    tags = {"parallelcluster:cluster-name": "llm", "parallelcluster:queue-name": "train"}
    return {
        "InstanceId": f"i-{number:017x}",
        "InstanceType": kind,
        "State": {"Name": state},
        "Placement": {"AvailabilityZone": "us-east-2a"},
        "Tags": [{"Key": key, "Value": value} for key, value in tags.items()],
    }


class Pages:
    def __init__(self, answer: Mapping[str, Any]) -> None:
        self.answer = answer

    def paginate(self, **_: Any) -> list[Mapping[str, Any]]:
        return [self.answer]


class Ec2:
    """Answers as EC2 does, and keeps which ids it was asked about."""

    def __init__(self, instances: list[dict[str, Any]], network: Mapping[str, list[str]]) -> None:
        self.instances, self.network = instances, network
        self.asked: list[list[str]] = []

    def get_paginator(self, operation: str) -> Any:
        if operation == "describe_instances":
            return Pages({"Reservations": [{"Instances": self.instances}]})
        assert operation == "describe_instance_topology"
        return self

    def paginate(self, **asked: list[str]) -> list[Mapping[str, Any]]:
        self.asked.append(asked["InstanceIds"])
        told = [id_ for id_ in asked["InstanceIds"] if id_ in self.network]
        return [{"Instances": [{"InstanceId": id_, "NetworkNodes": self.network[id_]} for id_ in told]}]

    def describe_capacity_reservation_topology(self, **asked: list[str]) -> Mapping[str, Any]:
        known = {"InstanceType": "p5.48xlarge", "AvailabilityZone": "us-east-2a", "NetworkNodes": ["nn-1"]}
        unknown = {**known, "NetworkNodes": []}
        answers = {"cr-1": known, "cr-2": unknown}
        ids = asked["CapacityReservationIds"]
        return {"CapacityReservations": [{"CapacityReservationId": id_, **answers[id_]} for id_ in ids]}


class OneClient:
    region = "us-east-2"

    def __init__(self, ec2: Ec2) -> None:
        self.ec2 = ec2

    def client(self, service: str) -> Ec2:
        assert service == "ec2"
        return self.ec2


def looked(ec2: Ec2, *reservations: str) -> ClusterTopology:
    account: Any = OneClient(ec2)
    return cluster_topology(account, "llm", reservations)


def near(*places: str) -> Ec2:
    """Return an EC2 with an instance for each place, such as a/b/c; one of - is of a type that it tells nothing of."""
    instances = [instance(number, "m5.large" if place == "-" else "p5.48xlarge") for number, place in enumerate(places)]
    return Ec2(instances, {f"i-{n:017x}": place.split("/") for n, place in enumerate(places) if place != "-"})


def test_spines_and_switches_are_counted_and_neighbours_stand_together(capsys):
    topology = looked(near("a/b/d", "x/y/z", "a/b/c", "-", "a/b/d"))
    assert (topology.spines, topology.switches) == (2, 3)
    numbers = [int(place.id.removeprefix("i-"), base=16) for place in topology.instances]
    assert numbers == [2, 0, 4, 1, 3]
    print_topology(topology)
    printed = capsys.readouterr().out
    assert "a > b > d" in printed
    assert "llm in us-east-2: 4 of 5 running instances under 2 spines and 3 switches" in printed
    assert "of m5.large EC2 does not say where they are" in printed


def test_only_what_runs_is_asked_about_a_hundred_at_a_time():
    ec2 = near(*["a/b/c"] * 230)
    ec2.instances += [instance(900, state="pending"), instance(901, state="stopped")]
    topology = looked(ec2)
    assert [len(ids) for ids in ec2.asked] == [100, 100, 30]
    assert (len(topology.instances), topology.spines, topology.switches) == (230, 1, 1)


def test_a_reservation_is_looked_at_before_anything_runs(capsys):
    topology = looked(near(), "cr-1", "cr-2")
    print_topology(topology)
    printed = capsys.readouterr().out
    assert "cr-1" in printed
    assert "cr-2: EC2 does not say yet where it is" in printed
    assert topology_values(topology)["reservations"][0]["network_nodes"] == ("nn-1",)


def test_a_cluster_without_nodes_says_what_can_be_looked_at():
    with pytest.raises(TrainyardError, match="no instance of 'llm' runs in us-east-2") as caught:
        looked(near())
    assert "--reservation" in str(caught.value.hint)
