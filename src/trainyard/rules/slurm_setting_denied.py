"""A setting of Slurm that ParallelCluster keeps for itself."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.parallelcluster import Level, refused_settings
from trainyard.rules import Problem, Rule
from trainyard.rules.slurm_setting_repeated import written_settings
from trainyard.spec.cluster import Spec

_LEVELS: dict[str | int, Level] = {
    "settings": "cluster",
    "partition_settings": "queue",
    "slurm_settings": "compute_resource",
}
# Where a refused setting has a field of its own.
_FIELDS = {
    "suspendtime": "parallelcluster.slurm.scaledown_idle_minutes",
    "resumetimeout": "timeouts.compute_node_s",
    "oversubscribe": "job_exclusive",
    "weight": "static_priority and dynamic_priority",
}
# ParallelCluster's own Prolog and Epilog run every script that lies there, on /opt/slurm of the head node.
# https://github.com/aws/aws-parallelcluster-cookbook/blob/develop/cookbooks/aws-parallelcluster-slurm/templates/default/slurm/slurm.conf.erb
_FOLDERS = {"prolog": "/opt/slurm/etc/scripts/prolog.d", "epilog": "/opt/slurm/etc/scripts/epilog.d"}
# They let slurmctld and slurmd, which run as root, load what lies elsewhere, and hide settings that are refused.
# https://slurm.schedmd.com/slurm.conf.html
_OF_OTHER_FILES = {
    "plugindir": "makes Slurm's daemons load libraries from a folder",
    "include": "takes settings from another file, which nothing looks at",
}


def check(spec: Spec) -> Iterator[Problem]:
    """Yield settings that the version in the spec refuses at their level, however they are spelt."""
    version = spec.parallelcluster.version
    accounting = spec.parallelcluster.slurm.accounting is not None
    for path, settings in written_settings(spec):
        # Nearly every spec has none, and then the catalog need not be read.
        refused = refused_settings(version, _LEVELS[path[-1]], accounting=accounting) if settings else None
        for key in settings:
            if (effect := _OF_OTHER_FILES.get(key.lower())) is not None:
                yield Problem((*path, key), f"{key} {effect}", "remove it, and write the settings themselves")
            if refused is not None and key.lower() in refused:
                yield Problem((*path, key), f"ParallelCluster {version} sets {key} itself", _remedy(key))


def _remedy(key: str) -> str | None:
    if (folder := _FOLDERS.get(key.lower())) is not None:
        return f"remove it, and put the script into {folder} on the head node"
    field = _FIELDS.get(key.lower())
    return None if field is None else f"write {field} instead"


RULE = Rule(
    severity="error",
    title="Slurm setting that ParallelCluster sets itself",
    rationale=(
        "ParallelCluster starts and ends nodes through settings of Slurm, and refuses a configuration that changes "
        "one of them. Which these are depends on the level: slurm.conf, a partition or a node. PluginDir and Include "
        "it takes, but they let daemons that run as root load what no check has seen."
    ),
    remedy="remove the setting",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/slurm-configuration-settings-v3.html",
    bad="""\
parallelcluster: {slurm: {settings: {SuspendTime: 600}}}
""",
    good="""\
parallelcluster: {slurm: {scaledown_idle_minutes: 10, settings: {MessageTimeout: 60}}}
""",
    check=check,
)
