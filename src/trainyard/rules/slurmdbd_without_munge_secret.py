"""A slurmdbd elsewhere that the cluster cannot talk to."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield an existing slurmdbd beside which no munge key is named."""
    slurm = spec.parallelcluster.slurm
    slurmdbd = slurm.accounting.slurmdbd if slurm.accounting is not None else None
    if slurmdbd is not None and slurm.munge_secret is None:
        path = ("parallelcluster", "slurm", "accounting", "slurmdbd")
        yield Problem(path, f"the slurmdbd on {slurmdbd.host} trusts only who has its munge key, and none is named")


RULE = Rule(
    severity="error",
    title="slurmdbd without a munge key",
    rationale=(
        "Slurm's daemons know each other by a shared munge key. By default a cluster makes a key of its own, which "
        "a slurmdbd elsewhere does not have; ParallelCluster refuses the combination."
    ),
    remedy="put the key of that slurmdbd, in base64, into a secret and name it in parallelcluster.slurm.munge_secret",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/slurm-accounting-v3.html",
    bad="""\
parallelcluster:
  slurm:
    accounting: {slurmdbd: {host: slurmdbd.example.com}}
""",
    good="""\
parallelcluster:
  slurm:
    accounting: {slurmdbd: {host: slurmdbd.example.com}}
    munge_secret: arn:aws:secretsmanager:us-east-2:123456789012:secret:munge-AbCdEf
""",
    check=check,
)
