"""The instance that is meant of a Batch cluster."""

from __future__ import annotations

import pytest

from tests.deploy.preflights.recorded import Refusal
from tests.edge.aws.batch_cluster import JOB, BatchCluster, container_instance, environment, instance, job, node_of
from trainyard.api.connect import NodeRequest, shell_on
from trainyard.errors import InputError, TrainyardError
from trainyard.operate.connect.agents import require_agent
from trainyard.operate.connect.target_search import find_target

FIRST, LAST = "i-0bbbbbbbbbbbbbbb1", "i-0bbbbbbbbbbbbbbb2"
RUNNING = BatchCluster(
    instances=(
        instance(FIRST, minutes_ago=60),
        instance(LAST, minutes_ago=20, PrivateIpAddress="10.0.16.2"),
        instance("i-0bbbbbbbbbbbbbbb3", minutes_ago=5, State={"Name": "pending", "Code": 0}),
    )
)


def test_without_a_name_it_is_the_newest_instance_that_runs():
    target = find_target(RUNNING.account(), "llm", None)
    assert (target.instance, target.os, target.words) == (LAST, "alinux2023", f"the instance {LAST} of llm")


@pytest.mark.parametrize("node", [FIRST, "10.0.16.1"])
def test_an_instance_goes_by_its_id_and_its_address(node):
    assert find_target(RUNNING.account(), "llm", node).instance == FIRST


@pytest.mark.parametrize(("node", "expected"), [(f"{JOB}#1", FIRST), (f"{JOB}#0", LAST), (JOB, LAST)])
def test_a_node_of_a_job_is_where_its_container_runs(node: str, expected: str):
    whole = job("RUNNING")
    nodes = (
        node_of(whole, index, container={"containerInstanceArn": container_instance(where)["containerInstanceArn"]})
        for index, where in enumerate((LAST, FIRST))
    )
    of = RUNNING.but(jobs=(whole, *nodes), registered=(FIRST, LAST))
    assert find_target(of.account(), "llm", node).instance == expected


def test_a_job_that_runs_nowhere_is_one_clear_error():
    with pytest.raises(TrainyardError, match=f"job {JOB}#0 runs on no instance"):
        find_target(RUNNING.but(jobs=(job("RUNNABLE"),)).account(), "llm", f"{JOB}#0")


def test_a_shell_is_that_of_the_user_of_the_image_of_ecs():
    shell = shell_on(RUNNING.account(), NodeRequest("llm"))
    assert (shell.user, shell.request.parameters) == ("ec2-user", {"command": "sudo su - ec2-user"})


def test_of_an_image_that_somebody_named_the_user_is_not_known():
    named = environment(
        computeResources={"ec2Configuration": [{"imageType": "ECS_AL2023", "imageIdOverride": "ami-1"}]}
    )
    with pytest.raises(InputError, match="the default user of i-0bbbbbbbbbbbbbbb2 is not known"):
        shell_on(RUNNING.but(environments=(named,)).account(), NodeRequest("llm"))


def test_instances_of_a_cluster_that_somebody_else_made_are_found_by_their_environment():
    mine = environment(computeResources={"tags": {}})
    others = tuple({**one, "Tags": []} for one in RUNNING.instances)
    of = RUNNING.but(environments=(mine,), instances=others, stack="theirs", stack_tags={})
    assert find_target(of.account(), "theirs", None).instance == LAST


def test_where_no_instance_runs_it_says_when_batch_starts_them():
    with pytest.raises(TrainyardError, match="Batch starts them when a job wants them") as failed:
        find_target(BatchCluster().account(), "llm", None)
    assert "trainyard status llm --region us-east-2" in str(failed.value.hint)


def test_an_instance_without_the_right_to_sessions_is_one_clear_error_with_the_next_step():
    account = RUNNING.account(ssm__DescribeInstanceInformation={"InstanceInformationList": []})
    with pytest.raises(TrainyardError, match="not managed by Systems Manager") as failed:
        require_agent(account, find_target(account, "llm", None).instance)
    assert "its role needs AmazonSSMManagedInstanceCore" in str(failed.value.hint)


def test_who_may_not_look_at_the_stack_is_told_of_no_head_node():
    denied = Refusal("AccessDenied", "no", 403)
    with pytest.raises(TrainyardError, match="llm has no head node"):
        find_target(RUNNING.account(cloudformation__ListStackResources=denied), "llm", None)
