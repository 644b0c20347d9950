"""What the spec would change of a cluster that exists: asked of ParallelCluster before anything else is touched."""

from __future__ import annotations

import re

from trainyard.bundle.config_text import config_text
from trainyard.deploy.on_failure_change import config_otherwise, may_be_on_failure, setting_not_updated
from trainyard.deploy.preflight_step import known_outputs
from trainyard.deploy.running_nodes import RunningNodes
from trainyard.deploy.step import Outcome, Probe
from trainyard.deploy.steps.release import final_release
from trainyard.deploy.steps.reservation_groups import known_groups
from trainyard.deploy.work import Work
from trainyard.edge.aws.stacks import find_stack, refuse_stuck
from trainyard.edge.pcluster_command import Change, Verdict
from trainyard.errors import TrainyardError
from trainyard.finding import Finding
from trainyard.platforms.parallelcluster.deployment.cluster import final_config, settled

_NOTHING_TO_DO = "No changes found"  # pcluster/models/cluster.py
_MINIMUM = re.compile(r"Scheduling\.SlurmQueues\[.*\]\.ComputeResources\[.*\]\.MinCount")
_MOST_SHOWN = 3


class Changes:
    """Lets a deployment go on where the cluster is as the spec says, but for nodes that are still to be started."""

    name = "changes"
    title = "what the spec changes of a cluster that exists"

    def probe(self, work: Work) -> Probe:
        """Say whether there is a cluster already."""
        found = find_stack(work.account, work.name)
        return Probe("missing", "no cluster yet") if found is None else Probe("there", found.status)

    def apply(self, work: Work) -> Outcome:
        """Raise TrainyardError where the cluster is another one than the spec describes."""
        found = settled(work)
        if found is None:
            return Outcome(changed=False, detail="no cluster yet")
        refuse_stuck(found)
        if not found.usable:
            return Outcome(changed=False, detail=found.status)
        work.outputs.update({**known_outputs(work), **known_groups(work), "AssetsBucket": work.bucket})
        spec = work.wanted()
        text = config_text(spec, final_config(work))
        verdict = work.pcluster(spec.parallelcluster.version).dry_run(work.name, text, update=True)
        if _NOTHING_TO_DO in verdict.problem:
            work.untold = _untold(work)
            return Outcome(changed=False, detail="nothing of the cluster itself" if work.untold else "nothing")
        others = [change for change in verdict.changes if not _MINIMUM.fullmatch(change.parameter)]
        left = _left_to_update(work, others)
        if (others and not left) or not verdict.changes:
            raise _another(work, others, verdict)
        work.untold = _untold(work)
        if len(others) == len(verdict.changes):
            work.untold += left
            return Outcome(changed=False, detail="nothing of the cluster itself but a setting of Slurm")
        work.nodes_to_start = True  # the update for them takes the setting along
        return Outcome(changed=False, detail="nodes that are to run always are still to be started")

    def undo(self, work: Work) -> Outcome:
        """Do nothing."""
        del work
        return Outcome(changed=False)


def _untold(work: Work) -> tuple[Finding, ...]:
    """Return which nodes will have to be told: what they carry out is no part of ParallelCluster's configuration."""
    made = final_release(work)
    return () if made is None else RunningNodes(work, made).untold()


def _left_to_update(work: Work, others: list[Change]) -> tuple[Finding, ...]:
    """Return what is said of the one setting that may stay behind; nothing where more than that differs."""
    if not may_be_on_failure(others):
        return ()
    verdict = work.pcluster(work.wanted().parallelcluster.version).dry_run(
        work.name, config_otherwise(work), update=True
    )
    same = _NOTHING_TO_DO in verdict.problem or (
        bool(verdict.changes) and all(_MINIMUM.fullmatch(one.parameter) for one in verdict.changes)
    )
    return (setting_not_updated(work),) if same else ()


def _another(work: Work, others: list[Change], verdict: Verdict) -> TrainyardError:
    shown = [f"{one.parameter}: {one.current} to {one.requested}" for one in others[:_MOST_SHOWN]]
    more = f" and {len(others) - _MOST_SHOWN} more" if len(others) > _MOST_SHOWN else ""
    said = ", ".join(shown) + more if shown else verdict.problem
    return TrainyardError(
        f"cluster {work.name} exists, and the spec would change it: {said}",
        where=work.name,
        hint="nothing was touched; this version of trainyard does not update clusters: use `pcluster update-cluster` "
        "with the cluster.yaml of `trainyard render`, or destroy the cluster and deploy it again",
    )
