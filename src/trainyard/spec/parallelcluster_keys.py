"""Keys of a spec that are ParallelCluster's, or its Slurm's, own: other platforms take none of them."""

from __future__ import annotations

from trainyard.finding import Path

SECTIONS: tuple[Path, ...] = (
    ("head_node",),
    ("login_nodes",),
    ("timeouts",),
    ("parallelcluster",),
    ("access", "directory_service"),
    ("image", "built_for"),
)

QUEUE_KEYS = ("job_exclusive", "partition_settings", "allocation_strategy", "setup", "custom_actions")
NODE_KEYS = (
    "static_priority", "dynamic_priority", "gpu_health_check", "schedulable_memory_mib", "slurm_settings",
    "spot_price_usd_per_hour", "gpudirect", "multithreading",
)  # fmt: skip
