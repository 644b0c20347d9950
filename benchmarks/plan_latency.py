"""How many round trips to AWS `trainyard plan SPEC --account` takes one after another, for a changed queue.

A proxy before the emulated account holds every call up by the same time. Of all calls, the longest sequence in which
each begins after the one before has ended is what a plan waits for, whatever a call takes: so many round trips.
Processors that are busy otherwise change it little, as long as a call is held up much longer than it takes.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from tests.rehearsal.account_copies import deployed_account
from tests.rehearsal.faulty_proxy import Proxy, Request, served
from tests.rehearsal.test_plan_questions import change_of, planned_change

from trainyard.edge.aws.account import Clock

PLATFORMS = ("parallelcluster", "eks", "batch")


class LatencyProxy(Proxy):
    """Hands every call on after a while."""

    def __init__(self, endpoint: str, latency_s: float) -> None:
        """Begin to count."""
        super().__init__(endpoint)
        self.latency_s, self.begun = latency_s, list[tuple[float, str]]()

    def fault(self, request: Request) -> str | None:
        """Hold it up."""
        target = str(request.headers.get("X-Amz-Target", "")).rpartition(".")[2]
        name = target or request.body.partition(b"&")[0].decode("utf-8", "replace")[:60] or request.path[:60]
        self.begun.append((time.monotonic(), f"{request.method} {name}"))
        time.sleep(self.latency_s)
        return None


def round_trips(begun: list[tuple[float, str]], latency_s: float) -> list[tuple[float, str]]:
    """Return the longest sequence of calls that do not overlap: always the next one that ends first."""
    chain: list[tuple[float, str]] = []
    for at, name in sorted(begun):
        if not chain or at >= chain[-1][0] + latency_s:
            chain.append((at, name))
    return chain


def main() -> None:
    """Measure, and print a line for each platform."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--platform", choices=PLATFORMS, action="append")
    parser.add_argument("--latency", type=float, default=1.0, help="seconds that each call takes")
    parser.add_argument("--tell", action="store_true", help="print every call, those of the longest sequence with *")
    arguments = parser.parse_args()
    for platform in arguments.platform or PLATFORMS:
        former, text = change_of(platform)
        with deployed_account(former) as account, tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "cluster.yaml"
            file.write_text(text)
            with LatencyProxy(account.endpoint or "", arguments.latency) as proxy, served(proxy) as endpoint:
                planned_change(replace(account, endpoint=endpoint, clock=Clock()), file)
        chain = round_trips(proxy.begun, arguments.latency)
        for at, name in sorted(proxy.begun) if arguments.tell else ():
            print(f"{'*' if (at, name) in chain else ' '} {at - proxy.begun[0][0]:6.2f} s {name}")
        print(f"{platform}: {len(proxy.begun)} calls, {len(chain)} round trips one after another", flush=True)


if __name__ == "__main__":
    main()
