"""Scripts of custom actions that are not in S3."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.deploy.requirements.objects import scripts
from trainyard.edge.aws import s3_lookup
from trainyard.rules import Problem


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield scripts that are not there, and those that may not be looked at."""
    for location in scripts(context.spec):
        state = context.ask(s3_lookup.object_state, location.bucket, location.key)
        uri = f"s3://{location.bucket}/{location.key}"
        if state == "missing":
            yield Problem(location.path, f"there is no {uri}")
        elif state == "refused":
            remedy = "see that it is there, and that nodes may read it: iam.policies"
            yield Problem(location.path, f"account {context.account.id} may not read {uri}", remedy, "warning")


PREFLIGHT = Preflight(
    severity="error",
    title="Script that is not there",
    rationale=(
        "Nodes fetch scripts when they start, and one that cannot be fetched fails the node: the head node with the "
        "whole cluster, compute nodes again and again until protected mode. ParallelCluster only warns."
    ),
    remedy="upload it, or correct its URL",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/custom-bootstrap-actions-v3.html",
    permissions=("s3:GetObject", "s3:ListBucket"),
    check=check,
)
