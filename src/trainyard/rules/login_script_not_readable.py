"""Scripts in S3 that login nodes are to run and may not read."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.rules.script_from_internet import scripts_of
from trainyard.spec.cluster import Spec

# Those of AWS's own policies that read every bucket.
# https://docs.aws.amazon.com/aws-managed-policy/latest/reference/AmazonS3ReadOnlyAccess.html
_READ_S3 = frozenset(
    {"AmazonS3ReadOnlyAccess", "AmazonS3FullAccess", "ReadOnlyAccess", "PowerUserAccess", "AdministratorAccess"}
)


def check(spec: Spec) -> Iterator[Problem]:
    """Yield scripts in S3 of login nodes, where no policy is attached to these that could be meant for them."""
    # The policy of nodes that run releases names the scripts of login nodes: render/cloudformation/assets.py
    if spec.installs_anything or any(_may_read_s3(policy) for policy in spec.iam.policies):
        return
    for path, pool in spec.login_pools():
        for place, url in scripts_of(pool.custom_actions):
            if url.startswith("s3://"):
                bucket = url.removeprefix("s3://").partition("/")[0]
                yield Problem(
                    (*path, "custom_actions", *place, "script"),
                    f"nothing lets the login nodes of pool {pool.name!r} read {url}",
                    f"add a policy to iam.policies that allows s3:GetObject on {bucket}",
                )


def _may_read_s3(policy: str) -> bool:
    """Return whether a policy is the user's own, whatever it says, or one of AWS's that reads S3."""
    return policy.split(":")[4] != "aws" or policy.rpartition("/")[2] in _READ_S3


RULE = Rule(
    severity="error",
    applies_to="made_by_parallelcluster",
    title="Login script that cannot be read",
    rationale=(
        "A node fetches its scripts with its own role. ParallelCluster grants S3Access to the head node and to queues "
        "only, and login pools do not know the key. Where trainyard installs anything on nodes, its own "
        "policy names the scripts of login nodes. A pool whose script cannot be read never comes up."
    ),
    remedy="add a policy to iam.policies that allows s3:GetObject on the script",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/LoginNodes-v3.html",
    bad="""\
login_nodes:
  custom_actions:
    after_setup: [{script: s3://my-bucket/login.sh}]
""",
    good="""\
login_nodes:
  custom_actions:
    after_setup: [{script: s3://my-bucket/login.sh}]
iam: {policies: ["arn:aws:iam::123456789012:policy/read-my-bucket"]}
""",
    check=check,
)
