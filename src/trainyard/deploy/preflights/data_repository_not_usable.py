"""Buckets that file systems are to be linked to and that are not there, not allowed, or elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.deploy.requirements.objects import InS3, data_repositories
from trainyard.edge.aws import s3_lookup
from trainyard.rules import Problem


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield data repositories that FSx could not link."""
    for location in data_repositories(context.spec):
        bucket_answer = context.ask(s3_lookup.bucket, location.bucket)
        if bucket_answer.state == "missing":
            yield Problem(location.path, f"there is no bucket {location.bucket}")
        elif bucket_answer.state == "refused":
            yield Problem(location.path, f"account {context.account.id} may not list bucket {location.bucket}")
        elif bucket_answer.region not in (None, context.spec.region):
            yield _elsewhere(context, location, str(bucket_answer.region))


def _elsewhere(context: PreflightContext, location: InS3, region: str) -> Problem:
    imports = any(
        link.auto_import
        for path, _, lustre in context.spec.new_lustre()
        for link in lustre.links
        if (*path, *link.uri_path) == location.path
    )
    message = f"bucket {location.bucket} lies in {region}, and the file system in {context.spec.region}"
    if imports:
        return Problem(location.path, f"{message}, which rules out automatic import", "write auto_import: []")
    return Problem(location.path, f"{message}: reading from it costs time and transfer", severity="warning")


PREFLIGHT = Preflight(
    severity="error",
    title="Data repository that cannot be linked",
    rationale=(
        "FSx looks at the bucket when the link is made. It has to exist, whoever deploys has to be allowed to list it, "
        "and automatic import works only where bucket and file system are in one region. Otherwise the stack of the "
        "file systems fails, after minutes of waiting for them."
    ),
    remedy="name a bucket that this account may list, in the region of the cluster",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/autoimport-data-repo-dra.html",
    permissions=("s3:ListBucket",),
    check=check,
)
