"""What has to exist, or to be allowed, beside all that is made: endpoints, a policy for the key, secrets, images."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainyard.bundle.by_hand.aws_command import aws, document
from trainyard.bundle.by_hand.endpoints import endpoints
from trainyard.platform_table import platform_of
from trainyard.render.secrets import secrets_of
from trainyard.spec.cluster import Spec

# To attach a volume, and to read an object.
# https://docs.aws.amazon.com/ebs/latest/userguide/ebs-encryption-requirements.html
# https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingKMSEncryption.html
_USE = ["kms:DescribeKey", "kms:Decrypt", "kms:GenerateDataKeyWithoutPlaintext", "kms:ReEncrypt*"]
_GRANT = ["kms:CreateGrant"]
# The tag that pcluster build-image gives: pcluster/constants.py in https://github.com/aws/aws-parallelcluster
_TAG = "parallelcluster:version"


def what_has_to_exist(spec: Spec) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield what has to exist, or to be allowed, beside all that is made: a text, and its commands."""
    existing = spec.network.existing
    if existing is not None and spec.network.internet == "none":
        text = (
            "Unless your VPC has them, endpoints through which nodes reach AWS. It needs DNS resolution and host names:"
        )
        yield text, endpoints(spec, existing)
    # Elsewhere no node opens what the key encrypts, and images are not for ParallelCluster.
    if not (platform_of(spec).made_by_parallelcluster or spec.is_environment):
        return
    if spec.iam.kms_key is not None:
        text = (
            "Nodes need this policy to attach volumes and to read objects that the key encrypts. "
            "Name what is printed in `iam.policies` of the spec and render again, unless it is there already:"
        )
        yield text, _key_policy(spec)
    if secrets_of(spec):
        yield "These secrets have to exist:", _secrets(spec)
    if _images_of(spec):
        version, built_for = spec.parallelcluster.version, spec.image.built_for
        said = "say in `image.built_for` what it is" if built_for is None else f"`image.built_for` says {built_for}"
        yield f"Images of your own have to be built for ParallelCluster {version}; {said}:", _images(spec)


def _key_policy(spec: Spec) -> Sequence[str]:
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


def _secrets(spec: Spec) -> Sequence[str]:
    """Return how to ask for each secret."""
    shown = ("--query", "Name", "--output", "text")
    return [aws(spec.region, "secretsmanager describe-secret", "--secret-id", arn, *shown) for arn in secrets_of(spec)]


def _images_of(spec: Spec) -> Sequence[str]:
    """Return the ids of all images that a spec names."""
    pools = (pool.ami for _, pool in spec.login_pools())
    named = (spec.image.ami, spec.head_node.ami, *pools, *(queue.ami for queue in spec.queues))
    return [ami for ami in dict.fromkeys(named) if ami is not None]


def _images(spec: Spec) -> Sequence[str]:
    """Return how to ask for the tag of every image."""
    query = f"Images[].[ImageId,Tags[?Key=='{_TAG}']|[0].Value]"
    return [
        aws(
            spec.region, "ec2 describe-images", "--image-ids", *_images_of(spec), "--query", query, "--output", "text",
        )
    ]  # fmt: skip
