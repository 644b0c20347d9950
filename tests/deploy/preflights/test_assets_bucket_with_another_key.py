import json
from typing import Any

import pytest

from tests.deploy.preflights.good import KEY, POLICY, SPEC, changed, encryption, found, problems
from tests.deploy.preflights.recorded import Refusal, listening
from trainyard.deploy.preflights import all_preflights

PREFLIGHT = "assets-bucket-with-another-key"
OTHER = KEY.removesuffix("9012") + "9013"
OF_S3 = "arn:aws:kms:us-east-2:123456789012:alias/aws/s3"
WITHOUT_KEY = changed(f', kms_key: "{KEY}"', "")
ROOT = "arn:aws:iam::123456789012:root"


def policy(*principals: Any, effect: str = "Allow") -> dict[str, Any]:
    """Return what KMS says of the policy of a key, with a statement for each."""
    of_s3 = {"StringEquals": {"kms:CallerAccount": "123456789012", "kms:ViaService": "s3.us-east-2.amazonaws.com"}}
    listed = [
        {"Effect": effect, "Principal": principal, "Action": "kms:*", "Condition": of_s3} for principal in principals
    ]
    return {"Policy": json.dumps({"Version": "2012-10-17", "Statement": listed})}


def bucket(key: str | None, arn: str = OTHER, **more: Any) -> dict[str, Any]:
    """Return a bucket with a key, and what KMS says of this key."""
    return {
        "s3.GetBucketEncryption": encryption(key),
        "kms.DescribeKey": {"KeyMetadata": {"KeyId": arn, "Arn": arn, "KeyManager": "CUSTOMER", **more}},
        "kms.GetKeyPolicy": policy({"AWS": ROOT}),
    }


def test_a_bucket_with_another_key_than_the_spec_names_is_found():
    (problem,) = problems(PREFLIGHT, answers=bucket(OTHER))
    assert problem.path == ("assets", "bucket")
    assert problem.message == f"bucket ml-assets is encrypted with {OTHER}, and nodes may use {KEY} only"


def test_a_bucket_with_a_key_is_found_where_the_spec_names_none():
    (problem,) = problems(PREFLIGHT, WITHOUT_KEY, bucket(OTHER))
    assert problem.message == f"bucket ml-assets is encrypted with {OTHER}, and iam.kms_key names none"


@pytest.mark.parametrize("named", [KEY, KEY.rpartition("/")[2], "alias/ml", f"{KEY.rpartition(':')[0]}:alias/ml"])
def test_the_key_of_the_spec_is_known_in_every_form(named):
    assert found(PREFLIGHT, answers=bucket(named, arn=KEY)) == []


@pytest.mark.parametrize("named", [OTHER, OTHER.rpartition("/")[2], "alias/other"])
def test_another_key_is_found_in_every_form(named):
    assert found(PREFLIGHT, answers=bucket(named)) == ["assets.bucket"]


@pytest.mark.parametrize("named", [None, "alias/aws/s3", OF_S3])
def test_the_key_that_aws_keeps_for_s3_is_for_everybody(named):
    assert found(PREFLIGHT, WITHOUT_KEY, bucket(named)) == []


def test_the_key_that_aws_keeps_for_s3_may_be_named_by_its_id_too():
    assert found(PREFLIGHT, WITHOUT_KEY, bucket(OTHER, KeyManager="AWS")) == []


@pytest.mark.parametrize(
    "answer",
    [encryption(None, "AES256"), Refusal("ServerSideEncryptionConfigurationNotFoundError", status=404)],
    ids=["S3's own keys", "nothing chosen"],
)
def test_a_bucket_without_kms_is_fine(answer):
    assert found(PREFLIGHT, WITHOUT_KEY, {"s3.GetBucketEncryption": answer}) == []


def test_an_alias_that_leads_nowhere_is_found():
    answers = bucket("alias/gone") | {"kms.DescribeKey": Refusal("NotFoundException")}
    (problem,) = problems(PREFLIGHT, answers=answers)
    assert problem.message == "bucket ml-assets is encrypted with key alias/gone, which does not exist"


def test_a_policy_of_the_account_s_own_may_allow_it():
    own = changed(f'policies: ["{POLICY}"]', 'policies: ["arn:aws:iam::123456789012:policy/nodes"]')
    assert found(PREFLIGHT, own, bucket(OTHER)) == ["assets.bucket (warning)"]
    administrators = changed(POLICY, "arn:aws:iam::aws:policy/AdministratorAccess")
    assert found(PREFLIGHT, administrators, bucket(OTHER)) == ["assets.bucket (warning)"]


@pytest.mark.parametrize(
    "answer",
    [
        policy({"AWS": ROOT}, {"AWS": "*"}),
        policy("*"),
        policy({"AWS": [ROOT, "*"]}),
        {"Policy": json.dumps({"Statement": {"Effect": "Allow", "Principal": "*", "Action": "kms:Decrypt"}})},
        Refusal("AccessDeniedException"),
        Refusal("NotFoundException"),
    ],
    ids=["everybody by S3", "a star", "a list", "one statement", "nobody may read it", "of another account"],
)
def test_a_key_that_its_own_policy_may_open_to_nodes_is_a_warning(answer):
    (problem,) = problems(PREFLIGHT, WITHOUT_KEY, bucket(OTHER) | {"kms.GetKeyPolicy": answer})
    assert problem.severity == "warning"
    assert problem.remedy == (
        "see that the key's own policy allows nodes kms:Decrypt and kms:GenerateDataKey through S3, "
        "or name a policy that lets nodes use this key in iam.policies"
    )


@pytest.mark.parametrize(
    "answer",
    [
        policy({"AWS": ROOT}),
        policy({"AWS": [ROOT, f"{ROOT.removesuffix('root')}role/admin"]}),
        policy({"Service": "logs.amazonaws.com"}),
        policy("*", effect="Deny"),
    ],
    ids=["what IAM allows", "a role", "a service", "a refusal"],
)
def test_a_key_that_its_own_policy_opens_to_others_is_an_error(answer):
    assert found(PREFLIGHT, WITHOUT_KEY, bucket(OTHER) | {"kms.GetKeyPolicy": answer}) == ["assets.bucket"]


def test_a_key_is_not_proposed_for_file_systems_without_a_word_of_what_that_does():
    remedy = next(preflight for preflight in all_preflights() if preflight.id == PREFLIGHT).remedy
    assert remedy.index("iam.policies") < remedy.index("iam.kms_key") < remedy.index("file systems and shared volumes")


def test_nothing_is_asked_of_a_bucket_that_cannot_be_used_anyway():
    answer, heard = listening(encryption(OTHER))
    for head in (Refusal("404", status=404), Refusal("403", status=403), {"BucketRegion": "us-west-2"}):
        assert found(PREFLIGHT, answers={"s3.HeadBucket": head, "s3.GetBucketEncryption": answer}) == []
    assert heard == []


def test_nothing_is_asked_where_the_bucket_is_trainyard_s_or_nodes_read_nothing():
    unnamed = changed("assets: {bucket: ml-assets}\n", "")
    idle = SPEC.replace("monitoring: {mode: amp+amg}\n", "")
    for spec in (unnamed, idle):
        assert found(PREFLIGHT, spec, bucket(OTHER)) == []
