"""The launcher, which ParallelCluster runs on every node, the pointer that it reads, and who else reads it."""

from __future__ import annotations

from pathlib import Path

# A missing pointer would not do: nodes may not list the bucket, and to them S3 calls what is missing forbidden.
# https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadObject.html
NOTHING_PUBLISHED = b"none\n"


def launcher() -> bytes:
    """Return launch.sh, which is the same for every cluster."""
    return (Path(__file__).parent / "assets" / "launch.sh").read_bytes()


def follow_releases() -> str:
    """Return follow-releases.sh, the user data of the monitoring instance without its first lines."""
    return (Path(__file__).parent / "monitoring" / "follow-releases.sh").read_text(encoding="utf-8")
