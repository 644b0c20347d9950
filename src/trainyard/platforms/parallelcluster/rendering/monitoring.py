"""Monitoring: https://docs.aws.amazon.com/parallelcluster/latest/ug/Monitoring-v3.html."""

from __future__ import annotations

from typing import Any

from trainyard.spec.cluster import Spec


def monitoring(spec: Spec) -> dict[str, Any]:
    """Return logs, dashboard and alarms in CloudWatch."""
    wanted = spec.monitoring
    kept = {
        "RetentionInDays": wanted.log_retention_days,
        "DeletionPolicy": "Retain" if wanted.keep_logs else "Delete",
    }
    return {
        "DetailedMonitoring": wanted.detailed,
        "Logs": {
            "CloudWatch": {"Enabled": wanted.logs, **(kept if wanted.logs else {})},
            "Rotation": {"Enabled": wanted.log_rotation},
        },
        "Dashboards": {"CloudWatch": {"Enabled": wanted.dashboard}},
        "Alarms": {"Enabled": wanted.alarms},
    }
