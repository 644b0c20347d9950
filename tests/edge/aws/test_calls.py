"""Questions that AWS refuses, questions about what is not there, and answers of several pages."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Thread
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.deploy.preflights.recorded import RecordedAccount, Refusal
from trainyard.edge.aws import ec2, iam, kms, s3, s3_lookup, service_quotas
from trainyard.edge.aws.calls import by_values, call, permission_of
from trainyard.edge.aws.errors import DENIED, NO_STACK, NotAllowedError, has_code
from trainyard.errors import TrainyardError


def account(**answers: Any) -> RecordedAccount:
    return RecordedAccount("us-east-2", answers={name.replace("__", "."): one for name, one in answers.items()})


@pytest.mark.parametrize("code", sorted(DENIED))
def test_a_refusal_names_the_permission_and_keeps_what_aws_says(code):
    with pytest.raises(NotAllowedError) as raised:
        ec2.vpcs(account(ec2__DescribeVpcs=Refusal(code, "You are not authorized", 403)))
    assert raised.value.permission == "ec2:DescribeVpcs"
    assert raised.value.hint == "ask for the permission ec2:DescribeVpcs; AWS says: You are not authorized"


def test_a_refusal_says_what_could_not_be_done():
    refusing = account(ec2__DescribeVpcs=Refusal("UnauthorizedOperation", "You are not authorized", 403))
    with pytest.raises(NotAllowedError, match=r"could not list VPCs: not allowed: You are not authorized") as raised:
        call(refusing, "ec2", "describe_vpcs", doing="list VPCs")
    assert raised.value.hint == "ask for the permission ec2:DescribeVpcs, or choose a profile with --profile"


def test_a_code_may_be_told_apart_by_words_of_its_message():
    def refusal(message: str) -> ClientError:
        return ClientError({"Error": {"Code": "ValidationError", "Message": message}}, "DescribeStacks")

    assert has_code(refusal("Stack with id llm does not exist"), NO_STACK)
    assert not has_code(refusal("Stack name is too long"), NO_STACK)


@pytest.mark.parametrize(
    ("service", "operation", "permission"),
    [
        ("ec2", "describe_vpcs", "ec2:DescribeVpcs"),
        ("amp", "describe_workspace", "aps:DescribeWorkspace"),
        ("efs", "describe_access_points", "elasticfilesystem:DescribeAccessPoints"),
        ("s3", "head_bucket", "s3:ListBucket"),
        ("service-quotas", "get_aws_default_service_quota", "servicequotas:GetAWSDefaultServiceQuota"),
    ],
)
def test_an_operation_has_the_permission_that_policies_name(service, operation, permission):
    assert permission_of(service, operation) == permission


def test_filters_keep_the_names_of_tags():
    assert by_values(image_id=("ami-1",), **{"tag:my_key": ("a",)}) == [
        {"Name": "image-id", "Values": ["ami-1"]},
        {"Name": "tag:my_key", "Values": ["a"]},
    ]


def test_what_is_not_there_is_none_and_any_other_error_an_error():
    assert kms.key(account(kms__DescribeKey=Refusal("NotFoundException")), "arn") is None
    with pytest.raises(TrainyardError, match=r"could not ask AWS \(kms:DescribeKey\): busy"):
        kms.key(account(kms__DescribeKey=Refusal("DependencyTimeoutException", "busy")), "arn")


def test_every_page_is_read():
    def answer(asked: Mapping[str, Any]) -> dict[str, Any]:
        if "NextToken" in asked:
            return {"Vpcs": [{"VpcId": "vpc-2"}]}
        return {"Vpcs": [{"VpcId": "vpc-1"}], "NextToken": "more"}

    assert list(ec2.vpcs(account(ec2__DescribeVpcs=answer))) == ["vpc-1", "vpc-2"]


def test_many_actions_are_simulated_in_several_calls():
    asked: list[int] = []

    def answer(question: Mapping[str, Any]) -> dict[str, Any]:
        asked.append(len(question["ActionNames"]))
        results = [{"EvalActionName": name, "EvalDecision": "allowed"} for name in question["ActionNames"]]
        return {"EvaluationResults": results}

    actions = tuple(f"ec2:Action{number}" for number in range(230))
    found = iam.decisions(account(iam__SimulatePrincipalPolicy=answer), "arn:aws:iam::123456789012:user/ml", actions)
    assert [decision.action for decision in found] == list(actions)
    assert asked == [100, 100, 30]


def test_a_quota_of_zero_is_a_value_and_not_asked_for_again():
    zero = {"Quota": {"QuotaName": "Running On-Demand P instances", "Value": 0.0}}
    asking = RecordedAccount("us-east-2", answers={"service-quotas.GetServiceQuota": zero})
    assert service_quotas.quota(asking, "ec2", "L-417A185B") == ("Running On-Demand P instances", 0.0)


@pytest.mark.parametrize(
    ("refusal", "expected"),
    [
        (Refusal("404", status=404), ("missing", None)),
        (Refusal("403", status=403, headers={"x-amz-bucket-region": "eu-west-1"}), ("refused", "eu-west-1")),
        (Refusal("301", status=301, headers={"x-amz-bucket-region": "eu-west-1"}), ("there", "eu-west-1")),
    ],
)
def test_s3_says_of_a_bucket_what_its_head_says(refusal, expected):
    assert s3_lookup.bucket(account(s3__HeadBucket=refusal), "ml-bucket") == expected


@pytest.mark.parametrize("headers", [{}, {"x-amz-bucket-region": "us-east-2"}], ids=["no region", "our region"])
def test_a_head_without_a_reason_is_told_as_credentials_that_have_expired(headers):
    refused = Refusal("400", "Bad Request", 400, headers)
    refusing = account(s3__HeadBucket=refused, sts__GetCallerIdentity={"Account": "123456789012"})
    for ask in (s3.bucket_problem, s3_lookup.bucket):
        with pytest.raises(TrainyardError, match="most often the credentials have expired") as raised:
            ask(refusing, "ml-bucket")
        assert "aws sso login" in str(raised.value.hint)


def test_a_bucket_that_answers_403_is_not_ours_to_use():
    refusing = account(s3__HeadBucket=Refusal("403", status=403), sts__GetCallerIdentity={"Account": "123456789012"})
    assert s3.bucket_problem(refusing, "ml-bucket") == "it belongs to another account, or you may not use it"


def test_clients_can_be_asked_for_by_many_threads_at_once():
    asking = account(ec2__DescribeVpcs={"Vpcs": []})
    made: list[Any] = []
    threads = [Thread(target=lambda: made.append(asking.client("ec2"))) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 16
    assert len({id(one) for one in made}) == 1
