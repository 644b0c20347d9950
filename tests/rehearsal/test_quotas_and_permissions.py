"""The account has room for every spec and lets everybody do everything, unless a test wants it otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import pytest

from tests.rehearsal import cloud
from tests.specs import spec_of
from trainyard.catalog.service_quotas import every_quota, network_quota
from trainyard.deploy.preflight_runner import run_preflights
from trainyard.deploy.preflights import PreflightContext
from trainyard.rehearsal.emulated import faults
from trainyard.rehearsal.emulated.emulated_account import emulated_account
from trainyard.rehearsal.emulated.faults import FAULTS, Faults
from trainyard.rehearsal.emulated.seeds import seeds_of

SPEC = "queues: [{name: gpu, instance_type: p5.48xlarge, nodes: 2}]\nnetwork: {availability_zone: us-east-2a}"
P_INSTANCES = "L-417A185B"
SOMEBODY = "arn:aws:iam::123456789012:user/somebody"


@pytest.fixture
def planted() -> Iterator[None]:
    yield
    faults.plant({})


def found(**wrong: Any) -> dict[str, str]:
    spec = spec_of(SPEC)
    with emulated_account(spec.region, seeds=seeds_of(spec, faults=wrong)) as account:
        findings = run_preflights(PreflightContext(spec, account, {}, None), lambda _: None)
    return {finding.id: finding.message for finding in findings}


@pytest.mark.usefixtures("planted")
def test_faults_replace_the_former_ones():
    faults.plant({"quotas": {P_INSTANCES: 1}, "denied_actions": ["iam:CreateRole"]})
    assert FAULTS.quotas == {P_INSTANCES: 1}
    faults.plant({"no_capacity": ["p5.48xlarge"]})
    assert asdict(FAULTS) == asdict(Faults(no_capacity=["p5.48xlarge"]))


def test_an_unknown_fault_is_refused_and_changes_nothing():
    with pytest.raises(TypeError):
        faults.plant({"quota": {}})
    assert asdict(FAULTS) == asdict(Faults())


@pytest.mark.integration
@pytest.mark.enable_socket
def test_every_preflight_gets_an_answer_and_nothing_stands_in_the_way():
    assert found() == {}


@pytest.mark.integration
@pytest.mark.enable_socket
def test_quotas_that_are_too_small_and_actions_that_are_denied_are_found():
    small = {P_INSTANCES: 191, network_quota("vpcs").code: 1}
    messages = found(quotas=small, denied_actions=["iam:CreateRole"])
    assert set(messages) == {"vcpu-quota-too-small", "network-quota-too-small", "permission-missing"}
    assert "may run 191, of which 0 are in use" in messages["vcpu-quota-too-small"]
    assert "the account has 1 of 1" in messages["network-quota-too-small"]
    assert messages["permission-missing"].endswith("is forbidden iam:CreateRole")


@pytest.mark.integration
@pytest.mark.enable_socket
def test_every_quota_of_the_catalog_has_a_value_and_the_default_is_what_the_catalog_says(account):
    client = account.client("service-quotas")
    for quota in every_quota():
        asked = {"ServiceCode": quota.service, "QuotaCode": quota.code}
        assert client.get_service_quota(**asked)["Quota"]["Value"] >= 1e6
        assert client.get_aws_default_service_quota(**asked)["Quota"]["Value"] == quota.at_first


@pytest.mark.integration
@pytest.mark.enable_socket
def test_a_quota_that_nobody_knows_does_not_exist(account):
    client = account.client("service-quotas")
    for call in (client.get_service_quota, client.get_aws_default_service_quota):
        assert cloud.refusal(call, ServiceCode="ec2", QuotaCode="L-00000000")[0] == "NoSuchResourceException"


@pytest.mark.integration
@pytest.mark.enable_socket
def test_the_policy_simulator_answers_for_each_action_and_resource(account):
    asked: dict[str, Any] = {"PolicySourceArn": SOMEBODY, "ActionNames": ["s3:GetObject", "iam:CreateRole"]}
    simulate = account.client("iam").simulate_principal_policy
    results = simulate(**asked)["EvaluationResults"]
    assert [(result["EvalActionName"], result["EvalResourceName"], result["EvalDecision"]) for result in results] == [
        ("s3:GetObject", "*", "allowed"),
        ("iam:CreateRole", "*", "allowed"),
    ]
    both = simulate(**asked, ResourceArns=["arn:aws:s3:::a", "arn:aws:s3:::b"])["EvaluationResults"]
    assert len(both) == 4
