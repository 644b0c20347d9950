"""Says what ParallelCluster's own update policies make of each change, in every state that a cluster can be brought to.

Run by the Python of its environment in a copy of the worker that has imported pcluster, never imported by trainyard.
``ConfigPatch`` and the functions of the policies are ParallelCluster's; of the cluster, only what they ask about its
fleets is answered here: pcluster/config/config_patch.py and pcluster/config/update_policy.py, alike in 3.14 to 3.16.
Validators are not asked, so that the ids of what is not made yet may stand in. Python 3.9 syntax.
"""

from __future__ import annotations

import argparse
import json
import os
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Optional


class FleetState(NamedTuple):
    """A state of the cluster in which an update would be asked for."""

    strategy: Optional[str] = None  # noqa: UP045 - Python 3.9
    """QueueUpdateStrategy of the configuration; None for what it is by default."""
    compute_runs: Optional[bool] = None  # noqa: UP045 - Python 3.9
    """None for whatever it does."""
    logins_run: Optional[bool] = None  # noqa: UP045 - Python 3.9


# From the least disturbance to the most.
STATES = {
    "live": FleetState(),
    "live-logins": FleetState(logins_run=False),
    "drain": FleetState("DRAIN"),
    "drain-logins": FleetState("DRAIN", logins_run=False),
    "terminate": FleetState("TERMINATE"),
    "terminate-logins": FleetState("TERMINATE", logins_run=False),
    "stop": FleetState(compute_runs=False),
    "stop-logins": FleetState(compute_runs=False, logins_run=False),
}


def main() -> None:
    """Print the changes between a cluster's configuration and another one as JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    for option in ("--region", "--cluster-name", "--cluster-configuration"):
        parser.add_argument(option, required=True)
    parser.add_argument("--former-configuration", help="of a cluster that runs, whose own is not asked of AWS")
    options = parser.parse_args()
    os.environ["AWS_DEFAULT_REGION"] = options.region
    target = Path(options.cluster_configuration).read_text(encoding="utf-8")
    if options.former_configuration:
        former = Path(options.former_configuration).read_text(encoding="utf-8")
        cluster: Any = UndeployedCluster(options.cluster_name, former)
    else:
        cluster = deployed_cluster(options.cluster_name)
    print(json.dumps({"changes": changes(cluster, target)}, default=str))  # noqa: T201 - it is the answer


class UndeployedCluster:
    """A cluster of which only the configuration is known: what it has, runs, unless a state says otherwise."""

    state = FleetState()

    def __init__(self, name: str, text: str) -> None:
        """Take its name and its configuration."""
        self.name = self.stack_name = name
        self.source_config_text = text

    def has_running_capacity(self, *_arguments: Any, **_named: Any) -> bool:
        """Return whether compute nodes may run."""
        return self.state.compute_runs is not False

    def has_running_login_nodes(self, *_arguments: Any, **_named: Any) -> bool:
        """Return whether login nodes run."""
        return self.state.logins_run is not False and "LoginNodes:" in self.source_config_text


def deployed_cluster(name: str) -> Any:
    """Return a cluster in AWS whose fleets can be thought of in other states."""
    from pcluster.models.cluster import Cluster  # type: ignore[import-not-found]  # noqa: PLC0415

    class ClusterInState(Cluster):  # type: ignore[misc]
        state = FleetState()

        def has_running_capacity(self, *arguments: Any, **named: Any) -> bool:
            runs = self.state.compute_runs
            return bool(super().has_running_capacity(*arguments, **named)) if runs is None else runs

        def has_running_login_nodes(self, *arguments: Any, **named: Any) -> bool:
            run = self.state.logins_run
            return bool(super().has_running_login_nodes(*arguments, **named)) if run is None else run

        @cached_property
        def login_nodes_status(self) -> Any:  # which asks AWS anew each time
            return super().login_nodes_status

    return ClusterInState(name)


def changes(cluster: Any, text: str) -> list[dict[str, Any]]:
    """Return what a configuration changes of a cluster, and in which states ParallelCluster allows it."""
    from pcluster.config.config_patch import ConfigPatch  # type: ignore[import-not-found]  # noqa: PLC0415
    from pcluster.models.common import parse_config  # type: ignore[import-not-found]  # noqa: PLC0415

    base, target = parse_config(cluster.source_config_text), parse_config(text)
    reports: dict[str, list[dict[str, Any]]] = {}
    for state_name, state in STATES.items():
        cluster.state = state
        settings = {**(target["Scheduling"].get("SlurmSettings") or {})}
        settings.pop("QueueUpdateStrategy", None)
        settings.update({"QueueUpdateStrategy": state.strategy} if state.strategy else {})
        scheduling = {**target["Scheduling"], "SlurmSettings": settings}
        _, (titles, *rows) = ConfigPatch(cluster, base, {**target, "Scheduling": scheduling}).check()
        reports[state_name] = [dict(zip(titles, row)) for row in rows]  # noqa: B905 - Python 3.9
    return [
        {
            "path": [*change["param_path"], change["parameter"]],
            "current": change["old value"],
            "requested": change["new value"],
            "policy": change["update_policy"],
            "reason": change["reason"],
            "action": change["action_needed"],
            "allowed_when": [state_name for state_name in STATES if _is_allowed(change, reports[state_name])],
        }
        for change in reports["live"]
    ]


def _is_allowed(change: dict[str, Any], report: list[dict[str, Any]]) -> bool:
    """Return whether a change may be made; of those that are allowed, some are not reported."""
    keys = ("param_path", "parameter", "old value", "new value")
    return all(row["check"] == "SUCCEEDED" for row in report if all(row[key] == change[key] for key in keys))


if __name__ == "__main__":
    main()
