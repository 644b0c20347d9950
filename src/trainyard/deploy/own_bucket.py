"""The bucket of a cluster whose spec nobody has at hand, from the tags of its stacks."""

from __future__ import annotations

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.stacks import stacks_tagged
from trainyard.render.tags import BUCKET, CLUSTER, ENVIRONMENT


def bucket_of_cluster(account: Account, name: str) -> str | None:
    """Return the bucket that the spec of a cluster or environment named; None where it named none, or no stack is left.

    Stacks of a cluster have the tag of its environment too, but that environment may have another bucket.
    """
    of_cluster = stacks_tagged(account, CLUSTER, name)
    of_environment = [one for one in stacks_tagged(account, ENVIRONMENT, name) if CLUSTER not in one.tags]
    found = (stack.tags.get(BUCKET) for stack in (*of_cluster, *of_environment))
    return next((bucket for bucket in found if bucket), None)
