"""How slurmctld is doing: its scheduler, its threads, who asks it for what, and each account's fair share.

From `sdiag` and `sshare` once a minute, apart from the other commands: sdiag counts itself among what it counts.
https://slurm.schedmd.com/sdiag.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainyard_node.collectors.slurm.slurm_reading import COMMAND_S, VARIABLES
from trainyard_node.errors import NodeError
from trainyard_node.programs import Programs
from trainyard_node.samples import Samples

SDIAG = ("sdiag",)
SSHARE = ("sshare", "--noheader", "--parsable2", "--format=Account,User,FairShare")
# There are about 100 kinds of requests. Users are those that ask the most.
_MOST_REQUESTS, MOST_USERS, _MOST_ACCOUNTS = 200, 100, 2000
_MOST_BYTES = 4 << 20
# Lines by the section that they stand in, as two of them have the same words. What has not happened has no line.
_SCHEDULER = {
    ("", "Server thread count"): "slurm_scheduler_threads",
    ("", "Agent queue size"): "slurm_scheduler_queue_size",
    ("", "DBD Agent queue size"): "slurm_scheduler_dbd_queue_size",
    ("Main", "Last cycle"): "slurm_scheduler_last_cycle",
    ("Main", "Mean cycle"): "slurm_scheduler_mean_cycle",
    ("Main", "Cycles per minute"): "slurm_scheduler_cycle_per_minute",
    ("Backfilling", "Last cycle"): "slurm_scheduler_backfill_last_cycle",
    ("Backfilling", "Mean cycle"): "slurm_scheduler_backfill_mean_cycle",
    ("Backfilling", "Depth Mean"): "slurm_scheduler_backfill_depth_mean",
    ("Backfilling", "Total backfilled jobs (since last slurm start)"): (
        "slurm_scheduler_backfilled_jobs_since_start_total"
    ),
    ("Backfilling", "Total backfilled jobs (since last stats cycle start)"): (
        "slurm_scheduler_backfilled_jobs_since_cycle_total"
    ),
    ("Backfilling", "Total backfilled heterogeneous job components"): "slurm_scheduler_backfilled_heterogeneous_total",
}
_BY = "Remote Procedure Call statistics by "
_SECTION = re.compile(rf"(Main|Backfilling|Latency|{_BY}(?:message type|user)|Pending RPC)\b")
_FIGURE = re.compile(r"\s*(?P<word>[A-Z][^:]*?):\s+(?P<number>[0-9]+)$")
# A name of a user may be anything that has no line break; the numbers come last.
_REQUESTS = re.compile(
    r"\s+(?P<who>\S.*?)\s+\(\s*[0-9]+\) count:(?P<count>[0-9]+)\s+"
    r"ave_time:(?P<mean>[0-9]+)\s+total_time:(?P<total>[0-9]+)$"
)
# By whom, the suffixes of count, mean and sum: SckyzO's names, and rivosinc's besides.
_NAMES: dict[str, dict[str, tuple[str | None, ...]]] = {
    "message type": {
        "vpenso": ("slurm_rpc_stats", "slurm_rpc_stats_avg_time", "slurm_rpc_stats_total_time"),
        "rivosinc": ("slurm_rpc_msg_type_count", "slurm_rpc_msg_type_avg_time", "slurm_rpc_msg_type_total_time"),
    },
    "user": {
        "vpenso": ("slurm_user_rpc_stats", "slurm_user_rpc_stats_avg_time", "slurm_user_rpc_stats_total_time"),
        "rivosinc": ("slurm_rpc_user_count", None, "slurm_rpc_user_total_time"),
    },
}
_RIVOSINC = {
    "slurm_scheduler_threads": "slurm_daemon_thread_count",
    "slurm_scheduler_dbd_queue_size": "slurm_dbd_agent_queue_size",
}


class SchedulerCollector:
    """Two commands a minute, however often somebody asks."""

    name = "slurm-scheduler"
    interval_s = 60.0
    deadline_s = 2 * COMMAND_S

    def __init__(self, programs: Programs, names: str) -> None:
        """Export under the names of vpenso and SckyzO, or under those and rivosinc's."""
        self._programs, self._names = programs, ("vpenso",) if names == "vpenso" else ("vpenso", names)

    def collect(self) -> Samples:
        """Ask Slurm. Raises NodeError where sdiag fails or prints something else."""
        samples = Samples("slurm_scheduler", *(f"slurm_scheduler_{name}" for name in self._names[1:]))
        text = self._output(SDIAG)
        figures = _figures(text)
        if ("", "Server thread count") not in figures:
            raise NodeError(f"sdiag printed {text[:60]!a}, which are not its figures")
        for place, name in _SCHEDULER.items():
            samples.add(name, figures.get(place, 0))
            if "rivosinc" in self._names and name in _RIVOSINC:
                samples.add(_RIVOSINC[name], figures.get(place, 0))
        self._add_requests(samples, text)
        self._add_shares(samples)
        return samples

    def _output(self, command: tuple[str, ...]) -> str:
        return self._programs.read(command, COMMAND_S, _MOST_BYTES, VARIABLES).decode("utf-8", "replace")

    def _add_requests(self, samples: Samples, text: str) -> None:
        """Add who asked how much for what, those with the most requests where there are too many."""
        for by, most in (("message type", _MOST_REQUESTS), ("user", MOST_USERS)):
            rows = sorted(_requests(text, by), key=lambda row: -row[1])[:most]
            for who, *numbers in rows:
                for names in self._names:
                    for name, number in zip(_NAMES[by][names], numbers):
                        if name is not None:
                            samples.add(name, number, who)

    def _add_shares(self, samples: Samples) -> None:
        """Add the fair share of accounts that have one; without accounting, sshare fails or knows none."""
        try:
            lines = self._output(SSHARE).splitlines()
        except NodeError:
            return
        shares: dict[str, float] = {}
        for line in lines:
            account, user, share = ([*line.rsplit("|", 2), "", ""])[:3]
            if account.strip() and not user and re.fullmatch(r"[0-9.]+", share):
                shares.setdefault(account.strip(), float(share))
        for name, value in list(shares.items())[:_MOST_ACCOUNTS]:
            samples.add("slurm_account_fairshare", value, name)


def _sections(text: str) -> Iterator[tuple[str, str]]:
    """Yield each line with the section that it stands in, empty for the first."""
    section = ""
    for line in text.splitlines():
        if line[:1].isalpha() and (match := _SECTION.match(line)):
            section = match[1]
        yield section, line


def _figures(text: str) -> dict[tuple[str, str], int]:
    matches = ((section, _FIGURE.match(line)) for section, line in _sections(text))
    figures: dict[tuple[str, str], int] = {}
    for section, match in matches:
        if match is not None:
            figures.setdefault((section, match["word"]), int(match["number"]))
    return figures


def _requests(text: str, by: str) -> Iterator[tuple[str, int, int, int]]:
    for section, line in _sections(text):
        if section == f"{_BY}{by}" and (match := _REQUESTS.match(line)):
            yield match["who"], int(match["count"]), int(match["mean"]), int(match["total"])
