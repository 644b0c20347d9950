"""EC2 key pairs that do not exist, or of a type that the operating system does not take."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.edge.aws import ec2
from trainyard.finding import Path
from trainyard.platform_table import platform_of
from trainyard.rules import Problem

# KeyPairValidator in pcluster/validators/ec2_validators.py of 3.14.2 to 3.16.1,
# https://github.com/aws/aws-parallelcluster
_WITHOUT_RSA = ("ubuntu2204", "ubuntu2404")


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield key pairs that nobody could log in with."""
    for path, name in _keys(context):
        key_pair = context.ask(ec2.key_pair, name)
        if key_pair is None and not context.creates_key_pair:
            message = f"account {context.account.id} has no key pair {name!r} in {context.spec.region}"
            yield Problem(path, message)
        elif key_pair is not None and key_pair.get("KeyType") == "rsa" and _takes_no_rsa(context):
            message = f"key pair {name!r} is an RSA key, which {context.spec.image.os} does not take"
            yield Problem(path, message, "make a key pair of type ed25519")


def _takes_no_rsa(context: PreflightContext) -> bool:
    return platform_of(context.spec).made_by_parallelcluster and context.spec.image.os in _WITHOUT_RSA


def _keys(context: PreflightContext) -> Iterator[tuple[Path, str]]:
    spec = context.spec
    if spec.access.ssh_key is not None:
        yield ("access", "ssh_key"), spec.access.ssh_key
    yield from (((*path, "ssh_key"), pool.ssh_key) for path, pool in spec.login_pools() if pool.ssh_key is not None)


PREFLIGHT = Preflight(
    severity="error",
    title="Key pair that cannot be used",
    rationale=(
        "Key pairs belong to one region and account. ParallelCluster refuses a name that is not there, and RSA keys "
        "for Ubuntu 22.04 and later, whose SSH server does not take them."
    ),
    remedy="name one of `aws ec2 describe-key-pairs`, or let `trainyard deploy` create it; Session Manager needs none",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-key-pairs.html",
    permissions=("ec2:DescribeKeyPairs",),
    check=check,
)
