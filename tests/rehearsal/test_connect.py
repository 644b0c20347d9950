"""Ways into a cluster that was deployed into an emulated account: what a real ParallelCluster config leads to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.operate.connect.programs import programs
from tests.rehearsal.account_copies import deployed_account
from tests.rehearsal.whole import SPEC
from trainyard.api.connect import NodeRequest, find_tunnel, open_session, shell_on, ssh_entry
from trainyard.api.nodes import cluster_topology
from trainyard.edge.aws.account import Account
from trainyard.errors import InputError, TrainyardError
from trainyard.operate.connect.forwarding import NodeTunnel

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]


@pytest.fixture(scope="module")
def account() -> Iterator[Account]:
    with deployed_account(SPEC) as copy:
        yield copy


def test_the_head_node_has_a_session_as_the_user_of_its_image(
    account: Account, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    plugin = programs(tmp_path / "bin", "session-manager-plugin")
    for name, value in plugin.variables.items():
        monkeypatch.setenv(name, value)
    shell = shell_on(account, NodeRequest("llm"))
    assert (shell.target.role, shell.user) == ("HeadNode", "ubuntu")
    assert open_session(account, shell.request) == 0
    assert shell.target.instance in plugin.calls[0]["arguments"][5]


def test_compute_and_login_nodes_are_found_and_have_sessions_of_their_own(account: Account):
    compute = find_tunnel(account, NodeRequest("llm", "compute-gpu-st-p5-48xlarge-1"), "9400")
    assert isinstance(compute, NodeTunnel)
    assert compute.target.instance in _compute_nodes(account)
    assert (compute.target.role, compute.through) == ("Compute", None)
    assert shell_on(account, NodeRequest("llm", "login")).target.role == "LoginNode"


def _compute_nodes(account: Account) -> list[str]:
    tags = [
        {"Name": "tag:parallelcluster:node-type", "Values": ["Compute"]},
        {"Name": "instance-state-name", "Values": ["running"]},
    ]
    found = account.client("ec2").describe_instances(Filters=tags)["Reservations"]
    return [instance["InstanceId"] for reservation in found for instance in reservation["Instances"]]


def test_how_near_the_nodes_are_is_asked_of_ec2(account: Account):
    topology = cluster_topology(account, "llm")
    assert {place.id for place in topology.instances} > set(_compute_nodes(account))
    assert (topology.spines, topology.switches) == (1, 1)
    assert all(place.queue == "compute-gpu" for place in topology.instances if place.network_nodes)


def test_prometheus_is_the_head_node_s_and_there_is_no_grafana_where_amazon_keeps_the_metrics(account: Account):
    assert "answers no queries" in str(find_tunnel(account, NodeRequest("llm"), "prometheus").note)
    with pytest.raises(InputError, match="llm has no Grafana"):
        find_tunnel(account, NodeRequest("llm"), "grafana")


def test_the_printed_entry_has_nothing_of_the_account(account: Account):
    assert account.id not in ssh_entry(account, NodeRequest("llm"), ("trainyard",)).text


def test_a_fleet_that_is_gone_leaves_the_head_node(account: Account):
    compute = _compute_nodes(account)[0]
    account.client("ec2").terminate_instances(InstanceIds=_compute_nodes(account))
    with pytest.raises(InputError, match=f"llm has no node '{compute}'"):
        shell_on(account, NodeRequest("llm", compute))
    assert shell_on(account, NodeRequest("llm")).target.state == "running"


def test_a_head_node_that_is_gone_is_told(account: Account):
    head = shell_on(account, NodeRequest("llm")).target.instance
    account.client("ec2").terminate_instances(InstanceIds=[head])
    with pytest.raises(TrainyardError, match="llm has no head node"):
        shell_on(account, NodeRequest("llm"))
