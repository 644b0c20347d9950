"""The collector of Slurm, for the head node."""

from __future__ import annotations

from trainyard_node.collectors.slurm import community, rivosinc
from trainyard_node.collectors.slurm.slurm_reading import COMMAND_S, read_slurm
from trainyard_node.programs import Programs
from trainyard_node.samples import Samples

DEFAULT_NAMES = "vpenso"
NAMES = {DEFAULT_NAMES: community.samples, "rivosinc": rivosinc.samples}


class SlurmCollector:
    """Three commands a reading."""

    name = "slurm"
    interval_s = 30.0
    deadline_s = 2 * COMMAND_S

    def __init__(self, programs: Programs, names: str = DEFAULT_NAMES) -> None:
        """Export under the names of vpenso, which SckyzO's exporter keeps, or under those and rivosinc's."""
        self._programs, self._samples = programs, NAMES[names]

    def collect(self) -> Samples:
        """Ask Slurm. Raises NodeError where a command fails."""
        return self._samples(read_slurm(self._programs))
