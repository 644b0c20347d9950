"""Templates too long for a request: CloudFormation reads them from the bucket, with the rights of the caller."""

from __future__ import annotations

from hashlib import sha256

from trainyard.catalog.partition import partition_of
from trainyard.deploy.work import Work, folder
from trainyard.edge.aws import s3


def uploaded_template(work: Work, kind: str, text: str) -> str:
    """Upload a template, named by its content, and return its URL.

    https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_CreateChangeSet.html
    """
    content = text.encode()
    key = f"{folder(work.name)}/templates/{kind}-{sha256(content).hexdigest()}.yaml"
    s3.put(work.account, work.bucket, key, content)
    work.tell(f"s3://{work.bucket}/{key} uploaded: {len(content):,} bytes are too long for a request")
    # https://docs.aws.amazon.com/general/latest/gr/s3.html
    suffix = "com.cn" if partition_of(work.account.region) == "aws-cn" else "com"
    return f"https://s3.{work.account.region}.amazonaws.{suffix}/{work.bucket}/{key}"
