"""Which series of an exporter Prometheus keeps: what something asks for, and what is kept for another reason.

Amazon Managed Prometheus charges for each sample, and more than half of what node_exporter says on a node of 192 vCPUs
is a series for each of them that no panel, alert or rule reads.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml

from trainyard.monitoring.registry import foreign_metrics, registry

# Of the head node they are shown; of the others only how long a CPU was idle. Modes are those of proc_stat(5):
# https://man7.org/linux/man-pages/man5/proc_stat.5.html
BUSY_MODES = ("iowait", "irq", "nice", "softirq", "steal", "system", "user")


def kept_series(job: str) -> list[dict[str, Any]]:
    """Return the relabelling that drops what nobody reads of an exporter; none where it says nothing else."""
    if job != "node-exporter":
        return []
    # Our own timers write theirs into files that node_exporter reads.
    asked = sorted({*registry("timers"), *(name for name in foreign_metrics() if name.startswith("node_"))})
    return [
        {"source_labels": ["__name__"], "regex": "|".join((*asked, *kept_metrics()[job])), "action": "keep"},
        {
            "source_labels": ["__name__", "mode", "node_type"],
            "regex": f"node_cpu_seconds_total;({'|'.join(BUSY_MODES)});(|Compute|LoginNode)",
            "action": "drop",
        },
    ]


@cache
def kept_metrics() -> dict[str, dict[str, str]]:
    """Return, by job, the patterns of metrics that nothing asks for, with the reason why they are kept."""
    content = yaml.load(Path(__file__).with_name("kept_metrics.yaml").read_bytes(), Loader=yaml.CSafeLoader)
    return {job: {entry["metrics"]: entry["reason"] for entry in entries} for job, entries in content.items()}
