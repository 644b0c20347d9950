"""A time for killing job steps that Slurm takes for too short."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainyard.finding import Path
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec
from trainyard.spec.slurm import Slurm

# What ParallelCluster writes into slurm.conf; Slurm's own default is 10.
# https://github.com/aws/aws-parallelcluster-cookbook/blob/develop/cookbooks/aws-parallelcluster-slurm/templates/default/slurm/slurm.conf.erb
_MESSAGE_TIMEOUT_S = 60


def check(spec: Spec) -> Iterator[Problem]:
    """Yield an UnkillableStepTimeout below five times MessageTimeout."""
    slurm = spec.parallelcluster.slurm
    message_timeout_s = _setting(slurm, "messagetimeout") or _MESSAGE_TIMEOUT_S
    least_s = 5 * message_timeout_s
    for path, timeout_s in _timeouts(slurm):
        if timeout_s < least_s:
            message = f"UnkillableStepTimeout of {timeout_s} s, and five times MessageTimeout ({message_timeout_s} s) "
            yield Problem(
                path,
                f"{message}are {least_s} s",
                f"remove it, which makes it {least_s} s from ParallelCluster 3.14 on, or write at least {least_s}",
            )


def _timeouts(slurm: Slurm) -> Iterator[tuple[Path, int]]:
    if slurm.unkillable_step_timeout_s is not None:
        yield ("parallelcluster", "slurm", "unkillable_step_timeout_s"), slurm.unkillable_step_timeout_s
    for key in slurm.settings:
        if key.lower() == "unkillablesteptimeout" and (timeout_s := _seconds(slurm.settings[key])) is not None:
            yield ("parallelcluster", "slurm", "settings", key), timeout_s


def _setting(slurm: Slurm, name: str) -> int | None:
    return next((_seconds(value) for key, value in slurm.settings.items() if key.lower() == name), None)


def _seconds(value: str | int) -> int | None:
    return int(value) if re.fullmatch("[0-9]{1,9}", str(value)) else None


RULE = Rule(
    severity="warning",
    confidence="likely",
    title="Job steps given up too early",
    rationale=(
        "A node whose processes do not die within UnkillableStepTimeout is drained as Kill task failed. Slurm wants it "
        "to be at least five times MessageTimeout, which is 60 s in ParallelCluster, complains in every log below "
        "that, and takes just so much by itself. Up to 3.13, ParallelCluster wrote 180; since 3.14 it writes nothing."
    ),
    remedy="remove it",
    source="https://github.com/aws/aws-parallelcluster/issues/6922",
    bad="""\
parallelcluster: {slurm: {unkillable_step_timeout_s: 120}}
""",
    good="""\
parallelcluster: {slurm: {unkillable_step_timeout_s: 600}}
""",
    check=check,
)
