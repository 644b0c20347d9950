"""EFS features that work only over an encrypted connection."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.finding import Fix
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield access points and IAM authorization beside encryption_in_transit: false."""
    for index, file_system in enumerate(spec.file_systems):
        efs = file_system.efs
        if efs is None or efs.encryption_in_transit:
            continue
        path = ("file_systems", index, "efs")
        fix = Fix((*path, "encryption_in_transit"), value=True)
        if efs.access_point is not None:
            problem = f"access point {efs.access_point} cannot be mounted at {file_system.mount} without encryption"
            yield Problem((*path, "access_point"), problem, fix=fix)
        if efs.iam_authorization:
            problem = f"{file_system.mount} cannot be mounted with iam_authorization without encryption"
            yield Problem((*path, "iam_authorization"), problem, fix=fix)


RULE = Rule(
    severity="error",
    title="EFS without the encryption that it needs",
    rationale=(
        "The mount helper of EFS knows access points and IAM only over TLS. ParallelCluster refuses both where "
        "encryption in transit is off."
    ),
    remedy="remove encryption_in_transit: true is the default",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/SharedStorage-v3.html#yaml-SharedStorage-EfsSettings-IamAuthorization",
    bad="""\
file_systems:
  - {mount: /home, efs: {iam_authorization: true, encryption_in_transit: false}}
""",
    good="""\
file_systems:
  - {mount: /home, efs: {iam_authorization: true}}
""",
    check=check,
)
