"""Clusters of Amazon EKS that run, made without trainyard: adopted by their names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from tests.rehearsal.account_copies import prepared_account
from tests.rehearsal.eks_clusters import GPU_TAINT, config_for, eksctl_of, group
from trainyard.api.adopt import adopt_cluster
from trainyard.document.write import yaml_text
from trainyard.edge.aws.account import Account
from trainyard.errors import InputError
from trainyard.rehearsal.rehearsal import inventory
from trainyard.render.overlay import with_lists
from trainyard.render.rendering import render
from trainyard.spec.parsing import parse

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]

TRAINING = group(
    "training",
    "p5.48xlarge",
    2,
    labels={"team": "llm"},
    taints=[GPU_TAINT],
    efaEnabled=True,
    volumeSize=500,
    volumeType="gp3",
    capacityReservation={"capacityReservationTarget": {"capacityReservationID": "cr-0123456789abcdef0"}},
    instanceMarketOptions={"marketType": "capacity-block"},
)
LOGS = {"clusterLogging": {"enableTypes": ["audit"]}}
# What eksctl or EKS adds to a file, or says in another way.
_ADDED = {
    "subnets",
    "iam",
    "volumeIOPS",
    "volumeThroughput",
    "volumeSize",
    "volumeType",
    "privateNetworking",
    "amiFamily",
}


# What there is: a spec that names it is the way to plant it.
SEEDS = """\
name: planted
platform: eks
region: us-east-2
network: {availability_zone: us-east-2a, secondary_availability_zone: us-east-2b}
queues: [{name: p5, instance_type: p5.48xlarge, nodes: 2, capacity: {capacity_block: cr-0123456789abcdef0}}]
"""


@pytest.fixture(scope="module")
def account() -> Iterator[Account]:
    with prepared_account(SEEDS, lambda _account, _text: None) as planted:
        yield planted


@pytest.fixture(scope="module")
def config(account: Account) -> dict[str, Any]:
    made = config_for(account, TRAINING, cloudWatch=LOGS)
    eksctl_of(account).create_cluster(yaml_text(made), lambda _: None)
    return made


def test_its_spec_renders_the_file_that_it_was_made_of_and_the_account_is_as_before(account, config):
    before = inventory(account)
    adoption = adopt_cluster(config["metadata"]["name"], account)
    assert inventory(account) == before
    assert adoption.differences == ()
    spec = parse(adoption.spec, "cluster.yaml").spec
    rendered = with_lists(render(spec, {}).documents["cluster.yaml"])
    assert rendered["metadata"] == config["metadata"]
    assert rendered["cloudWatch"] == LOGS
    assert rendered["addons"] == config["addons"]
    assert rendered["vpc"]["id"] == config["vpc"]["id"]
    groups = {one["name"]: one for one in rendered["managedNodeGroups"]}
    for made in config["managedNodeGroups"]:
        own = groups[made["name"]]
        assert {key: own.get(key) for key in made if key not in _ADDED} == {
            key: value for key, value in made.items() if key not in _ADDED
        }
    assert groups["training"]["volumeSize"] == 500


def test_its_spec_says_what_its_nodes_are(account, config):
    adoption = adopt_cluster(config["metadata"]["name"], account)
    queue = next(one for one in parse(adoption.spec, "cluster.yaml").spec.queues if one.name == "training")
    assert (queue.instance_type, queue.efa, queue.root_volume.size_gib) == ("p5.48xlarge", True, 500)
    assert queue.capacity.capacity_block == "cr-0123456789abcdef0"  # type: ignore[union-attr]
    assert yaml.safe_load(adoption.spec)["eks"]["adopted"] is True


def test_there_is_no_such_cluster(account):
    with pytest.raises(InputError, match="there is no cluster nobody of AWS ParallelCluster or Amazon EKS"):
        adopt_cluster("nobody", account)
