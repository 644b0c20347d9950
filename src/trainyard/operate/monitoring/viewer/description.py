"""All dashboards as JSON for the page: everything but the queries' answers."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from trainyard.monitoring.dashboard import Dashboard, Panel, dashboards
from trainyard.monitoring.state_colours import state_colours

# What is said of a panel that is empty, where its cluster may not have what it needs.
_NEEDS = {
    "gpu": "GPUs",
    "gpm": "GPUs that tell which parts of them work",
    "nvlink": "NVLink",
    "neuron": "Neuron devices",
    "efa": "EFA",
    "slurm": "Slurm",
    "head-node": "head node",
    "prices": "nodes or rules that tell list prices",
    "mounts": "shared file systems that its nodes mount themselves",
    "nfs": "NFS",
    "lustre": "Lustre",
    "shared-storage": "shared file system",
    "login": "login nodes",
    "nccl-ras": "monitoring.nccl_ras",
    "nccl-inspector": "monitoring.nccl_inspector",
    "node-logs": "logs of nodes in CloudWatch",
    "job-logs": "logs of jobs in CloudWatch",
}


def description() -> dict[str, Any]:
    """Return the dashboards in their order, each with its rows and panels, and the colours of states."""
    return {"states": state_colours(), "dashboards": _dashboards()}


def _dashboards() -> list[dict[str, Any]]:
    return [
        {
            "id": dashboard.id,
            "title": dashboard.title,
            "description": dashboard.description,
            "variables": list(dashboard.variables),
            "about_one": dashboard.about_one,
            "logs": list(dashboard.logs),
            "rows": [
                {"title": row.title, "panels": [_panel(dashboard, panel) for panel in row.panels]}
                for row in dashboard.rows
            ],
        }
        for dashboard in dashboards()
    ]


def _panel(dashboard: Dashboard, panel: Panel) -> dict[str, Any]:
    return {
        "id": panel.id,
        "title": panel.title,
        "kind": panel.kind,
        "unit": panel.unit,
        "description": panel.description,
        "width": panel.width,
        "height": panel.height,
        "min": panel.min,
        "max": panel.max,
        "stack": panel.stack,
        "whole": not panel.is_of_chosen_nodes,
        "thresholds": [{"value": threshold.value, "colour": threshold.colour} for threshold in panel.thresholds],
        "columns": [{"label": column.label, "title": column.title, "unit": column.unit} for column in panel.columns],
        "links": list(panel.links),
        "linked": [asdict(linked) for linked in panel.linked_labels() if linked.dashboard != dashboard.id],
        "queries": [query.expr for query in panel.queries],
        "roles": [query.role for query in panel.queries],
        "empty": _why_empty((*dashboard.needs, *panel.needs), panel.may_be_empty),
    }


def _why_empty(needs: tuple[str, ...], may_be_empty: str) -> str:
    """Return in which case a panel rightly shows nothing; empty where it should always show something."""
    has = [_NEEDS[fromkey] for fromkey in dict.fromkeys(needs)]
    reasons = [
        *([f"the cluster has no {' or no '.join(has)}"] if has else []),
        *([may_be_empty] if may_be_empty else []),
    ]
    return "; or ".join(reasons)
