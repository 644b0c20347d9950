"""A spec whose name or region was edited is another cluster, and the former one goes on costing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.deploy.preflights.good import found
from tests.deploy.preflights.recorded import Refusal
from trainyard.deploy.preflights import PreflightContext
from trainyard.deploy.preflights.deployed_under_another_name import PREFLIGHT
from trainyard.deploy.record import Stage, new_record, record_at_stage, write_record
from trainyard.edge.aws import s3
from trainyard.edge.aws.account import Account
from trainyard.finding_kinds import Problem
from trainyard.spec.parsing import parse

ZONE = "network: {availability_zone: us-east-2a}\n"
QUEUES = "queues: [{name: q, instance_type: m5.large, nodes: {min: 0, max: 4}}]\n"
TWO_ZONES = "network: {availability_zone: us-east-2a, secondary_availability_zone: us-east-2b}\n"
ID = "deployed-under-another-name"
PLATFORMS = {
    "parallelcluster": f"platform: parallelcluster\n{ZONE}{QUEUES}",
    "batch": f"platform: batch\n{ZONE}{QUEUES}",
    "eks": f"platform: eks\n{TWO_ZONES}{QUEUES}",
    "environment": f"kind: environment\n{ZONE}",
}


def text(platform: str, name: str = "llm", region: str = "us-east-2") -> str:
    return f"name: {name}\nregion: {region}\n{PLATFORMS[platform]}".replace("us-east-2a", f"{region}a").replace(
        "us-east-2b", f"{region}b"
    )


def deployed(account: Account, written: str, bucket: str | None = None, stage: Stage = "deployed") -> None:
    spec = parse(written, "spec.yaml").spec
    record = record_at_stage(new_record(spec, written, None), stage, account)
    write_record(account, bucket or s3.own_bucket(account), record)


def problems(account: Account, written: str, **more: Any) -> list[Problem]:
    return list(PREFLIGHT.problems(PreflightContext(parse(written, "spec.yaml").spec, account, **more)))


@pytest.fixture(autouse=True)
def bucket(account: Account) -> None:
    s3.make_bucket(account, s3.own_bucket(account))


@pytest.mark.parametrize("platform", PLATFORMS)
def test_the_former_name_is_told_with_what_goes_on_costing_and_what_removes_it(account: Account, platform: str):
    account = replace(account, profile=None)
    deployed(account, text(platform))
    (problem,) = problems(account, text(platform, "llm2"))
    assert problem.path == ("name",)
    assert problem.message.startswith("llm was deployed from a spec that is the same but for its name; this is another")
    assert "llm in us-east-2 goes on running and costs USD " in problem.message
    assert "`trainyard destroy llm --region us-east-2`" in str(problem.remedy)
    assert problems(account, text(platform)) == []


@pytest.mark.parametrize("platform", PLATFORMS)
def test_the_former_region_is_told_too(account: Account, platform: str):
    elsewhere = replace(account, region="eu-west-1")
    s3.make_bucket(elsewhere, s3.own_bucket(elsewhere))
    deployed(elsewhere, text(platform, region="eu-west-1"))
    (problem,) = problems(account, text(platform))
    assert problem.path == ("region",)
    assert problem.message.startswith("a cluster of this name was deployed in eu-west-1")
    assert "`trainyard destroy llm --region eu-west-1`" in str(problem.remedy)


def test_one_more_edit_beside_the_name_is_the_same_cluster_still_and_other_queues_are_another(account: Account):
    deployed(account, text("parallelcluster"))
    assert len(problems(account, text("parallelcluster", "b") + "tags: {team: x}\n")) == 1
    assert problems(account, text("parallelcluster", "b").replace("m5.large", "c5.large")) == []
    assert problems(account, text("batch", "b") + "tags: {team: x}\n") == []


def test_what_was_destroyed_or_cannot_be_read_and_what_is_replaced_are_not_told(account: Account):
    deployed(account, text("batch"), stage="destroying")
    s3.put(account, s3.own_bucket(account), "trainyard/other/deployment.json", b"no json")
    s3.put(account, s3.own_bucket(account), "trainyard/assets/x", b"")
    assert problems(account, text("batch", "b")) == []
    deployed(account, text("batch"))
    assert problems(account, text("batch", "b"), replaces="llm") == []


def test_a_cluster_that_is_there_already_asks_no_more(account: Account):
    deployed(account, text("batch"))
    template = '{"Resources": {"Topic": {"Type": "AWS::SNS::Topic"}}}'
    account.client("cloudformation").create_stack(StackName="b-network", TemplateBody=template)
    assert problems(account, text("batch", "b")) == []


def test_a_good_account_has_none_and_who_may_not_list_buckets_hears_nothing():
    assert found(ID) == []
    assert found(ID, answers={"s3.ListBuckets": Refusal("AccessDenied")}) == []
