"""The parameters of assets.yaml."""

from __future__ import annotations

from trainyard.render.assets import assets_folder
from trainyard.render.cloudformation.iam import iam_names
from trainyard.render.policies import partition, script_keys
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec


def needs_assets(spec: Spec) -> bool:
    """Return whether nodes have anything to read."""
    return spec.installs_anything and not spec.is_environment


def assets_parameters(spec: Spec, ids: Ids) -> dict[str, str]:
    """Return them, as far as the spec decides them."""
    bucket, folder = assets_folder(spec, ids)
    scripts = ",".join(dict.fromkeys(_login_objects(spec)))
    buckets = ",".join(_login_buckets(spec))
    key = {} if spec.iam.kms_key is None else {"KmsKeyArn": spec.iam.kms_key}
    return {
        "S3BucketName": bucket,
        "AssetsFolder": folder,
        **({"LoginObjects": scripts} if scripts else {}),
        **({"LoginBuckets": buckets} if buckets else {}),
        **key,
        **iam_names(spec),
    }


def _login_buckets(spec: Spec) -> list[str]:
    """Return the buckets that login nodes read. Other nodes have them from ParallelCluster's S3Access."""
    return [f"{_s3(spec)}{bucket}" for bucket in spec.read_buckets if any(True for _ in spec.login_pools())]


def _login_objects(spec: Spec) -> list[str]:
    s3 = _s3(spec)
    keys = [script_key for _, pool in spec.login_pools() for script_key in script_keys(pool.custom_actions)]
    # The parameter is a list with commas between; a question mark stands for any one character in an ARN.
    # https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_resource.html
    scripts = [f"{s3}{bucket}/{key}".replace(",", "?") for bucket, key in keys]
    return [*scripts, *(f"{bucket}/*" for bucket in _login_buckets(spec))]


def _s3(spec: Spec) -> str:
    return f"arn:{partition(spec.region)}:s3:::"
