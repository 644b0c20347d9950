import pytest

from trainyard.catalog.partition import partition_of


@pytest.mark.parametrize(
    ("region", "partition"),
    [
        ("us-east-2", "aws"),
        ("eu-west-1", "aws"),
        ("cn-northwest-1", "aws-cn"),
        ("us-gov-west-1", "aws-us-gov"),
        ("eusc-de-east-1", "aws-eusc"),
        ("us-iso-east-1", "aws-iso"),
        ("us-isob-east-1", "aws-iso-b"),
        ("eu-isoe-west-1", "aws-iso-e"),
        ("us-isof-south-1", "aws-iso-f"),
    ],
)
def test_a_region_lies_in_the_partition_that_botocore_says(region: str, partition: str):
    assert partition_of(region) == partition
