"""The bucket that nodes fetch from: one for all clusters of an account and region, or the spec's own."""

from __future__ import annotations

from trainyard.counts import count_text
from trainyard.deploy.lock import lock_key
from trainyard.deploy.step import Probe, StepOutcome
from trainyard.deploy.work import Work, folder
from trainyard.edge.aws import s3
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.stacks import stacks_tagged
from trainyard.errors import TrainyardError
from trainyard.render.tags import BUCKET, CLUSTER, ENVIRONMENT
from trainyard.spec.cluster import Spec


class Bucket:
    """Makes the bucket where it is ours to make. Other clusters use it too, so only an empty one is ever removed."""

    name = "bucket"
    title = "bucket that nodes fetch from"

    def probe(self, work: Work) -> Probe:
        """Say whether it is there."""
        problem = s3.bucket_problem(work.account, work.bucket)
        if problem is None:
            return Probe("there", work.bucket)
        return Probe("missing" if problem == "missing" else "broken", f"{work.bucket}: {problem}")

    def apply(self, work: Work) -> StepOutcome:
        """Make it, or see that it can be used."""
        problem = s3.bucket_problem(work.account, work.bucket)
        is_own = work.bucket == s3.own_bucket(work.account)
        if problem is not None and not (is_own and problem == "missing"):
            raise TrainyardError(
                f"bucket {work.bucket} cannot be used: {problem}",
                where="assets.bucket",
                hint="name one of this account and region, or none and one is made" if not is_own else None,
            )
        if is_own:
            # Also where it is there: a call that was killed may have left it open.
            _make(work)
        return StepOutcome(changed=problem is not None, detail=work.bucket, outputs={"AssetsBucket": work.bucket})

    def undo(self, work: Work) -> StepOutcome:
        """Remove what lies in it for this cluster, and leave the bucket."""
        if s3.bucket_problem(work.account, work.bucket) is not None:
            return StepOutcome(changed=False)
        # The lock is there only for as long as this takes.
        is_locked = s3.get(work.account, work.bucket, lock_key(work.name)) is not None
        count = s3.delete_below(work.account, work.bucket, f"{folder(work.name)}/") - is_locked
        deleted = f"{count_text(count, 'object')} deleted"
        is_own = work.bucket == s3.own_bucket(work.account)
        if work.options.delete_data and is_own and s3.delete_empty_bucket(work.account, work.bucket):
            return StepOutcome(changed=True, detail=f"{deleted}, and the bucket, which was empty then")
        return StepOutcome(changed=count > 0, detail=f"{deleted}; the bucket stays for other clusters")


def bucket_of(spec: Spec, account: Account) -> str:
    """Return the bucket of a spec: its own, or the one of the account and region."""
    return spec.assets.bucket or s3.own_bucket(account)


def bucket_of_cluster(account: Account, name: str) -> str | None:
    """Return the bucket that the spec of a cluster or environment named; None where it named none, or no stack is left.

    Stacks of a cluster have the tag of its environment too, but that environment may have another bucket.
    """
    of_cluster = stacks_tagged(account, CLUSTER, name)
    of_environment = [stack for stack in stacks_tagged(account, ENVIRONMENT, name) if CLUSTER not in stack.tags]
    buckets = (stack.tags.get(BUCKET) for stack in (*of_cluster, *of_environment))
    return next((bucket for bucket in buckets if bucket), None)


def _make(work: Work) -> None:
    """Make the bucket. Its lifecycle rule spares a little money, and nothing needs it."""
    if not s3.make_bucket(work.account, work.bucket):
        rights = "s3:GetLifecycleConfiguration and s3:PutLifecycleConfiguration"
        work.tell(f"unfinished uploads to {work.bucket} stay and cost money: that S3 removes them takes {rights}")
