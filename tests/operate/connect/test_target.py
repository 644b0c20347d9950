"""The instance that is meant, by whatever people call it."""

from __future__ import annotations

import pytest

from tests.deploy.preflights.recorded import Refusal
from tests.operate.connect.clusters import (
    ELSEWHERE,
    FIRST,
    HEAD,
    LOGIN,
    MONITORED,
    MONITORING,
    NODES,
    SECOND,
    STRANGER,
    account,
    instance,
    stack,
)
from trainyard.edge.aws.errors import NotAllowedError
from trainyard.errors import InputError, TrainyardError
from trainyard.operate.connect.target import require_running
from trainyard.operate.connect.target_search import find_target

SELF_HOSTED = stack("lab-monitoring", {"MonitoringType": "self-hosting", "MonitoringInstanceId": MONITORING})


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (None, HEAD),
        ("head", HEAD),
        ("login", LOGIN),
        (FIRST, FIRST),
        ("10.0.16.2", SECOND),
        ("203.0.113.9", LOGIN),
        ("ip-10-0-16-1", FIRST),
        ("ip-10-0-16-2.us-east-2.compute.internal", SECOND),
        ("compute-gpu-st-nodes-2", SECOND),
    ],
    ids=str,
)
def test_a_node_goes_by_its_role_its_id_its_address_its_host_name_and_slurm_s_name(node: str | None, expected: str):
    names = {"compute-gpu-st-nodes-2": SECOND}
    assert find_target(account(names=names), "lab", node).instance == expected


def test_the_instance_of_the_monitoring_is_found_by_its_stack():
    target = find_target(account(*NODES, MONITORED, stacks=(SELF_HOSTED,)), "lab", "monitoring")
    assert (target.instance, target.role, target.os) == (MONITORING, "Monitoring", "alinux2023")


def test_the_instance_of_the_environment_s_monitoring_is_found_too():
    environment = {"trainyard:environment": "shared"}
    stacks = (
        stack("lab", {}, {"trainyard:cluster": "lab", **environment}),
        stack("other-monitoring", {"MonitoringType": "none"}, {"trainyard:cluster": "other", **environment}),
        stack("shared-monitoring", SELF_HOSTED_OUTPUTS, environment),
    )
    shared = instance(MONITORING, None, "10.0.0.20", tags=environment)
    assert find_target(account(*NODES, shared, stacks=stacks), "lab", "monitoring").instance == MONITORING


SELF_HOSTED_OUTPUTS = {"MonitoringType": "self-hosting", "MonitoringInstanceId": MONITORING}


def test_a_cluster_without_such_an_instance_is_told():
    with pytest.raises(InputError, match="lab has no instance for its monitoring"):
        find_target(account(), "lab", "monitoring")


def test_of_two_head_nodes_the_one_that_runs_is_meant_and_of_those_the_newest():
    former = instance(FIRST, "HeadNode", "10.0.0.4", state="stopped", age_h=0)
    assert find_target(account(former, *NODES[:1]), "lab", None).instance == HEAD
    newer = instance(SECOND, "HeadNode", "10.0.0.4", age_h=0)
    assert find_target(account(*NODES[:1], newer), "lab", None).instance == SECOND


def test_an_instance_of_nobody_we_know_is_found_by_its_id_alone():
    target = find_target(account(*NODES, ELSEWHERE), "lab", STRANGER)
    assert (target.instance, target.role, target.os, target.words) == (STRANGER, "unknown", None, STRANGER)


def test_what_was_terminated_is_not_there():
    gone = instance(HEAD, "HeadNode", "10.0.0.5", state="terminated")
    with pytest.raises(TrainyardError, match="no instance of a cluster lab is there in us-east-2") as told:
        find_target(account(gone), "lab", None)
    assert "--region" in str(told.value.hint)


def test_a_slurm_name_whose_instance_is_gone_is_none():
    names = {"compute-gpu-dy-nodes-1": STRANGER}
    with pytest.raises(InputError, match="lab has no node 'compute-gpu-dy-nodes-1'"):
        find_target(account(names=names), "lab", "compute-gpu-dy-nodes-1")


def test_a_node_that_is_not_there_is_told_with_those_that_are():
    with pytest.raises(InputError, match="lab has no node 'gpu-7'") as told:
        find_target(account(), "lab", "gpu-7")
    assert f"{FIRST} (Compute, ip-10-0-16-1)" in str(told.value.hint)


def test_a_cluster_without_login_nodes_has_none():
    with pytest.raises(TrainyardError, match="lab has no login node"):
        find_target(account(*NODES[:2]), "lab", "login")


def test_a_stopped_head_node_is_told_with_the_command_that_starts_it():
    stopped = find_target(account(instance(HEAD, "HeadNode", "10.0.0.5", state="stopped")), "lab", None)
    with pytest.raises(TrainyardError, match=f"the head node {HEAD} of lab is stopped") as told:
        require_running(stopped, "us-east-2")
    assert f"aws ec2 start-instances --region us-east-2 --instance-ids {HEAD}" in str(told.value.hint)


def test_a_node_that_is_coming_up_is_told_with_where_to_look():
    pending = find_target(account(instance(HEAD, "HeadNode", "10.0.0.5", state="pending")), "lab", None)
    with pytest.raises(TrainyardError, match="is pending") as told:
        require_running(pending, "us-east-2")
    assert "trainyard status lab --region us-east-2" in str(told.value.hint)


@pytest.mark.parametrize("name", ["", "-lab", "lab;id", "lab\n", "lab lab", "$(id)", "l" * 200], ids=repr)
def test_what_is_no_name_of_a_cluster_is_refused_before_anybody_is_asked(name: str):
    nobody = account()
    with pytest.raises(InputError, match="is no name of a cluster"):
        find_target(nobody, name, None)
    assert nobody.calls == []


def test_who_may_not_read_slurm_s_names_is_told_which_permission_is_missing():
    refusing = account(dynamodb__GetItem=Refusal("AccessDeniedException"))
    with pytest.raises(NotAllowedError) as told:
        find_target(refusing, "lab", "compute-gpu-st-nodes-1")
    assert told.value.permission == "dynamodb:GetItem"


def test_a_cluster_without_a_table_of_names_has_no_such_node():
    missing = account(dynamodb__GetItem=Refusal("ResourceNotFoundException"))
    with pytest.raises(InputError, match="has no node"):
        find_target(missing, "lab", "compute-gpu-st-nodes-1")
