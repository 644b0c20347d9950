"""The data of a cluster, which its destruction leaves unless it is asked to delete that too."""

from __future__ import annotations

from trainyard.deploy.step import Outcome, Probe
from trainyard.deploy.work import Work
from trainyard.edge.aws.kept_data import Kept, NeededElsewhereError, await_deletions, delete_data, kept_data
from trainyard.edge.aws.leftover_network import delete_leftover_groups


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
        """Delete it where that is asked for or nothing is in it, and name it where not, or where AWS refuses."""
        await_deletions(work.account, work.owns)
        found = kept_data(work.account, work.name, work.owns)
        kept = [] if work.options.delete_data else [one for one in found if not one.is_empty]
        outcome = _delete(work, [one for one in found if one not in kept])
        if kept:
            work.kept.extend(map(str, kept))
            outcome = Outcome(outcome.changed, f"kept: {', '.join(map(str, kept))}")
        groups = delete_leftover_groups(work.account, work.name, work.owns, wait=work.options.delete_data)
        return Outcome(outcome.changed or groups > 0, outcome.detail)


def _delete(work: Work, kept: list[Kept]) -> Outcome:
    for one in kept:
        work.tell(f"deletes {one}")
        try:
            delete_data(work.account, one)
        except NeededElsewhereError as error:
            work.tell(error.problem)
            work.refused.append(f"{one}, because {error.problem}")
    if not kept:
        return Outcome(changed=False, detail="there is none")
    deleted = len(kept) - len(work.refused)
    stays = f", {len(work.refused)} kept because AWS refuses" if work.refused else ""
    return Outcome(changed=deleted > 0, detail=f"{deleted} deleted{stays}")
