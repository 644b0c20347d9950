"""A setting of Slurm that was given twice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trainyard.finding import Path
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec

_OWN_FIELDS = {
    "killwait": "kill_wait_s",
    "slurmdtimeout": "slurmd_timeout_s",
    "unkillablesteptimeout": "unkillable_step_timeout_s",
}


def check(spec: Spec) -> Iterator[Problem]:
    """Yield settings that differ from an earlier one only in case, or that have a field of their own beside them."""
    slurm = spec.parallelcluster.slurm
    written = {setting: field for setting, field in _OWN_FIELDS.items() if getattr(slurm, field) is not None}
    for path, settings in written_settings(spec):
        yield from _repeated(path, settings, written if path[0] == "parallelcluster" else {})


def written_settings(spec: Spec) -> Iterator[tuple[Path, Mapping[str, str | int]]]:
    """Yield the settings of Slurm at every level, with their places: slurm.conf, partitions, nodes."""
    yield ("parallelcluster", "slurm", "settings"), spec.parallelcluster.slurm.settings
    for index, queue in enumerate(spec.queues):
        yield ("queues", index, "partition_settings"), queue.partition_settings
    for group in spec.node_groups():
        yield (*group.path, "slurm_settings"), group.settings.slurm_settings


def _repeated(path: Path, settings: Mapping[str, str | int], settings_before: Mapping[str, str]) -> Iterator[Problem]:
    first = dict(settings_before)
    for key in settings:
        if key.lower() in first:
            yield Problem((*path, key), f"{key} was given already, as {first[key.lower()]}")
        first.setdefault(key.lower(), key)


RULE = Rule(
    severity="error",
    title="Slurm setting that repeats",
    rationale=(
        "Slurm does not tell upper from lower case in the names of settings. Of two values for one setting only one "
        "holds, and which one depends on the order of lines in a file that nobody wrote."
    ),
    remedy="keep one of them",
    source="https://slurm.schedmd.com/slurm.conf.html#SECTION_DESCRIPTION",
    bad="""\
parallelcluster:
  slurm:
    kill_wait_s: 60
    settings: {KillWait: 120}
""",
    good="""\
parallelcluster:
  slurm:
    kill_wait_s: 60
    settings: {MessageTimeout: 60}
""",
    check=check,
)
