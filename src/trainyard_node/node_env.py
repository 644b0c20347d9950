"""/etc/trainyard/node.env: the settings that steps read. It is sourced by shells, so values are held in."""

from __future__ import annotations

import re
from collections.abc import Mapping

from trainyard_node.atomic_write import write_whole
from trainyard_node.errors import NO_SPACE, SETTING, NodeError
from trainyard_node.places import Places
from trainyard_node.this_node import assignments

_PREFIX = "TRAINYARD_"
# Each of them is in the file, if empty, so that no step stumbles over one that is not.
NAMES = tuple(
    _PREFIX + name
    for name in (
        *("CLUSTER", "REGION", "FOLDER", "RELEASE", "ROLE", "QUEUE", "INSTANCE_ID", "INSTANCE_TYPE", "OS", "ARCH"),
        *("SETUP", "CONTAINERS", "MONITORING", "EFA_VERSION", "EFA_INTERFACES", "GPUS", "FABRIC", "SHARED"),
        *("NCCL_VERSION", "CONTAINER_IMAGES", "ON_FAILURE", "CLOUDWATCH_METRICS", "SLURM_NAMES", "GRAFANA_URL"),
        *("HEALTH_CHECKS", "METRICS_WRITE_URL", "PROMETHEUS", "CAPACITY_RESERVATIONS"),
        *("LIST_PRICES", "BUDGET_USD_MONTH", "NCCL_RAS", "NCCL_INSPECTOR"),
    )
)


def write_node_env(places: Places, settings: Mapping[str, str]) -> None:
    """Write the settings."""
    lines = [_line(name, value) for name, value in {**dict.fromkeys(NAMES, ""), **settings}.items()]
    text = "# Written by trainyard-node, from plan.json and the machine.\n" + "".join(lines)
    try:
        write_whole(places.node_env, text)
    except OSError as error:
        raise NodeError(f"cannot write {places.node_env} ({error.strerror}): make room for it", NO_SPACE) from error


def read_node_env(places: Places) -> dict[str, str]:
    """Return the settings of a node that has come up."""
    if not places.node_env.is_file():
        raise NodeError(f"{places.node_env} is missing: run trainyard-node.pyz bootstrap first", SETTING)
    return assignments(places.node_env)


def _line(name: str, value: str) -> str:
    if not re.fullmatch(r"TRAINYARD_[A-Z0-9_]+", name):
        raise NodeError(f"{name!a:.60} is no name of a setting: render and publish the release again", SETTING)
    if "'" in value or not value.isprintable():
        raise NodeError(f"{name} is {value!a:.100}, and no setting may hold a quote or a line break", SETTING)
    return f"{name}='{value}'\n"
