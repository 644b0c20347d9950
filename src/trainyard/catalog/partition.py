"""Finds the partition of AWS that a region belongs to: no account, policy or key reaches beyond its own.

The prefixes are those of botocore's partitions.json, read 2026-11-21:
https://github.com/boto/botocore/blob/develop/botocore/data/partitions.json
"""

from __future__ import annotations

_PREFIXES = {
    "cn-": "aws-cn",
    "us-gov-": "aws-us-gov",
    "eusc-": "aws-eusc",
    "us-iso-": "aws-iso",
    "us-isob-": "aws-iso-b",
    "eu-isoe-": "aws-iso-e",
    "us-isof-": "aws-iso-f",
}


def partition_of(region: str) -> str:
    """Return the partition, the second part of every ARN: aws for all that is no country or agency of its own."""
    return next((partition for prefix, partition in _PREFIXES.items() if region.startswith(prefix)), "aws")
