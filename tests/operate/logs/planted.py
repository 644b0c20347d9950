"""Logs of a ParallelCluster cluster, planted in an account."""

from __future__ import annotations

from collections.abc import Iterable

from trainyard.edge.aws.account import Account

GROUP = "/aws/parallelcluster/llm-202605061300"
HEAD, FIRST, SECOND = "i-0aaaaaaaaaaaaaaa1", "i-0bbbbbbbbbbbbbbb2", "i-0ccccccccccccccc3"
HEAD_NODE = f"ip-10-0-0-5.{HEAD}"
SLURMCTLD, RESUME = f"{HEAD_NODE}.slurmctld", f"{HEAD_NODE}.slurm_resume"
SLURMD = f"ip-10-0-1-7.{FIRST}.slurmd"
CLOUD_INIT = f"ip-10-0-1-8.{SECOND}.cloud-init-output"


def put(account: Account, stream: str, events: Iterable[tuple[int, str]], group: str = GROUP) -> None:
    """Write events into a stream, which is made first where it is not there, as is its group."""
    logs = account.client("logs")
    if not logs.describe_log_groups(logGroupNamePrefix=group)["logGroups"]:
        logs.create_log_group(logGroupName=group)
    there = logs.describe_log_streams(logGroupName=group, logStreamNamePrefix=stream)["logStreams"]
    if stream not in [one["logStreamName"] for one in there]:
        logs.create_log_stream(logGroupName=group, logStreamName=stream)
    listed = [{"timestamp": at_ms, "message": message} for at_ms, message in events]
    for start in range(0, len(listed), 10_000):
        logs.put_log_events(logGroupName=group, logStreamName=stream, logEvents=listed[start : start + 10_000])


def now_ms(account: Account) -> int:
    return int(account.clock.now() * 1000)


def plant(account: Account) -> int:
    """Plant four streams of three nodes, whose events begin an hour ago; return that moment."""
    begin = now_ms(account) - 3_600_000
    put(account, SLURMCTLD, [(begin, "slurmctld starts"), (begin + 3000, "error: Node gpu-dy-p5-1 not responding")])
    put(
        account,
        RESUME,
        [(begin + 1000, "Launching instances"), (begin + 2000, "Failed to launch: (InsufficientInstanceCapacity)")],
    )
    put(
        account,
        SLURMD,
        [(begin + 1500, "slurmd started"), (begin + 2500, "error: no \x1b[31mGPU\x1b[0m\n  second line")],
    )
    put(account, CLOUD_INIT, [(begin + 500, "Cloud-init done")])
    return begin
