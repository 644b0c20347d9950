"""Making the bucket that nodes fetch from, and filling it."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence

from trainyard.bundle.asset_lock import AssetLock, needed_files
from trainyard.bundle.by_hand.aws_command import assignment, aws, document, shell_name
from trainyard.render.assets import folder
from trainyard.render.needed_assets import needed_assets
from trainyard.spec.cluster import Spec

# https://docs.aws.amazon.com/AmazonS3/latest/userguide/access-control-block-public-access.html
# All clusters of the account share the bucket, so its key is nobody's own.
_ENCRYPTION = {"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}
_CLOSED = ("BlockPublicAcls", "IgnorePublicAcls", "BlockPublicPolicy", "RestrictPublicBuckets")


def bucket(spec: Spec) -> Sequence[str]:
    """Return how to make the one bucket of all clusters in an account and region, closed and encrypted."""
    name = shell_name("AssetsBucket")
    here = ("--bucket", f"${name}")
    # https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateBucketConfiguration.html
    place = ("--create-bucket-configuration", f"LocationConstraint={spec.region}")
    exists = aws(spec.region, "s3api head-bucket", *here, "--expected-bucket-owner", "$ACCOUNT")
    creation = aws(spec.region, "s3api create-bucket", *here, *(() if spec.region == "us-east-1" else place))
    closed = ",".join(f"{what}=true" for what in _CLOSED)
    return [
        assignment("ACCOUNT", aws(spec.region, "sts get-caller-identity", "--query", "Account", "--output", "text")),
        f'{name}="trainyard-$ACCOUNT-{spec.region}"',
        f"{exists} || {creation}",
        aws(spec.region, "s3api put-public-access-block", *here, "--public-access-block-configuration", closed),
        aws(
            spec.region, "s3api put-bucket-encryption", *here,
            "--server-side-encryption-configuration", document({"Rules": [_ENCRYPTION]}),
        ),
    ]  # fmt: skip


def upload(spec: Spec) -> list[str]:
    """Return how to put the bundle's assets where nodes look for them, the pointer to the release last."""
    release = shell_name("Release")
    keys = {"launch.sh": "launch.sh", "release.tar": f"releases/${release}", "release": "release"}
    return [
        f"{release}=$(cut -d ' ' -f 3 assets/release)",
        *(
            aws(
                spec.region, "s3api put-object", "--bucket", bucket_of(spec), "--key", f"{folder(spec)}/{key}",
                "--body", f"assets/{name}",
            )
            for name, key in keys.items()
        ),
    ]  # fmt: skip


def repack_commands(files: Iterable[str]) -> Iterator[str]:
    """Yield how to pack the release anew with the plan and other files of the bundle, and to point to it.

    What the pointer says and how a release is called: `bundle/release.py`.
    """
    yield "rm -rf release && mkdir release && tar -xf assets/release.tar -C release"
    yield "cp assets/plan.json release/"
    for file in files:
        yield f"cp {file} release/{file}"
    yield "(cd release && tar -cf ../assets/release.tar *) && rm -r release"
    digest = shell_name("Digest")
    yield assignment(digest, "sha256sum assets/release.tar | cut -d ' ' -f 1")
    yield f'echo "${digest}  $(echo "${digest}" | cut -c 1-16).tar" > assets/release'


def mirror_commands(spec: Spec, lock: AssetLock) -> Iterator[str]:
    """Yield how to download, verify and upload each locked file that nodes need."""
    for asset in needed_files(needed_assets(spec), lock):
        yield f"curl --fail --location --output {shlex.quote(asset.file)} {shlex.quote(asset.url)}"
        right = f"echo {shlex.quote(f'{asset.sha256}  {asset.file}')} | sha256sum --check"
        put = aws(
            spec.region, "s3api put-object", "--bucket", bucket_of(spec),
            "--key", f"{folder(spec)}/assets/{asset.sha256}/{asset.file}", "--body", asset.file,
        )  # fmt: skip
        yield f"{right} && {put}"


def bucket_of(spec: Spec) -> str:
    """Return the name of the bucket, or the variable that holds it."""
    return spec.assets.bucket or "$ASSETS_BUCKET"
