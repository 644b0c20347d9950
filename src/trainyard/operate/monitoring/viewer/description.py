"""All dashboards as JSON for the page: everything but the queries' answers."""

from __future__ import annotations

from typing import Any

from trainyard.monitoring.dashboard import Dashboard, Panel, dashboards

# What is said of a panel that is empty, where its cluster may not have what it needs.
_NEEDS = {
    "gpu": "GPUs",
    "gpm": "GPUs that tell which parts of them work",
    "nvlink": "NVLink",
    "efa": "EFA",
    "slurm": "Slurm",
    "head-node": "head node",
    "mounts": "shared file systems that its nodes mount themselves",
    "nfs": "NFS",
    "shared-storage": "shared file system",
    "login": "login nodes",
}


def description() -> list[dict[str, Any]]:
    """Return the dashboards in their order, each with its rows and panels."""
    return [
        {
            "id": one.id,
            "title": one.title,
            "description": one.description,
            "rows": [{"title": row.title, "panels": [_panel(one, panel) for panel in row.panels]} for row in one.rows],
        }
        for one in dashboards()
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
        "thresholds": [{"value": one.value, "colour": one.colour} for one in panel.thresholds],
        "columns": [{"label": one.label, "title": one.title, "unit": one.unit} for one in panel.columns],
        "links": list(panel.links),
        "queries": [one.expr for one in panel.queries],
        "empty": _why_empty((*dashboard.needs, *panel.needs), panel.may_be_empty),
    }


def _why_empty(needs: tuple[str, ...], may_be_empty: str) -> str:
    """Return in which case a panel rightly shows nothing; empty where it should always show something."""
    has = [_NEEDS[one] for one in dict.fromkeys(needs)]
    reasons = [
        *([f"the cluster has no {' or no '.join(has)}"] if has else []),
        *([may_be_empty] if may_be_empty else []),
    ]
    return "; or ".join(reasons)
