"""Tunnels: what is asked for, and where it leads."""

from __future__ import annotations

from typing import Any

import pytest

from tests.deploy.preflights.recorded import RecordedAccount, Refusal
from tests.operate.connect.clusters import (
    ELSEWHERE,
    FIRST,
    HEAD,
    MONITORED,
    MONITORING,
    NODES,
    STRANGER,
    account,
    instance,
    stack,
)
from trainyard.errors import InputError, TrainyardError
from trainyard.operate.connect.forwarding import NodeTunnel, TunnelRequest, tunnel_to_node, tunnel_wanted

SELF_HOSTED = stack("lab-monitoring", {"MonitoringType": "self-hosting", "MonitoringInstanceId": MONITORING})
GRAFANA = "g-0a1b2c3d4e.grafana-workspace.us-east-2.amazonaws.com"
MANAGED = stack("lab-monitoring", {"MonitoringType": "amp+amg", "ManagedGrafanaWorkspaceEndpoint": GRAFANA})
AMP_ONLY = stack("lab-monitoring", {"MonitoringType": "amp-only"})
FORWARDING = "AWS-StartPortForwardingSession"
TO_ANOTHER_HOST = "AWS-StartPortForwardingSessionToRemoteHost"


def tunnel(where: RecordedAccount, written: str, node: str | None = None) -> NodeTunnel:
    return tunnel_to_node(where, "lab", tunnel_wanted(written), node)


def request(found: NodeTunnel) -> tuple[str, str | None, dict[str, Any]]:
    """Return what is asked of Systems Manager, in the words of its API."""
    asked = found.request.arguments()
    return asked["Target"], asked.get("DocumentName"), asked["Parameters"]


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("grafana", TunnelRequest("grafana", 3000, 3000)),
        ("prometheus", TunnelRequest("prometheus", 9090, 9090)),
        ("grafana:13000", TunnelRequest("grafana", 3000, 13000)),
        ("8888", TunnelRequest(None, 8888, 8888)),
        ("8888:1234", TunnelRequest(None, 8888, 1234)),
    ],
    ids=str,
)
def test_a_tunnel_is_written_by_name_or_by_port_with_a_port_of_this_machine_or_without(
    written: str, wanted: TunnelRequest
):
    assert tunnel_wanted(written) == wanted


@pytest.mark.parametrize(
    "written", ["", "0", "65536", "99999", "grafana:0", "grafana:", "x", "22:x", "1:2:3", "-1", "٣"]
)
def test_what_is_no_tunnel_is_refused(written: str):
    with pytest.raises(InputError, match="is no tunnel"):
        tunnel_wanted(written)


@pytest.mark.parametrize(("what", "port"), [("grafana", "3000"), ("prometheus", "9090")])
def test_with_self_hosting_grafana_and_prometheus_are_on_the_monitoring_instance(what: str, port: str):
    found = tunnel(account(*NODES, MONITORED, stacks=(SELF_HOSTED,)), what)
    assert request(found) == (MONITORING, FORWARDING, {"portNumber": [port], "localPortNumber": [port]})
    assert (found.url, found.note) == (f"http://localhost:{port}", None)


def test_with_amazon_s_prometheus_the_head_node_s_own_only_sends():
    found = tunnel(account(stacks=(AMP_ONLY,)), "prometheus:19090")
    assert request(found) == (HEAD, FORWARDING, {"portNumber": ["9090"], "localPortNumber": ["19090"]})
    assert "answers no queries" in str(found.note)


def test_amazon_s_grafana_needs_no_tunnel_and_its_address_is_told():
    with pytest.raises(InputError, match="needs no tunnel") as told:
        tunnel(account(stacks=(MANAGED,)), "grafana")
    assert told.value.hint == f"open https://{GRAFANA}"


def test_a_cluster_without_grafana_has_the_local_viewer():
    with pytest.raises(InputError, match="lab has no Grafana") as told:
        tunnel(account(stacks=(AMP_ONLY,)), "grafana")
    assert "trainyard monitor view lab --region us-east-2" in str(told.value.hint)


def test_a_cluster_that_was_deployed_without_monitoring_has_neither():
    with pytest.raises(InputError, match="lab has no prometheus"):
        tunnel(account(stacks=(stack("lab", {}),)), "prometheus")


@pytest.mark.parametrize("what", ["grafana", "prometheus"])
def test_on_a_cluster_that_trainyard_did_not_make_both_are_looked_for_on_the_head_node(what: str):
    assert request(tunnel(account(), what))[0] == HEAD


def test_whoever_knows_better_names_the_node():
    assert request(tunnel(account(*NODES, ELSEWHERE), "grafana", STRANGER))[0] == STRANGER


def test_a_port_is_that_of_the_head_node_or_of_the_node_that_is_named():
    assert request(tunnel(account(), "8888"))[0] == HEAD
    assert request(tunnel(account(), "9400", FIRST))[:2] == (FIRST, FORWARDING)


@pytest.mark.parametrize("state", [None, "ConnectionLost"], ids=str)
def test_a_compute_node_without_a_session_is_reached_through_the_head_node(state: str | None):
    found = tunnel(account(offline={FIRST: state}), "9400:19400", FIRST)
    ports = {"host": ["10.0.16.1"], "portNumber": ["9400"], "localPortNumber": ["19400"]}
    assert request(found) == (HEAD, TO_ANOTHER_HOST, ports)
    assert f"goes through the head node {HEAD}" in str(found.note)


def test_who_may_not_ask_for_agents_gets_a_tunnel_to_the_node_itself():
    refusing = account(ssm__DescribeInstanceInformation=Refusal("AccessDeniedException"))
    assert request(tunnel(refusing, "9400", FIRST))[:2] == (FIRST, FORWARDING)


def test_an_instance_that_is_stopped_has_no_tunnel():
    stopped = instance(MONITORING, None, "10.0.0.20", state="stopped", tags={"trainyard:cluster": "lab"})
    with pytest.raises(TrainyardError, match=f"the monitoring instance {MONITORING} of lab is stopped"):
        tunnel(account(*NODES, stopped, stacks=(SELF_HOSTED,)), "grafana")
