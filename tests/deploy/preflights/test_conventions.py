"""What holds for every preflight, so that one can be added by adding one file and its test."""

from __future__ import annotations

import re
from pathlib import Path

import trainyard.deploy.preflights
from tests.deploy.preflights.good import OWN_NETWORK, SPEC, context
from tests.deploy.preflights.recorded import RecordedAccount
from tests.each_case import each_case
from trainyard.checking.explanation import explanations
from trainyard.checking.spec_file import rule_findings
from trainyard.deploy.preflights import Preflight, all_preflights
from trainyard.spec.parsing import parse

PREFLIGHTS = all_preflights()
EACH = each_case("preflight", PREFLIGHTS, ids=lambda preflight: preflight.id)
# Services whose permissions have another name than botocore gives the service.
PREFIXES = {"efs": "elasticfilesystem", "service-quotas": "servicequotas", "sso-admin": "sso"}
# https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadBucket.html, API_HeadObject.html, API_GetBucketEncryption.html
ACTIONS = {
    "s3:HeadBucket": "s3:ListBucket",
    "s3:HeadObject": "s3:GetObject",
    "s3:GetBucketEncryption": "s3:GetEncryptionConfiguration",
    "s3:ListBuckets": "s3:ListAllMyBuckets",
    "s3:ListObjectsV2": "s3:ListBucket",
}


def split(call: str) -> list[str]:
    return call.split(".")


def test_every_file_in_the_folder_is_a_preflight_but_the_one_that_runs_them():
    files = {file.stem for file in Path(trainyard.deploy.preflights.__file__).parent.glob("*.py")}
    assert {preflight.id.replace("-", "_") for preflight in PREFLIGHTS} == files - {"__init__", "running"}


def test_the_good_spec_is_clean_of_every_rule():
    for spec in (SPEC, OWN_NETWORK):
        assert [
            rule_finding
            for rule_finding in rule_findings(parse(spec, "cluster.yaml"))
            if rule_finding.severity == "error"
        ] == []


@EACH
def test_nothing_is_said_against_the_good_spec_in_the_good_account(preflight: Preflight):
    assert list(preflight.problems(context())) == []


@EACH
def test_a_preflight_asks_only_for_what_it_says(preflight: Preflight):
    asking = context()
    list(preflight.problems(asking))
    assert isinstance(asking.account, RecordedAccount)
    calls = {f"{PREFIXES.get(service, service)}:{action}" for service, action in map(split, asking.account.calls)}
    # The number of the account, which messages name, is known before.
    assert {ACTIONS.get(call, call) for call in calls} - {"sts:GetCallerIdentity"} <= set(preflight.permissions)


@EACH
def test_a_preflight_says_why_what_to_do_and_who_says_so(preflight: Preflight):
    assert re.fullmatch(r"https://\S+", preflight.source)
    assert len(preflight.rationale) > 60
    assert preflight.rationale.endswith(".")
    assert not preflight.remedy.endswith(".")
    assert not preflight.title.endswith(".")
    assert all(re.fullmatch(r"[a-z0-9-]+:[A-Z][A-Za-z]+", permission) for permission in preflight.permissions)


@EACH
def test_a_preflight_has_a_test_of_its_own(preflight: Preflight):
    assert (Path(__file__).parent / f"test_{preflight.id.replace('-', '_')}.py").is_file()


def test_no_preflight_has_the_id_of_a_rule_or_a_load_error():
    assert {preflight.id for preflight in PREFLIGHTS} & {
        explanation.id for explanation in explanations() if explanation.kind != "preflight"
    } == set()
