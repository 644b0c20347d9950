"""The data of a cluster, which its destruction leaves unless it is asked to delete that too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.deploy.step import Outcome, Probe
from trainyard.edge.aws.kept_data import delete_data, kept_data

if TYPE_CHECKING:
    from trainyard.deploy.work import Work


class Data:
    """Does nothing when a cluster is made. Stands between network and file systems, which need the one and are it."""

    name = "data"
    title = "data that outlives its stacks"

    def probe(self, work: Work) -> Probe:
        """Say what there is."""
        kept = kept_data(work.account, work.name, work.owns)
        return Probe("there", ", ".join(map(str, kept))) if kept else Probe("missing")

    def apply(self, work: Work) -> Outcome:
        """Do nothing: stacks make it."""
        del work
        return Outcome(changed=False)

    def undo(self, work: Work) -> Outcome:
        """Delete it where that is asked for, and name it where not."""
        kept = kept_data(work.account, work.name, work.owns)
        if not work.options.delete_data:
            work.kept.extend(map(str, kept))
            return Outcome(changed=False, detail=f"kept: {', '.join(map(str, kept))}" if kept else "there is none")
        for one in kept:
            work.tell(f"deletes {one}")
            delete_data(work.account, one)
        return Outcome(changed=bool(kept), detail=f"{len(kept)} deleted")
