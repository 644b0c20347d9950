"""The files that ParallelCluster uploads before it makes a stack, where it was ended in between.

A call that ends by itself takes its files away, one that is killed does not, and the next one makes a folder anew:
``create`` and ``_generate_artifact_dir`` in pcluster/models/cluster.py of https://pypi.org/project/aws-parallelcluster/3.16.1/
"""

from __future__ import annotations

import re
from hashlib import sha256

from trainyard.edge.aws import s3
from trainyard.edge.aws.account import Account

_ROOT = "parallelcluster/"
# generate_random_name_with_prefix in pcluster/utils.py
_SUFFIX = "[a-z0-9]{16}"


def delete_abandoned_files(account: Account, name: str, kept: str | None) -> int:
    """Delete the folders of a cluster that no stack of it reads, and return how many files lay there.

    ``kept`` is the folder that its stack reads; None where it has none.
    """
    bucket = resources_bucket(account)
    of_cluster = re.compile(rf"{_ROOT}[^/]+/clusters/{re.escape(name)}-{_SUFFIX}/")
    found = (of_cluster.match(key) for key in s3.sizes_below(account, bucket, _ROOT))
    folders = {match.group() for match in found if match is not None}
    return sum(s3.delete_below(account, bucket, folder) for folder in sorted(folders - {f"{kept}/"}))


def resources_bucket(account: Account) -> str:
    """Return the bucket that ParallelCluster makes for an account and region.

    ``get_bucket_name`` in pcluster/models/s3_bucket.py.
    """
    return f"parallelcluster-{sha256((account.id + account.region).encode()).hexdigest()[:16]}-v1-do-not-delete"
