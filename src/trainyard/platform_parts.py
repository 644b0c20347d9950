"""What a platform is: facts that everybody may ask for, and parts that only its own folder has.

Nobody outside `platforms/` compares names of platforms. Whoever needs to know what differs asks for a fact by its name
in the field; whoever needs the platform to do something asks for a part. An entry without a fact or a part does not
type-check. docs/decisions/0013-platforms.md says what AWS PCS and SageMaker HyperPod would answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Scheduler = Literal["slurm", "batch", "kubernetes"]
Maker = Literal["parallelcluster", "cloudformation", "eksctl"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform:
    """One platform, or an environment, which is deployed by the same commands and has no nodes for jobs."""

    name: str
    """What a spec calls it."""
    title: str
    """What AWS calls it."""
    scheduler: Scheduler | None
    """Who gives jobs to nodes; None where there are none. PCS: slurm. HyperPod: slurm or kubernetes."""
    made_by: Maker
    """The program whose file describes the cluster, and whose rules that file has to obey. PCS: cloudformation.
    HyperPod: cloudformation."""
    has_head_node: bool
    """One instance of the user's own runs the scheduler, and everything reaches the cluster through it. PCS: no, AWS
    runs the controller. HyperPod: yes with Slurm (the controller group), no with EKS."""
    nodes_run_release: bool
    """Nodes fetch trainyard's release when they boot, and report to the bucket. PCS: yes, by user data of a launch
    template. HyperPod: yes, by its lifecycle script."""

    @property
    def has_slurm(self) -> bool:
        """Whether jobs are submitted to Slurm."""
        return self.scheduler == "slurm"
