"""Whether software.on_failure, chosen otherwise, is all that makes a cluster another one than the spec describes.

What a node does when it fails is in the release. The configuration of ParallelCluster has one line of slurm.conf for
it, SuspendExcStates, without which held nodes are spared one by one; its update stops nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from trainyard.bundle.config_text import config_text
from trainyard.deploy.release_notice import not_told
from trainyard.deploy.work import Work
from trainyard.edge.pcluster_command import Change
from trainyard.finding import Finding
from trainyard.platforms.parallelcluster.deployment.cluster import final_config

# Its update policy is SUPPORTED: catalog/update_policies.yaml.
_LINES = "Scheduling.SlurmSettings.CustomSlurmSettings"


def may_be_on_failure(changes: Iterable[Change]) -> bool:
    """Return whether nothing but lines of slurm.conf differs."""
    return {change.parameter for change in changes} == {_LINES}


def config_otherwise(work: Work) -> str:
    """Return the configuration that the spec had if it chose otherwise what becomes of a node that fails."""
    spec = work.wanted()
    software = spec.software.replaced(on_failure="terminate" if spec.software.on_failure == "hold" else "hold")
    spec = spec.replaced(software=software)
    return config_text(spec, final_config(replace(work, spec=spec)))


def setting_not_updated(work: Work) -> Finding:
    """Return what is said where the release goes to a cluster whose Slurm keeps the former setting."""
    name, region = work.name, work.account.region
    held = work.wanted().software.on_failure == "hold"
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
