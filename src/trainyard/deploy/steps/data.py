"""The data of a cluster, which its destruction leaves unless it is asked to delete that too."""

from __future__ import annotations

from trainyard.deploy.step import Probe, StepOutcome
from trainyard.deploy.work import Work
from trainyard.edge.aws.data_stores import DataStore, NeededElsewhereError, await_deletions, data_stores, delete_data
from trainyard.edge.aws.leftover_network import delete_leftover_groups


class Data:
    """Does nothing when a cluster is made. Stands between network and file systems, which need the one and are it."""

    name = "data"
    title = "data that outlives its stacks"

    def probe(self, work: Work) -> Probe:
        """Say what there is."""
        retained = data_stores(work.account, work.name, work.owns)
        return Probe("there", ", ".join(map(str, retained))) if retained else Probe("missing")

    def apply(self, work: Work) -> StepOutcome:
        """Do nothing: stacks make it."""
        del work
        return StepOutcome(changed=False)

    def undo(self, work: Work) -> StepOutcome:
        """Delete it where that is asked for or nothing is in it, and name it where not, or where AWS refuses."""
        await_deletions(work.account, work.owns)
        retained = data_stores(work.account, work.name, work.owns)
        kept_stores = [] if work.options.delete_data else [store for store in retained if not store.is_empty]
        outcome = _delete(work, [store for store in retained if store not in kept_stores])
        if kept_stores:
            work.kept.extend(map(str, kept_stores))
            outcome = StepOutcome(outcome.changed, f"kept: {', '.join(map(str, kept_stores))}")
        groups = delete_leftover_groups(work.account, work.name, work.owns, wait=work.options.delete_data)
        return StepOutcome(outcome.changed or groups > 0, outcome.detail)


def _delete(work: Work, stores: list[DataStore]) -> StepOutcome:
    for store in stores:
        work.tell(f"deletes {store}")
        try:
            delete_data(work.account, store)
        except NeededElsewhereError as error:
            work.tell(error.problem)
            work.refused.append(f"{store}, because {error.problem}")
    if not stores:
        return StepOutcome(changed=False, detail="there is none")
    deleted = len(stores) - len(work.refused)
    stays = f", {len(work.refused)} kept because AWS refuses" if work.refused else ""
    return StepOutcome(changed=deleted > 0, detail=f"{deleted} deleted{stays}")
