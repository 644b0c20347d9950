"""What ParallelCluster has no use for: sections of the other platforms."""

from __future__ import annotations

from trainyard.platform_parts import UnusableKeys

UNUSABLE_KEYS = UnusableKeys(paths=(("batch",), ("eks",)), number_keys=("desired",))
