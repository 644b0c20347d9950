"""The template of AWS Batch as the document deploys it: by its own command, in the network of a stack made by hand."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources
from typing import Any

import pytest

from tests.platforms.batch.rendering.resolved import stack_of
from tests.rehearsal.account_copies import seeded_account
from tests.rehearsal.cloud import refusal
from tests.rehearsal.whole import counts
from trainyard.api.batch_submit import exit_status, follow_batch_job, submit_batch_job
from trainyard.edge.aws.account import Account
from trainyard.spec.parsing import parse

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]

SPEC = """\
name: by-hand
region: us-east-2
platform: batch
network: {availability_zone: us-east-2a}
queues:
  - name: training
    instance_type: p4d.24xlarge
    nodes: {min: 0, max: 4}
    capacity: {reservation: cr-0123456789abcdef0}
"""
NAME = "batch-distributed-training"
VPC = "vpc-stack-ml"
# Those of the document's own command.
GIVEN = {"VPCStackParameter": VPC, "CapacityReservationId": "cr-0123456789abcdef0"}
BLANK = dict.fromkeys(("AMI", "CapacityReservationResourceGroup", "EC2KeyPair"), "")


def parameters(given: dict[str, str]) -> list[dict[str, str]]:
    return [{"ParameterKey": key, "ParameterValue": value} for key, value in given.items()]


def asked(given: dict[str, str], *capabilities: str) -> dict[str, Any]:
    template = stack_of(parse(SPEC, "cluster.yaml").spec).template
    return {"TemplateBody": template, "Parameters": parameters(given), "Capabilities": list(capabilities)}


def made(account: Account, name: str, **more: Any) -> None:
    cloudformation = account.client("cloudformation")
    cloudformation.create_stack(StackName=name, **more)
    waiter = cloudformation.get_waiter("stack_create_complete")
    waiter.wait(StackName=name, WaiterConfig={"Delay": 0.2, "MaxAttempts": 200})


@pytest.fixture(scope="module")
def account() -> Iterator[Account]:
    """An account with the stack of the VPC."""
    vpc = resources.files("trainyard").joinpath("render/cloudformation/vpc-one-az.yaml").read_text(encoding="utf-8")
    with seeded_account(SPEC) as started:
        made(started, VPC, TemplateBody=vpc, Parameters=parameters({"SubnetsAZ": "us-east-2a"}))
        yield started


@pytest.mark.parametrize("more", [{}, BLANK], ids=["as-documented", "optional-ones-blank"])
def test_the_command_of_the_document_makes_a_cluster_that_takes_jobs_and_goes(account: Account, more: dict[str, str]):
    before = counts(account)
    made(account, NAME, **asked({**GIVEN, **more}, "CAPABILITY_IAM"))
    job = submit_batch_job(NAME, account, "nccl").id
    assert exit_status(follow_batch_job(NAME, account, job)) == 0
    cloudformation = account.client("cloudformation")
    cloudformation.delete_stack(StackName=NAME)
    waiter = cloudformation.get_waiter("stack_delete_complete")
    waiter.wait(StackName=NAME, WaiterConfig={"Delay": 0.2, "MaxAttempts": 200})
    left = counts(account) - before
    # The registry and the log group outlive their stack.
    assert set(left) == {"ECR repositories", "Log groups", "Log streams"} & set(left)


@pytest.mark.parametrize(
    ("given", "capabilities", "said"),
    [
        (GIVEN, (), "CAPABILITY_IAM"),
        ({**GIVEN, "CapacityBlockId": "cr-0123456789abcdef1"}, ("CAPABILITY_IAM",), "no two of these"),
        ({**GIVEN, "CapacityReservationId": "mine"}, ("CAPABILITY_IAM",), "CapacityReservationId"),
        ({**GIVEN, "Nodes": "4"}, ("CAPABILITY_IAM",), "Nodes"),
    ],
    ids=["capability", "two-reservations", "no-reservation", "unknown-parameter"],
)
def test_what_the_template_does_not_take_is_refused_and_nothing_is_made(
    account: Account, given: dict[str, str], capabilities: tuple[str, ...], said: str
):
    before = counts(account)
    _, message = refusal(account.client("cloudformation").create_stack, StackName=NAME, **asked(given, *capabilities))
    assert said in message
    assert counts(account) == before
