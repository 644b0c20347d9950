"""SlurmSettings: https://docs.aws.amazon.com/parallelcluster/latest/ug/Scheduling-v3.html#Scheduling-v3-SlurmSettings."""

from __future__ import annotations

from typing import Any

from trainyard.spec.cluster import Spec
from trainyard.spec.slurm import Accounting, Slurm


def slurm_settings(spec: Spec) -> dict[str, Any]:
    """Return the scheduler's own settings."""
    slurm = spec.parallelcluster.slurm
    own_lines = [{key: value} for key, value in {**_lines(slurm), **_spared(spec)}.items()]
    return {
        "ScaledownIdletime": slurm.scaledown_idle_minutes,
        "QueueUpdateStrategy": slurm.queue_update_strategy,
        **_dns(spec),
        **({"EnableMemoryBasedScheduling": True} if slurm.memory_scheduling else {}),
        **({"CustomSlurmSettings": own_lines} if own_lines else {}),
        **({} if slurm.munge_secret is None else {"MungeKeySecretArn": slurm.munge_secret}),
        **({} if slurm.accounting is None else _accounting(slurm.accounting)),
    }


def _lines(slurm: Slurm) -> dict[str, str | int]:
    """Return what goes into slurm.conf as it is. https://slurm.schedmd.com/slurm.conf.html."""
    times = {
        "KillWait": slurm.kill_wait_s,
        "SlurmdTimeout": slurm.slurmd_timeout_s,
        "UnkillableStepTimeout": slurm.unkillable_step_timeout_s,
    }
    return {**{key: seconds for key, seconds in times.items() if seconds is not None}, **slurm.settings}


def _spared(spec: Spec) -> dict[str, str]:
    """Return what keeps Slurm from powering down the dynamic nodes that are held: those that a reservation keeps.

    The user's own choice of states stands. https://slurm.schedmd.com/slurm.conf.html#OPT_SuspendExcStates
    """
    chosen = any(key.lower() == "suspendexcstates" for key in spec.parallelcluster.slurm.settings)
    return {"SuspendExcStates": "RESERVED"} if spec.software.on_failure == "hold" and not chosen else {}


def _dns(spec: Spec) -> dict[str, Any]:
    """Return how nodes find each other where Route 53 cannot be reached.

    https://docs.aws.amazon.com/parallelcluster/latest/ug/aws-parallelcluster-in-a-single-public-subnet-no-internet-v3.html
    """
    if spec.network.internet == "nat":
        return {}
    return {"Dns": {"DisableManagedDns": True, "UseEc2Hostnames": True}}


def _accounting(accounting: Accounting) -> dict[str, Any]:
    if accounting.slurmdbd is not None:
        return {"ExternalSlurmdbd": {"Host": accounting.slurmdbd.host, "Port": accounting.slurmdbd.port}}
    database = accounting.database
    assert database is not None  # noqa: S101  one of the two is written
    return {
        "Database": {
            "Uri": f"{database.host}:{database.port}",
            "UserName": database.user,
            "PasswordSecretArn": database.password_secret,
            **({} if database.name is None else {"DatabaseName": database.name}),
        }
    }
