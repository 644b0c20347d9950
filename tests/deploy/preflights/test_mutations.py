"""A good spec, written wrong in many ways: each is found before anything is made, at the field that is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.deploy.preflights.good import (
    ACCESS_POINT,
    PRIVATE,
    PUBLIC,
    SPEC,
    changed,
    context,
    no_stack,
    quotas,
    stack,
    subnet,
)
from tests.deploy.preflights.recorded import RecordedAccount, Refusal, listing
from trainyard.checking.spec_file import rule_findings
from trainyard.deploy.preflight_runner import run_preflights
from trainyard.deploy.preflights import all_preflights
from trainyard.finding import Finding
from trainyard.rules import all_rules
from trainyard.spec.parsing import parse

MUTATIONS = yaml.load(Path(__file__).with_name("mutations.yaml").read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
EACH = pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation["what"])
RULES = {named.id for named in all_rules()}
PREFLIGHTS = {named.id for named in all_preflights()}
READING = ("Describe", "Get", "List", "Head", "Simulate")


def answers(mutation: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the account has besides the good one: buckets and objects by name, a stack of somebody else."""
    subnets = [subnet(PUBLIC), subnet(PRIVATE, AvailableIpAddressCount=mutation.get("addresses", 200))]
    foreign = stack("payroll", owner=None)
    return {
        "ec2.DescribeSubnets": listing("Subnets", subnets, subnet_id="SubnetId"),
        "service-quotas.GetServiceQuota": quotas(mutation.get("quota", 1000)),
        "s3.HeadBucket": _bucket,
        "s3.HeadObject": lambda asked: {} if asked["Key"] == "setup.sh" else Refusal("404", status=404),
        "efs.DescribeAccessPoints": {
            "AccessPoints": [{"AccessPointId": ACCESS_POINT, "FileSystemId": "fs-0123456789abcdef2"}]
        },
        "cloudformation.DescribeStacks": lambda asked: (
            foreign(asked) if asked["StackName"] == "payroll" else no_stack(asked)
        ),
    }


def _bucket(asked: Mapping[str, Any]) -> Any:
    known = asked["Bucket"] in ("ml-assets", "ml-datasets", "ml-scripts")
    return {"BucketRegion": "us-east-2"} if known else Refusal("404", status=404)


def found(mutation: Mapping[str, Any]) -> list[Finding]:
    """Return what is found in the order of a deployment: the rules first, and the account only where they pass."""
    spec = changed(mutation["old"], mutation["new"])
    by_rules = list(rule_findings(parse(spec, "cluster.yaml")))
    if any(finding.severity == "error" for finding in by_rules) and mutation["by"] in RULES:
        return by_rules
    return list(run_preflights(context(spec, answers(mutation)), lambda _: None))


@EACH
def test_it_is_found_at_the_field_that_is_wrong(mutation):
    errors = [finding for finding in found(mutation) if finding.severity == "error"]
    assert (mutation["by"], mutation["path"]) in [(finding.id, finding.path) for finding in errors]
    assert all(finding.file == "cluster.yaml" and finding.line is not None for finding in errors)


@EACH
def test_nothing_was_made_by_then(mutation):
    asking = context(changed(mutation["old"], mutation["new"]), answers(mutation))
    run_preflights(asking, lambda _: None)
    assert isinstance(asking.account, RecordedAccount)
    assert [call for call in asking.account.calls if not call.split(".")[1].startswith(READING)] == []


def test_the_spec_as_it_was_is_good_in_this_account():
    assert run_preflights(context(SPEC, answers({})), lambda _: None) == ()


def test_there_are_more_than_twenty_that_only_the_account_can_tell():
    by_account = [mutation for mutation in MUTATIONS if mutation["by"] in PREFLIGHTS]
    assert len(by_account) > 20
    assert {mutation["by"] for mutation in MUTATIONS} <= PREFLIGHTS | RULES
