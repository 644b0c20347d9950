"""Which logs a cluster has, and which of them are asked for."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.operate.logs.planted import CLOUD_INIT, FIRST, GROUP, HEAD, RESUME, SLURMCTLD, SLURMD, plant, put
from trainyard.edge.aws.account import Account
from trainyard.errors import InputError, TrainyardError
from trainyard.operate.logs.cluster_log import cluster_log
from trainyard.operate.logs.log_filter import LogSelection, selected_streams
from trainyard.platforms.parallelcluster.logs.cluster_logs import parsed


def names(account: Account, **wanted: Sequence[str]) -> list[str]:
    asked = LogSelection(**{key: tuple(value) for key, value in wanted.items()})
    return [stream.name for stream in selected_streams(account, cluster_log(account, "llm"), asked)]


def test_all_streams_are_listed_with_their_parts(account):
    begin = plant(account)
    log = cluster_log(account, "llm")
    assert (log.group.name, log.former, log.whole) == (GROUP, (), True)
    head = next(stream for stream in log.streams if stream.name == SLURMCTLD)
    assert (head.node, head.kind, head.first_ms, head.last_ms) == ("ip-10-0-0-5", "slurmctld", begin, begin + 3000)


def test_the_newest_group_is_taken_and_a_former_one_by_its_name(account):
    former = "/aws/parallelcluster/llm-202505061300"
    put(account, SLURMD, [], group=former)
    plant(account)
    log = cluster_log(account, "llm")
    assert (log.group.name, [log_group.name for log_group in log.former]) == (GROUP, [former])
    assert [stream.name for stream in cluster_log(account, "llm", former).streams] == [SLURMD]
    with pytest.raises(InputError, match="has no log group nobody-s") as failed:
        cluster_log(account, "llm", "nobody-s")
    assert former in str(failed.value.hint)


@pytest.mark.parametrize(
    "other", ["llm-2-202605061300", "llm-20260506130", "llm-2026050613000", "llm", "llm-prod-202605061300"]
)
def test_the_group_of_a_cluster_whose_name_begins_alike_is_not_taken(account, other):
    put(account, SLURMD, [], group=f"/aws/parallelcluster/{other}")
    with pytest.raises(TrainyardError, match="there is no log group /aws/parallelcluster/llm-…"):
        cluster_log(account, "llm")


@pytest.mark.parametrize("node", ["ip-10-0-0-5", HEAD, "ip-10-0-0-5.us-east-2.compute.internal"])
def test_a_node_is_named_by_its_host_or_its_instance(account, node):
    plant(account)
    assert names(account, nodes=[node]) == [RESUME, SLURMCTLD]


def test_a_node_is_named_as_slurm_names_it(account):
    plant(account)
    dynamodb = account.client("dynamodb")
    dynamodb.create_table(
        TableName="parallelcluster-slurm-llm",
        KeySchema=[{"AttributeName": "Id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "Id", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    item = {"Id": {"S": "gpu-dy-p5-1"}, "InstanceId": {"S": FIRST}}
    dynamodb.put_item(TableName="parallelcluster-slurm-llm", Item=item)
    assert names(account, nodes=["gpu-dy-p5-1"]) == [SLURMD]
    with pytest.raises(InputError, match="has no logs of a node 'gpu-dy-p5-2'"):
        names(account, nodes=["gpu-dy-p5-2"])


def test_several_nodes_and_logs_can_be_asked_for(account):
    plant(account)
    assert names(account, kinds=["slurmd", "slurmctld"]) == [SLURMCTLD, SLURMD]
    assert names(account, nodes=["ip-10-0-1-7", "ip-10-0-1-8"]) == [SLURMD, CLOUD_INIT]
    assert names(account, nodes=["ip-10-0-0-5"], kinds=["slurmctld"]) == [SLURMCTLD]


def test_a_log_that_is_not_there_is_refused_with_the_one_that_may_be_meant(account):
    plant(account)
    with pytest.raises(InputError, match="there is no log 'slurmctl'") as failed:
        names(account, kinds=["slurmctl"])
    assert failed.value.hint == "did you mean slurmctld?"
    with pytest.raises(InputError) as failed:
        names(account, nodes=["ip-10-0-1-8"], kinds=["slurmctld"])
    assert failed.value.hint == "there are cloud-init-output"


@pytest.mark.parametrize("name", ["build-log", "i-0aaaaaaaaaaaaaaa1", "host.i-xyz.log", "host.i-0aaaaaaaaaaaaaaa1."])
def test_a_stream_of_something_else_has_no_parts(name):
    assert parsed(name) is None
