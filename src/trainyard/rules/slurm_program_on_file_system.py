"""A program that Slurm runs as root, on a file system that others may write to."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.rules.mounts_overlap import mounts
from trainyard.rules.slurm_setting_repeated import written_settings
from trainyard.spec.cluster import Spec

# Programs, plugins and further settings of slurmd and slurmstepd, which run as root, and of slurmctld, which decides
# over them. Programs of users, such as TaskProlog, are not among them.
# https://slurm.schedmd.com/slurm.conf.html, https://slurm.schedmd.com/prolog_epilog.html
_AS_ROOT = frozenset(
    {
        "epilog", "epilogslurmctld", "healthcheckprogram", "include", "mailprog", "plugindir", "plugstackconfig",
        "prolog", "prologslurmctld", "rebootprogram", "resumefailprogram", "resumeprogram", "suspendprogram",
        "unkillablestepprogram",
    }
)  # fmt: skip


def check(spec: Spec) -> Iterator[Problem]:
    """Yield settings of Slurm that name a place below a mount of the spec."""
    folders = [mount for _, mount in mounts(spec)]
    for path, settings in written_settings(spec):
        for key, value in settings.items():
            # PluginDir is a list: one folder after another, with colons between.
            places = re.split(r"[:,\s]", str(value)) if key.lower() in _AS_ROOT else []
            for folder in folders:
                if any(f"{place}/".startswith(f"{folder}/") for place in places):
                    yield Problem((*path, key), f"root of every node runs what lies on {folder}")


RULE = Rule(
    severity="warning",
    title="Root runs a program from a shared file system",
    rationale=(
        "Slurm's daemons run these programs, and load these plugins, as root on every node. On a shared file system, "
        "whoever is root of any container or other cluster that mounts it decides what that is. Scratch is every "
        "user's."
    ),
    remedy="put it on the nodes' own disks, with a script of the queue or in an image",
    source="https://slurm.schedmd.com/slurm.conf.html#OPT_HealthCheckProgram",
    bad="""\
file_systems:
  - {mount: /fsx, lustre: {size_gib: 1200, throughput_mb_s_per_tib: 125}}
parallelcluster: {slurm: {settings: {HealthCheckProgram: /fsx/tools/check.sh}}}
""",
    good="""\
file_systems:
  - {mount: /fsx, lustre: {size_gib: 1200, throughput_mb_s_per_tib: 125}}
parallelcluster:
  slurm:
    settings: {HealthCheckProgram: /opt/trainyard/current/health/slurm-health-check.sh}
""",
    check=check,
)
