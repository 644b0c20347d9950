"""Measures how soon `trainyard diagnose NAME` knows why a cluster failed: 200 log streams in the emulated account.

Forty nodes have five logs each. One of them failed, and the others say that they wait, or nothing of interest.
benchmarks/README.md keeps results.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from typing import TYPE_CHECKING

from trainyard.rehearsal.emulated.emulated_account import emulated_account

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainyard.edge.aws.account import Account

NAME, REGION = "llm", "us-east-2"
GROUP = f"/aws/parallelcluster/{NAME}-202605061300"
KINDS = ("syslog", "chef-client", "cloud-init-output", "slurmd", "computemgtd")
# Where the line lies that tells the cause, by what is measured.
CAUSES = {
    "in a telling log": ("bootstrap_error_msg", "Failed to download OnNodeConfigured script 1 using aws s3."),
    "in a system log": ("syslog", "kernel: NVRM: Xid (PCI:0000:a8:00): 79, pid=1, GPU has fallen off the bus."),
}


def plant(account: Account, nodes: int, events: int, stream: str, line: str) -> None:
    """Write the logs of a cluster: those of the last node hold the line in one of them."""
    logs, begin_ms = account.client("logs"), int((time.time() - 3600) * 1000)
    logs.create_log_group(logGroupName=GROUP)
    for name, messages in _streams(nodes, events, stream, line):
        listed = [{"timestamp": begin_ms + 100 * n, "message": text} for n, text in enumerate(messages)]
        logs.create_log_stream(logGroupName=GROUP, logStreamName=name)
        logs.put_log_events(logGroupName=GROUP, logStreamName=name, logEvents=listed)


def _streams(nodes: int, events: int, stream: str, line: str) -> Iterator[tuple[str, list[str]]]:
    for node in range(nodes):
        host = f"ip-10-0-{node // 256}-{node % 256}.i-{node:017x}"
        for kind in KINDS:
            said = [f"{kind} on {host} has nothing to say of moment {n}, and goes on" for n in range(events)]
            yield f"{host}.{kind}", [*said, *([line] if kind == stream and node == nodes - 1 else [])]
        if stream not in KINDS and node == nodes - 1:
            yield f"{host}.{stream}", [line]


def diagnosed_s(account: Account, *arguments: str) -> float:
    """Return how long the command takes, which has to find the cause."""
    command = [sys.executable, "-m", "trainyard", "diagnose", NAME, "--region", REGION, *arguments]
    start = time.perf_counter()
    done = subprocess.run(command, env={**os.environ, **account.variables()}, capture_output=True, check=False)
    if done.returncode != 1:
        raise SystemExit(f"no cause was found: {done.stdout.decode()}{done.stderr.decode()}")
    return time.perf_counter() - start


def main() -> None:
    """Measure, and print the medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--nodes", type=int, default=40, help="with five logs each")
    parser.add_argument("--events", type=int, default=500, help="in each log")
    asked = parser.parse_args()
    for where, (stream, line) in CAUSES.items():
        with emulated_account(REGION) as account:
            plant(account, asked.nodes, asked.events, stream, line)
            for arguments in ((), ("--all",)):
                times = [diagnosed_s(account, *arguments) for _ in range(asked.rounds)]
                what = " ".join([where, *arguments])
                print(f"{what:<26} {statistics.median(times):6.1f} s ({min(times):.1f} to {max(times):.1f})")


if __name__ == "__main__":
    main()
