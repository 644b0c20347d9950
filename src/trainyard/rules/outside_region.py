"""Places, reservations, secrets and keys that lie outside the region of the cluster."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.finding import Path
from trainyard.rules import Problem, Rule
from trainyard.spec.capacity import Reserved
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield zones and ARNs of another region."""
    for path, zone in _zones(spec):
        if not zone.startswith(spec.region):
            yield Problem(path, f"zone {zone} is not in {spec.region}")
    for path, what, arn in regional_arns(spec):
        # arn:partition:service:region:account:resource
        # https://docs.aws.amazon.com/IAM/latest/UserGuide/reference-arns.html
        if arn.split(":")[3] != spec.region:
            yield Problem(path, f"the {what} is in {arn.split(':')[3]}, not in {spec.region}")


def _zones(spec: Spec) -> Iterator[tuple[Path, str]]:
    for key in ("availability_zone", "secondary_availability_zone"):
        zone = getattr(spec.network, key)
        if zone is not None:
            yield ("network", key), zone
    for index, queue in enumerate(spec.queues):
        yield from ((("queues", index, "availability_zone"), zone) for zone in queue.zones)


def regional_arns(spec: Spec) -> Iterator[tuple[Path, str, str]]:
    """Yield the ARNs that name a region, with their places and what they are."""
    yield from ((path, what, arn) for path, what, arn in _written(spec) if arn is not None)


def _written(spec: Spec) -> Iterator[tuple[Path, str, str | None]]:
    for group in spec.node_groups():
        if isinstance(group.capacity, Reserved):
            yield (*group.path, "capacity", "reservation_group"), "reservation group", group.capacity.reservation_group
    yield ("iam", "kms_key"), "KMS key", spec.iam.kms_key
    yield ("monitoring", "certificate"), "certificate", spec.monitoring.certificate
    if spec.access.directory_service is not None:
        path = ("access", "directory_service", "password_secret")
        yield path, "password secret", spec.access.directory_service.password_secret
    yield from _slurm_arns(spec)


def _slurm_arns(spec: Spec) -> Iterator[tuple[Path, str, str | None]]:
    slurm = spec.parallelcluster.slurm
    yield ("parallelcluster", "slurm", "munge_secret"), "munge secret", slurm.munge_secret
    if slurm.accounting is not None and slurm.accounting.database is not None:
        path = ("parallelcluster", "slurm", "accounting", "database", "password_secret")
        yield path, "password secret", slurm.accounting.database.password_secret


RULE = Rule(
    severity="error",
    title="Zone, reservation, secret or key of another region",
    rationale=(
        "Subnets, reservations and instances of one cluster lie in one region, and so must the secrets, keys and "
        "certificates that they use: AWS looks for them in the region of whoever asks."
    ),
    remedy="make the regions agree; what lies in another region has to be made anew in this one",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/using-regions-availability-zones.html",
    bad="""\
region: us-east-2
network: {availability_zone: us-west-2a}
""",
    good="""\
region: us-east-2
network: {availability_zone: us-east-2a}
""",
    check=check,
)
