"""Where things lie on a node."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class Places(NamedTuple):
    """Folders and files, below a root that only tests set."""

    root: str = ""

    def at(self, path: str) -> Path:
        """Return a path of the node."""
        return Path(self.root + path)

    @property
    def node_env(self) -> Path:
        """The settings that steps read."""
        return self.at("/etc/trainyard/node.env")

    @property
    def record(self) -> Path:
        """How the node came up."""
        return self.at("/var/lib/trainyard/bootstrap.json")

    @property
    def logs(self) -> Path:
        """What the steps said."""
        return self.at("/var/log/trainyard")

    @property
    def run(self) -> Path:
        """What is gone after a reboot."""
        return self.at("/run/trainyard")

    @property
    def ready(self) -> Path:
        """There while jobs may run."""
        return self.run / "ready"

    @property
    def lock(self) -> Path:
        """Held while a bootstrap runs."""
        return self.run / "bootstrap.lock"

    @property
    def running_step(self) -> Path:
        """Which process group runs a step."""
        return self.run / "step"

    @property
    def assets(self) -> Path:
        """Assets that were downloaded."""
        return self.at("/opt/trainyard/assets")

    @property
    def cfnconfig(self) -> Path:
        """What ParallelCluster says about the node, as shell assignments.

        https://docs.aws.amazon.com/parallelcluster/latest/ug/custom-bootstrap-actions-v3.html
        """
        return self.at("/etc/parallelcluster/cfnconfig")

    @property
    def slurm_nodename(self) -> Path:
        """What Slurm calls a compute node.

        https://github.com/aws/aws-parallelcluster-cookbook/blob/develop/cookbooks/aws-parallelcluster-slurm/recipes/init.rb
        """
        return self.at("/etc/parallelcluster/slurm_plugin/slurm_nodename")

    @property
    def os_release(self) -> Path:
        """Which system it is: os-release(5)."""
        return self.at("/etc/os-release")
