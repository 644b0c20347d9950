"""slurmctld's own figures, with what sdiag and sshare were seen to print, and with what they should never print."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.node.collectors.exposed import exposed
from tests.node.collectors.recorded_programs import RecordedPrograms, recorded
from trainyard.monitoring.registry import registry
from trainyard_node.collectors.slurm.scheduler import MOST_USERS, SDIAG, SSHARE, SchedulerCollector
from trainyard_node.errors import NodeError

HERE = Path(__file__).parent
VPENSO = [line for line in (HERE / "vpenso_metrics.txt").read_text().splitlines() if not line.startswith("#")]
# As sshare prints accounts and users below them, indented; of users, no fair share is an account's.
SHARES = b"root|||\n vision||0.5\n  vision|ana|0.25\n lang||\n |x|0.5\n a|b||0.125\n"


def figures(version: str = "22.05", names: str = "vpenso", /, **instead: bytes | Exception) -> dict[object, float]:
    text = SchedulerCollector(RecordedPrograms(version, **instead), names).collect().text()
    return {(name, *(value for _, value in labels)): value for (name, labels), value in exposed(text).items()}


@pytest.mark.parametrize("name", VPENSO)
def test_every_metric_of_vpensos_exporter_has_its_name_here(name: str):
    assert name in {**registry("slurm"), **registry("slurm_scheduler")}


@pytest.mark.parametrize("version", ["22.05", "24.11"])
def test_figures_are_those_of_their_section(version: str):
    read = figures(version)
    assert read["slurm_scheduler_threads",] == {"22.05": 3, "24.11": 1}[version]
    assert read["slurm_scheduler_backfill_last_cycle",] == {"22.05": 10215, "24.11": 8473}[version]
    assert read["slurm_scheduler_last_cycle",] == 0
    assert read["slurm_scheduler_backfilled_jobs_since_start_total",] == 5
    assert read["slurm_rpc_stats", "REQUEST_SUBMIT_BATCH_JOB"] == 9
    assert read["slurm_user_rpc_stats_total_time", "root"] == {"22.05": 78441, "24.11": 16025}[version]


def test_what_has_not_happened_yet_is_zero():
    """Slurm leaves out the mean of no cycles, and a panel without a series says that something is broken."""
    assert b"Mean cycle" in recorded("sdiag")
    assert b"\tCycles per minute" not in recorded("sdiag")
    read = figures()
    assert read["slurm_scheduler_mean_cycle",] == 0
    assert read["slurm_scheduler_cycle_per_minute",] == 0


def test_a_user_with_any_name_is_a_label():
    line = b'\tx) count:9 "{} ( 1           (    1000) count:7      ave_time:5      total_time:35\n'
    printed = recorded("sdiag").replace(b"\nPending RPC statistics", line + b"\nPending RPC statistics")
    assert figures(sdiag=printed)["slurm_user_rpc_stats", 'x) count:9 "{} ( 1'] == 7


def test_users_are_told_apart_only_where_they_ask_the_most():
    lines = b"".join(b"\tu%d (    %d) count:%d ave_time:1 total_time:1\n" % (n, n, n) for n in range(1000, 1400))
    printed = recorded("sdiag").replace(b"\nPending RPC statistics", lines + b"\nPending RPC statistics")
    users = [key[1] for key in figures(sdiag=printed) if isinstance(key, tuple) and key[0] == "slurm_user_rpc_stats"]
    assert len(users) == MOST_USERS
    assert users[0] == "u1399"


def test_fair_shares_are_those_of_accounts():
    read = figures(sshare=SHARES)
    shares = {key[1]: value for key, value in read.items() if isinstance(key, tuple) and "fairshare" in key[0]}
    assert shares == {"vision": 0.5, "a|b": 0.125}


def test_a_cluster_that_keeps_no_accounts_has_the_rest():
    read = figures(sshare=NodeError("sshare ended with status 1: no accounting"))
    assert read["slurm_scheduler_threads",] == 3


@pytest.mark.parametrize("printed", [b"", b"not Slurm\n", b"Main schedule statistics\n\tLast cycle: 3\n"])
def test_what_is_not_sdiags_is_a_failure(printed: bytes):
    with pytest.raises(NodeError, match="which are not its figures"):
        figures(sdiag=printed)


def test_a_reading_takes_two_commands_at_most_once_a_minute():
    programs = RecordedPrograms()
    collector = SchedulerCollector(programs, "vpenso")
    collector.collect()
    assert programs.commands == [SDIAG, SSHARE]
    assert collector.interval_s == 60


@pytest.mark.parametrize("version", ["22.05", "24.11"])
def test_rivosincs_names_come_besides(version: str):
    default, both = figures(version), figures(version, "rivosinc")
    assert default.items() <= both.items()
    more = {key[0] for key in set(both) - set(default) if isinstance(key, tuple)}
    assert more == set(registry("slurm_scheduler_rivosinc"))
    assert (
        both["slurm_rpc_msg_type_avg_time", "REQUEST_UPDATE_NODE"]
        == default["slurm_rpc_stats_avg_time", "REQUEST_UPDATE_NODE"]
    )
