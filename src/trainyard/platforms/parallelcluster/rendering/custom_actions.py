"""CustomActions: https://docs.aws.amazon.com/parallelcluster/latest/ug/custom-bootstrap-actions-v3.html.

ParallelCluster refuses or interrupts updates that change a URL or an argument. So trainyard has one launcher for all
nodes, whose URL and argument never change; what it runs is decided by a pointer that lies beside it.
"""

from __future__ import annotations

from typing import Any

from trainyard.render.assets import assets_folder
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec
from trainyard.spec.custom_actions import CustomActions, Script


def custom_actions(spec: Spec, own: CustomActions, ids: Ids) -> dict[str, Any]:
    """Return the section of one kind of nodes: the user's scripts around trainyard's launcher, or nothing."""
    lists = {
        "OnNodeStart": _scripts(own.on_start),
        "OnNodeConfigured": [*_scripts(own.before_setup), *_launcher(spec, ids), *_scripts(own.after_setup)],
        "OnNodeUpdated": _scripts(getattr(own, "on_update", ())),
    }
    actions = {moment: {"Sequence": scripts} for moment, scripts in lists.items() if scripts}
    return {"CustomActions": actions} if actions else {}


def _launcher(spec: Spec, ids: Ids) -> list[dict[str, Any]]:
    if not spec.installs_anything:
        return []
    folder = f"s3://{'/'.join(assets_folder(spec, ids))}"
    return [{"Script": f"{folder}/launch.sh", "Args": [folder]}]


def _scripts(scripts: tuple[Script, ...]) -> list[dict[str, Any]]:
    return [{"Script": script.script, **({"Args": list(script.args)} if script.args else {})} for script in scripts]
