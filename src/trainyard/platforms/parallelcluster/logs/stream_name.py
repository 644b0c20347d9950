"""The names of ParallelCluster's log streams: HOST.INSTANCE.LOG, such as ip-10-0-0-5.i-0a1b2c3d4e5f60718.slurmctld.

https://docs.aws.amazon.com/parallelcluster/latest/ug/cloudwatch-logs-v3.html
"""

from __future__ import annotations

import re
from typing import NamedTuple

_FORM = re.compile(r"(.+?)\.(i-[0-9a-f]{8,17})\.(.+)", re.DOTALL)


class StreamName(NamedTuple):
    """Whose log it is, and which."""

    host: str
    """The short private DNS name of the instance."""
    instance_id: str
    kind: str
    """Which log: slurmctld, cloud-init-output and so on."""

    @property
    def label(self) -> str:
        """Return whose log it is and which, in few words."""
        return f"{self.host} {self.kind}"

    def values(self) -> dict[str, str | int | None]:
        """Return them as values for JSON."""
        return {"host": self.host, "instance_id": self.instance_id, "log": self.kind}

    def is_of(self, node: str) -> bool:
        """Return whether it is a log of a node, given by its instance id or its host name, also the long form of it."""
        return node in (self.instance_id, self.host) or node.partition(".")[0] == self.host


def parsed(name: str) -> StreamName | None:
    """Return the parts of a name; None where the stream is of something else."""
    match = _FORM.fullmatch(name)
    return StreamName(*match.groups()) if match else None
