"""The made-up account, where there is no ParallelCluster."""

from __future__ import annotations

import subprocess
import sys

import pytest
from botocore.exceptions import ClientError

from tests.oracle import validation_worker
from tests.oracle.account import Account, Facts, UnansweredError
from tests.oracle.instance_types import described
from tests.oracle.mentions import Mentions


def account(config: object) -> Account:
    facts = Facts("3.16.1", "us-east-2", {"subnet-b": "b"}, described([str(config)]), ["aws:policy/Known"])
    return Account(Mentions(config), facts)


def queue(subnet: str, **compute: object) -> dict[str, object]:
    return {"Networking": {"SubnetIds": [subnet]}, "ComputeResources": [compute]}


def reserving(*queues: object) -> Account:
    return account({"Scheduling": {"SlurmQueues": list(queues)}})


RESERVED = {"InstanceType": "p5.48xlarge", "CapacityReservationTarget": {"CapacityReservationId": "cr-1"}}


def test_a_call_that_nobody_foresaw_is_an_error_that_names_it():
    asked = account({})
    with pytest.raises(UnansweredError, match=r"^ec2\.DescribeHosts has no answer"):
        asked.answer("ec2", "DescribeHosts", {})
    assert asked.unanswered == ["ec2.DescribeHosts"]


def test_a_reservation_is_as_its_queues_need_it():
    made = reserving(queue("subnet-b", MaxCount=3, **RESERVED), queue("subnet-a", **RESERVED))
    (found,) = made.answer("ec2", "DescribeCapacityReservations", {"CapacityReservationIds": ["cr-1"]}).values()
    assert [(one["InstanceType"], one["AvailabilityZone"], one["TotalInstanceCount"]) for one in found] == [
        ("p5.48xlarge", "us-east-2b", 13)
    ]


@pytest.mark.parametrize(
    ("service", "operation", "parameters"),
    [
        ("ec2", "DescribeSubnets", {"SubnetIds": ["subnet-z"]}),
        ("ec2", "DescribeCapacityReservations", {"CapacityReservationIds": ["cr-z"]}),
        ("ec2", "DescribeInstanceTypes", {"InstanceTypes": ["p9.48xlarge"]}),
        ("ec2", "DescribeImages", {"ImageIds": ["ami-z"]}),
        ("fsx", "DescribeFileSystems", {"FileSystemIds": ["fs-z"]}),
        ("fsx", "DescribeVolumes", {"VolumeIds": ["fsvol-z"]}),
        ("iam", "GetPolicy", {"PolicyArn": "arn:aws:iam::aws:policy/Unknown"}),
    ],
    ids=lambda part: part if isinstance(part, str) else "",
)
def test_what_neither_the_config_nor_aws_has_does_not_exist(service, operation, parameters):
    with pytest.raises(ClientError):
        reserving(queue("subnet-a", **RESERVED)).answer(service, operation, parameters)


@pytest.mark.parametrize("config", [None, [], {"Scheduling": {"SlurmQueues": "gpu"}}, {"SharedStorage": [1]}], ids=str)
def test_a_config_of_the_wrong_shape_mentions_nothing(config):
    mentions = Mentions(config)
    assert (mentions.subnets, mentions.compute_resources, mentions.shared_storage) == ([], [], [])


def test_a_type_that_moto_lacks_is_described_from_the_catalog():
    known = described(["p6e-gb200.36xlarge", "p5.48xlarge"])
    ours, recorded = known["p6e-gb200.36xlarge"], known["p5.48xlarge"]
    assert ours.keys() <= recorded.keys()
    assert ours["NetworkInfo"].keys() <= recorded["NetworkInfo"].keys()
    assert len(ours["NetworkInfo"]["NetworkCards"]) == 17


@pytest.mark.parametrize(
    "attempt", ["socket.create_connection(('127.0.0.1', 9))", "socket.getaddrinfo('localhost', 80)"]
)
def test_the_worker_makes_no_connection(attempt):
    script = (
        "import socket, sys; from tests.oracle.validation_worker import refuse_network;"
        f"sys.addaudithook(refuse_network); {attempt}"
    )
    root = validation_worker.__file__.rsplit("/", 3)[0]
    done = subprocess.run([sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=False)
    assert done.stderr.endswith("PermissionError: a validation makes no connection\n")
