"""What is known about the EFA installer of the official images of one version of ParallelCluster."""

from __future__ import annotations

from trainyard.record import Record


class ImageEfa(Record):
    """A version of ParallelCluster whose images have another EFA installer than those before."""

    installer: str
    """Version of the EFA installer in its images."""
    former: str | None = None
    """Version in the images of the release before."""
