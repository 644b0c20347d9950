"""What the spec would change of a cluster that exists: asked of ParallelCluster before anything else is touched."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from trainyard.bundle.config_text import config_text
from trainyard.deploy.preflight_step import known_outputs
from trainyard.deploy.release_notice import not_told
from trainyard.deploy.running_nodes import RunningNodes
from trainyard.deploy.step import Probe, StepOutcome
from trainyard.deploy.steps.release import release_so_far
from trainyard.deploy.steps.reservation_groups import known_groups
from trainyard.deploy.work import Work
from trainyard.edge.aws.stacks import find_stack, refuse_stuck
from trainyard.edge.pcluster_command import ConfigChange, Verdict
from trainyard.errors import TrainyardError
from trainyard.finding import Finding
from trainyard.platforms.parallelcluster.deployment.cluster import (
    NOTHING_TO_DO,
    settled_cluster_stack,
)
from trainyard.render.rendering import Rendering, render
from trainyard.render.stand_ins import StandIn

_MINIMUM = re.compile(r"Scheduling\.SlurmQueues\[.*\]\.ComputeResources\[.*\]\.MinCount")
# What a node does when it fails is in the release. The configuration of ParallelCluster has one line of slurm.conf for
# it, SuspendExcStates, without which held nodes are spared one by one. Its update stops nothing: its policy is
# SUPPORTED in catalog/update_policies.yaml.
_SLURM_LINES = "Scheduling.SlurmSettings.CustomSlurmSettings"
# A workspace for metrics that is added needs a policy of the head node: SUPPORTED in catalog/update_policies.yaml, so
# that nothing stops for it.
_POLICIES = "HeadNode.Iam.AdditionalIamPolicies"
_MOST_SHOWN = 3
_NO_UPDATES = (
    "this version of trainyard does not update clusters: use `pcluster update-cluster` with the cluster.yaml of "
    "`trainyard render`, or destroy the cluster and deploy it again"
)


class Changes:
    """Lets a deployment go on where the cluster is as the spec says, but for nodes that are still to be started."""

    name = "changes"
    title = "what the spec changes of a cluster that exists"

    def probe(self, work: Work) -> Probe:
        """Say whether there is a cluster already."""
        stack_state = find_stack(work.account, work.name)
        return Probe("missing", "no cluster yet") if stack_state is None else Probe("there", stack_state.status)

    def apply(self, work: Work) -> StepOutcome:
        """Raise TrainyardError where the cluster is another one than the spec describes."""
        stack_state = settled_cluster_stack(work)
        if stack_state is None:
            return StepOutcome(changed=False, detail="no cluster yet")
        refuse_stuck(stack_state)
        if not stack_state.usable:
            return StepOutcome(changed=False, detail=stack_state.status)
        work.outputs.update({**known_outputs(work), **known_groups(work), "AssetsBucket": work.bucket})
        spec = work.required_spec()
        text, missing, later = _config_so_far(work)
        if missing:
            raise _not_made_yet(work, missing)
        verdict = work.pcluster(spec.parallelcluster.version).dry_run(work.name, text, update=True)
        work.policies_to_update = later or any(change.parameter == _POLICIES for change in verdict.changes)
        if NOTHING_TO_DO in verdict.problem and not later:
            work.untold = _untold(work)
            return StepOutcome(changed=False, detail="nothing of the cluster itself" if work.untold else "nothing")
        of_nodes = [change for change in verdict.changes if _MINIMUM.fullmatch(change.parameter)]
        others = [change for change in verdict.changes if change not in of_nodes and change.parameter != _POLICIES]
        left = _left_to_update(work, others)
        if (others and not left) or not (verdict.changes or later):
            raise _another(work, others, verdict)
        work.untold = _untold(work)
        work.nodes_to_start = bool(of_nodes)  # an update for them takes everything else along
        if work.policies_to_update:
            return StepOutcome(changed=False, detail="policies of the head node, which the step of the cluster updates")
        if not of_nodes:
            work.untold += left
            return StepOutcome(changed=False, detail="nothing of the cluster itself but a setting of Slurm")
        return StepOutcome(changed=False, detail="nodes that are to run always are still to be started")

    def undo(self, work: Work) -> StepOutcome:
        """Do nothing."""
        del work
        return StepOutcome(changed=False)


def _config_so_far(work: Work) -> tuple[str, list[StandIn], bool]:
    """Return the configuration without policies of the head node that a stack has still to make.

    And what else is not made yet, and whether such policies were left out.
    """
    spec = work.required_spec()
    rendering = render(spec, work.outputs)
    document = copy.deepcopy(rendering.documents["cluster.yaml"])
    policies = document["HeadNode"].get("Iam", {}).get("AdditionalIamPolicies", [])
    stand_ins = {stand_in.value: stand_in for stand_in in rendering.stand_ins}
    later = [entry for entry in policies if entry["Policy"] in stand_ins and _is_made_now(entry, stand_ins, rendering)]
    policies[:] = [entry for entry in policies if entry not in later]
    text = config_text(spec, document)
    missing = [stand_in for value, stand_in in stand_ins.items() if value in text]
    return text, missing, bool(later)


def _is_made_now(entry: Mapping[str, str], stand_ins: Mapping[str, StandIn], rendering: Rendering) -> bool:
    """Return whether a stack of this deployment makes a policy."""
    return stand_ins[entry["Policy"]].stack in {stack.kind for stack in rendering.stacks}


def _untold(work: Work) -> tuple[Finding, ...]:
    """Return which nodes will have to be told: what they carry out is no part of ParallelCluster's configuration."""
    release = release_so_far(work)
    return () if release is None else RunningNodes(work, release).untold()


def _left_to_update(work: Work, others: list[ConfigChange]) -> tuple[Finding, ...]:
    """Return what is said of the one setting that may stay behind; nothing where more than that differs."""
    if {change.parameter for change in others} != {_SLURM_LINES}:
        return ()
    version = work.required_spec().parallelcluster.version
    verdict = work.pcluster(version).dry_run(work.name, _config_otherwise(work), update=True)
    same = NOTHING_TO_DO in verdict.problem or (
        bool(verdict.changes) and all(_MINIMUM.fullmatch(change.parameter) for change in verdict.changes)
    )
    return (_setting_not_updated(work),) if same else ()


def _config_otherwise(work: Work) -> str:
    """Return the configuration that the spec had if it chose otherwise what becomes of a node that fails."""
    spec = work.required_spec()
    software = spec.software.replaced(on_failure="terminate" if spec.software.on_failure == "hold" else "hold")
    spec = spec.replaced(software=software)
    return _config_so_far(replace(work, spec=spec))[0]


def _setting_not_updated(work: Work) -> Finding:
    """Return what is said where the release goes to a cluster whose Slurm keeps the former setting."""
    name, region = work.name, work.account.region
    held = work.required_spec().software.on_failure == "hold"
    until = (
        "each node that is held is excepted from power saving by its name"
        if held
        else "Slurm powers no node down that a reservation keeps"
    )
    message = f"Slurm of {name} keeps SuspendExcStates as it is, which follows software.on_failure; until then, {until}"
    remedy = (
        f"run `pcluster update-cluster --cluster-name {name} --region {region} --cluster-configuration cluster.yaml` "
        "with the cluster.yaml of `trainyard render`, its ids filled in; no fleet has to be stopped"
    )
    return not_told("slurm-setting-not-updated", message, remedy, name)


def _not_made_yet(work: Work, missing: Sequence[StandIn]) -> TrainyardError:
    """Return the error of a configuration that names what no stack has made, so that it cannot be the cluster's."""
    what = ", ".join(dict.fromkeys(stand_in.what for stand_in in missing))
    return TrainyardError(
        f"cluster {work.name} exists, and the spec would add to it what is not made yet: {what}",
        where=work.name,
        hint=f"nothing was touched; {_NO_UPDATES}",
    )


def _another(work: Work, others: list[ConfigChange], verdict: Verdict) -> TrainyardError:
    shown = [f"{change.parameter}: {change.current} to {change.requested}" for change in others[:_MOST_SHOWN]]
    more = f" and {len(others) - _MOST_SHOWN} more" if len(others) > _MOST_SHOWN else ""
    differences = ", ".join(shown) + more if shown else verdict.problem
    return TrainyardError(
        f"cluster {work.name} exists, and the spec would change it: {differences}",
        where=work.name,
        hint=f"nothing was touched; {_NO_UPDATES}",
    )
