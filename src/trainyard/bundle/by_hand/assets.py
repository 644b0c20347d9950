"""Making the bucket that nodes fetch from, and filling it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trainyard.bundle.by_hand.aws_command import assigned, aws, document, shell_name
from trainyard.render.assets import folder, installs_anything

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trainyard.spec.cluster import Spec


# https://docs.aws.amazon.com/AmazonS3/latest/userguide/access-control-block-public-access.html
_CLOSED = ("BlockPublicAcls", "IgnorePublicAcls", "BlockPublicPolicy", "RestrictPublicBuckets")


def bucket(spec: Spec) -> Sequence[str]:
    """Return how to make the one bucket of all clusters in an account and region, closed and encrypted."""
    name = shell_name("AssetsBucket")
    here = ("--bucket", f"${name}")
    # https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateBucketConfiguration.html
    place = ("--create-bucket-configuration", f"LocationConstraint={spec.region}")
    exists = aws(spec.region, "s3api head-bucket", *here, "--expected-bucket-owner", "$ACCOUNT")
    made = aws(spec.region, "s3api create-bucket", *here, *(() if spec.region == "us-east-1" else place))
    closed = ",".join(f"{what}=true" for what in _CLOSED)
    return [
        assigned("ACCOUNT", aws(spec.region, "sts get-caller-identity", "--query", "Account", "--output", "text")),
        f'{name}="trainyard-$ACCOUNT-{spec.region}"',
        f"{exists} || {made}",
        aws(spec.region, "s3api put-public-access-block", *here, "--public-access-block-configuration", closed),
        aws(
            spec.region, "s3api put-bucket-encryption", *here,
            "--server-side-encryption-configuration", document({"Rules": [_encryption(spec)]}),
        ),
    ]  # fmt: skip


def _encryption(spec: Spec) -> dict[str, Any]:
    key = spec.iam.kms_key
    if key is None:
        return {"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}
    default = {"SSEAlgorithm": "aws:kms", "KMSMasterKeyID": key}
    return {"ApplyServerSideEncryptionByDefault": default, "BucketKeyEnabled": True}


def upload(spec: Spec) -> Iterator[str]:
    """Yield how to put the bundle's assets where nodes look for them, without touching what is published."""
    if installs_anything(spec):
        for name, more in {"launch.sh": (), "nodes.json": (), "release": ("--if-none-match", "*")}.items():
            put = aws(
                spec.region, "s3api put-object", "--bucket", bucket_of(spec), "--key", f"{folder(spec)}/{name}",
                "--body", f"assets/{name}", *more,
            )  # fmt: skip
            yield f"{put}   # refused where a release is published, and rightly so" if more else put


def bucket_of(spec: Spec) -> str:
    """Return the name of the bucket, or the variable that holds it."""
    return spec.assets.bucket or "$ASSETS_BUCKET"
