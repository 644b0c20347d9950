"""Letting the nodes use the key that encrypts the cluster's data."""

from __future__ import annotations

from collections.abc import Sequence

from trainyard.bundle.by_hand.aws_command import aws, document
from trainyard.spec.cluster import Spec

# To attach a volume, and to read an object.
# https://docs.aws.amazon.com/ebs/latest/userguide/ebs-encryption-requirements.html
# https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingKMSEncryption.html
_USE = ["kms:DescribeKey", "kms:Decrypt", "kms:GenerateDataKeyWithoutPlaintext", "kms:ReEncrypt*"]
_GRANT = ["kms:CreateGrant"]


def key_policy(spec: Spec) -> Sequence[str]:
    """Return how to make a policy for it, which only AWS services can use to hand the key on."""
    key = spec.iam.kms_key
    use = {"Effect": "Allow", "Action": _USE, "Resource": key}
    grant = {
        "Effect": "Allow",
        "Action": _GRANT,
        "Resource": key,
        "Condition": {"Bool": {"kms:GrantIsForAWSResource": True}},
    }
    return [
        aws(
            spec.region, "iam create-policy", "--policy-name", f"{spec.name}-key", "--policy-document",
            document({"Version": "2012-10-17", "Statement": [use, grant]}), "--query", "Policy.Arn", "--output", "text",
        )
    ]  # fmt: skip
