import pytest

from tests.rules.documents.found import paths

RULE = "hyperpod-scripts-not-readable"


def request(uri: str) -> str:
    group = f'{{"InstanceGroupName": "w", "LifeCycleConfig": {{"SourceS3Uri": {uri}}}}}'
    return f'{{"ClusterName": "a", "InstanceGroups": [{group}]}}'


def test_a_bucket_with_another_prefix_is_found():
    assert paths(RULE, request('"s3://scripts/base"')) == ["InstanceGroups[0].LifeCycleConfig.SourceS3Uri"]


@pytest.mark.parametrize(
    "uri", ['"s3://sagemaker-scripts/base"', '"s3://${BUCKET}/base"', '"https://a/b"', "null", "[]"]
)
def test_the_prefix_of_sagemaker_and_unknown_buckets_are_fine(uri: str):
    assert paths(RULE, request(uri)) == []
