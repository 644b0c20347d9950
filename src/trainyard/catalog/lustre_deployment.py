"""What FSx for Lustre offers for one deployment type."""

from __future__ import annotations

from trainyard.field import Positive
from trainyard.record import Record


class LustreDeployment(Record):
    """Sizes and throughputs of one deployment type with SSD storage."""

    name: str
    """As the FSx API spells it: PERSISTENT_2."""
    smallest_sizes_gib: tuple[Positive, ...]
    """Sizes below the first whole step, ascending."""
    size_step_gib: Positive
    """Every multiple of this exists as well."""
    throughputs_mb_s_per_tib: tuple[Positive, ...]
    """Throughputs to choose from; empty where none may be given."""

    def size_exists(self, size_gib: int) -> bool:
        """Say whether a file system of this size can be made."""
        return size_gib in self.smallest_sizes_gib or (size_gib > 0 and size_gib % self.size_step_gib == 0)

    def nearest_sizes_gib(self, size_gib: int) -> tuple[int, ...]:
        """Return the sizes just below and above, or the size itself where it exists."""
        if self.size_exists(size_gib):
            return (size_gib,)
        whole_steps = size_gib // self.size_step_gib * self.size_step_gib
        offered = sorted(
            {*self.smallest_sizes_gib, max(whole_steps, 0), max(whole_steps, 0) + self.size_step_gib} - {0}
        )
        below = [size for size in offered if size < size_gib]
        above = [size for size in offered if size > size_gib]
        return (*below[-1:], *above[:1])
