"""The collector of Slurm with what Slurm was seen to print, and with what it should never print."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.node.collectors.exposed import exposed
from tests.node.collectors.recorded_programs import END, RecordedPrograms, recorded
from trainyard_node.collectors.slurm.collector import SlurmCollector
from trainyard_node.collectors.slurm.community import MOST_JOB_NODES, MOST_OWNERS
from trainyard_node.errors import NodeError

GOLDEN = Path(__file__).parent / "golden"
NAMES = ("vpenso", "rivosinc")
VERSIONS = ("22.05", "24.11")
PENDING = "slurm_account_jobs_pending"


def text(names: str = "vpenso", version: str = "22.05") -> str:
    return SlurmCollector(RecordedPrograms(version), names).collect().text()


def text_with(**instead: bytes | Exception) -> str:
    """Return the exposition where commands print something else than was recorded."""
    return SlurmCollector(RecordedPrograms(**instead)).collect().text()


def golden_file(names: str, version: str) -> Path:
    return GOLDEN / f"slurm-{version}-{names}.prom"


@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("version", VERSIONS)
def test_a_recorded_slurm_gives_the_golden_exposition(names: str, version: str):
    assert text(names, version) == golden_file(names, version).read_text()


@pytest.mark.parametrize("version", VERSIONS)
def test_the_names_of_rivosinc_come_besides_the_others(version: str):
    others, both = exposed(text("vpenso", version)), exposed(text("rivosinc", version))
    assert others.items() <= both.items()
    assert len(both) > len(others)


@pytest.mark.integration
@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("version", VERSIONS)
def test_promtool_has_nothing_to_say_about_it(names: str, version: str):
    promtool = shutil.which("promtool")
    assert promtool is not None
    said = subprocess.run(
        [promtool, "check", "metrics"], input=golden_file(names, version).read_bytes(), capture_output=True, check=False
    )
    assert (said.returncode, said.stdout, said.stderr) == (0, b"", b"")


def test_a_reading_takes_three_commands_whatever_there_is():
    programs = RecordedPrograms()
    collector = SlurmCollector(programs)
    collector.collect()
    assert sorted(command[0] for command in programs.commands) == ["scontrol", "sinfo", "squeue"]
    collector.collect()
    assert len(programs.commands) == 6


def test_jobs_that_wait_for_others_are_counted_apart():
    waiting = recorded("squeue").replace(b"JobHeldUser", b"Dependency")
    read = exposed(text_with(squeue=waiting))
    apart = {labels: value for (name, labels), value in read.items() if name == "slurm_queue_pending_dependency"}
    all_of = {labels: value for (name, labels), value in read.items() if name == "slurm_queue_pending"}
    waiting_for_others = sum(value for labels, value in all_of.items() if ("reason", "Dependency") in labels)
    assert sum(apart.values()) == waiting_for_others > 0


def test_the_command_line_asks_for_nothing_that_users_write_about_their_jobs_but_their_names():
    programs = RecordedPrograms()
    SlurmCollector(programs).collect()
    (squeue,) = [" ".join(command) for command in programs.commands if command[0] == "squeue"]
    for field in ("Command", "Comment", "WorkDir"):
        assert field not in squeue


@pytest.mark.parametrize("command", ["squeue", "sinfo", "scontrol"])
def test_a_command_that_fails_fails_the_reading(command: str):
    with pytest.raises(NodeError, match="slurmctld is away"):
        text_with(**{command: NodeError("slurmctld is away")})


@pytest.mark.parametrize("command", ["squeue", "sinfo"])
def test_a_command_that_is_cut_off_fails_the_reading(command: str):
    whole = recorded(command)
    with pytest.raises(NodeError, match=f"{command} printed"):
        text_with(**{command: whole[:-30]})


@pytest.mark.parametrize("command", ["squeue", "sinfo", "scontrol"])
@pytest.mark.parametrize(
    "rubbish", [b"\x00\xff\xfe" * 1000 + END + b"\n", b"NodeName=x y z\n" + END + b"\n"], ids=["binary", "words"]
)
def test_rubbish_alone_fails_the_reading(command: str, rubbish: bytes):
    if command == "scontrol" and not rubbish.startswith(b"Node"):
        # Without a line that begins with NodeName= there are no nodes, which can be.
        assert exposed(text_with(**{command: rubbish}))["slurm_nodes_total", ()] == 0
        return
    with pytest.raises(NodeError, match=f"nothing that {command} printed"):
        text_with(**{command: rubbish})


@pytest.mark.parametrize("command", ["squeue", "sinfo"])
def test_a_record_of_rubbish_among_good_ones_is_counted(command: str):
    with_rubbish = RecordedPrograms(**{command: recorded(command) + b"\xff\x1fone\x1ftwo" + END + b"\n"})
    found = exposed(SlurmCollector(with_rubbish).collect().text())
    assert found["trainyard_slurm_malformed_records", (("command", command),)] == 1
    assert found["slurm_jobs_running", ()] == 3


@pytest.mark.parametrize(
    ("printed", "state"),
    [("allocated+", "alloc"), ("mixed-", "mix"), ("idle!", "idle"), ("down*", "down"), ("x", "other")],
)
def test_what_sinfo_adds_to_a_state_is_not_part_of_it(printed: str, state: str):
    sinfo = recorded("sinfo").replace(b"idle~", printed.encode())
    counted = exposed(text_with(sinfo=sinfo))
    labels = (("active_feature_set", "dynamic,p5.48xlarge"), ("partition", "gpu"))
    assert counted[f"slurm_nodes_{state}", labels] >= 5


ONE_NODE = "gpu-dy-p5-11\x1fgpu\x1fup\x1f{}\x1f{}\x1fdynamic\x1fUnknown\x1fnone" + END.decode() + "\n"


@pytest.mark.parametrize(
    ("state", "cpus", "free"),
    [
        ("idle~", "0/192/0/192", 8),
        ("mixed", "1/191/0/192", 8),
        ("draining", "192/0/0/192", 0),
        ("drained", "0/0/192/192", 0),
        ("reserved", "0/192/0/192", 0),
        ("maint", "0/192/0/192", 0),
    ],
)
def test_gpus_are_free_only_where_a_job_could_have_them(state: str, cpus: str, free: int):
    counted = exposed(text_with(sinfo=ONE_NODE.format(state, cpus).encode()))
    assert counted["slurm_partition_gpus_idle", (("partition", "gpu"),)] == free
    assert counted["slurm_gpus_idle", ()] == free


def test_a_partition_without_nodes_counts_none():
    counted = exposed(
        text_with(sinfo=recorded("sinfo") + b"(null)\x1fempty\x1fup\x1fn/a\x1f0/0/0/0\x1f\x1f\x1fnone" + END + b"\n")
    )
    assert not [labels for _, labels in counted if ("partition", "empty") in labels]


IDENTITY = END.decode() + "\x1f7\x1f0:00\x1fN/A\x1f\x1fa name" + END.decode() + "\n"
JOB = "PENDING\x1fq\x1fnobody\x1f1\x1f1\x1f1\x1fN/A\x1fN/A\x1fN/A\x1fN/A\x1f{}\x1f{}" + IDENTITY


def running(job_id: str, name: str = "train", *, nodes: str = "gpu-[1-2]", count: int = 2, used: str = "1:00") -> str:
    tres = "gres/gpu=8\x1fN/A\x1fN/A\x1fN/A"
    alike = f"RUNNING\x1fgpu\x1fana\x1f192\x1f{count}\x1f{count}\x1f{tres}\x1fNone\x1flab"
    return f"{alike}{END.decode()}\x1f{job_id}\x1f{used}\x1fNONE\x1f{nodes}\x1f{name:64}{END.decode()}\n"


def job_nodes(*squeue: str) -> tuple[list[dict[str, str]], float]:
    """Return which jobs are on which nodes, and how many are not named."""
    counted = exposed(text_with(squeue="".join(squeue).encode()))
    named = [dict(labels) for name, labels in counted if name == "slurm_job_node_info"]
    return named, counted["trainyard_slurm_unnamed_jobs", ()]


def test_a_running_job_is_named_on_each_of_its_nodes():
    named, unnamed = job_nodes(running("7"), JOB.format("Priority", "a"))
    owner = {"jobid": "7", "jobname": "train", "user": "ana", "account": "lab", "partition": "gpu"}
    assert named == [{**owner, "node": "gpu-1"}, {**owner, "node": "gpu-2"}]
    assert unnamed == 0


def test_tasks_of_an_array_that_end_within_a_minute_make_no_series():
    tasks = [running(f"8_{number}", used=f"0:{number:02}") for number in range(60)]
    named, _ = job_nodes(*tasks, running("8_60", used="10:00"), running("8_61", used="1-00:00:00"))
    assert {labels["jobid"] for labels in named} == {"8_60", "8_61"}


def test_a_name_of_a_job_forges_nothing():
    evil = 'x"}\x1f1\n\x1e\nslurm_nodes_total 99\nRUNNING\x1fq'
    named, _ = job_nodes(running("9", evil, nodes="gpu-1", count=1))
    assert [labels["jobname"] for labels in named] == [evil]


def test_of_too_many_small_jobs_the_largest_are_named_and_the_rest_is_counted():
    small = [running(str(number), nodes="gpu-1", count=1) for number in range(MOST_JOB_NODES)]
    named, unnamed = job_nodes(*small, running("99999", nodes="gpu-[1-1024]", count=1024))
    assert len(named) == MOST_JOB_NODES
    assert sum(labels["jobid"] == "99999" for labels in named) == 1024
    assert unnamed == 1024


def job_ends(*squeue: str) -> dict[str, float]:
    """Return when each job ends for which the exposition says so."""
    counted = exposed(text_with(squeue="".join(squeue).encode()))
    return {
        dict(labels)["jobid"]: end
        for (name, labels), end in counted.items()
        if name == "slurm_job_end_timestamp_seconds"
    }


def ending(job_id: str, used: str, end: str) -> str:
    return running(job_id, used=used).replace("NONE", end)


def test_when_its_limit_ends_a_job_is_told_once_it_has_run_for_an_hour():
    jobs = [ending("7", "59:59", "1790000000"), ending("8", "1:00:00", "1790000000"), ending("9", "2-03:00:00", "18")]
    assert job_ends(*jobs) == {"8": 1790000000, "9": 18}


@pytest.mark.parametrize("end", ["NONE", "N/A", "Unknown", "", "-1", "1e9", "१२"])
def test_a_job_without_a_limit_has_no_end(end: str):
    assert job_ends(ending("7", "5:00:00", end)) == {}


def test_short_jobs_by_the_hundred_thousand_make_no_more_series():
    short = "".join(running(str(number), nodes="gpu-1", count=1, used="3:00") for number in range(100_000))
    named, unnamed = job_nodes(short)
    assert (len(named), unnamed) == (MOST_JOB_NODES, 100_000 - MOST_JOB_NODES)
    assert job_ends(short.replace("NONE", "1790000000")) == {}


def test_a_job_whose_nodes_cannot_be_read_is_counted():
    assert job_nodes(running("7", nodes="gpu-[1-x]")) == ([], 1)


def test_an_account_may_hold_what_parts_fields_and_forges_nothing():
    evil = "x\x1f1\nRUNNING\x1fq\x1fceo\x1f9999\x1f1\x1f1"
    counted = exposed(text_with(squeue=JOB.format("Priority", evil).encode()))
    assert counted["slurm_jobs_pending", ()] == 1
    assert counted["slurm_jobs_running", ()] == 0
    assert counted["slurm_account_jobs_pending", (("account", evil),)] == 1
    assert counted["trainyard_slurm_malformed_records", (("command", "squeue"),)] == 0


def test_the_nodes_that_a_job_cannot_have_are_no_part_of_the_reason():
    reason = "ReqNodeNotAvail, UnavailableNodes:q-dy-cpu-[1-9]"
    counted = exposed(text_with(squeue=JOB.format(reason, "a").encode()))
    labels = (("partition", "q"), ("reason", "ReqNodeNotAvail"), ("user", "nobody"))
    assert counted["slurm_queue_pending", labels] == 1


def test_of_accounts_that_anybody_invents_there_are_only_so_many():
    squeue = "".join(JOB.format("Priority", f"a{number}") for number in range(MOST_OWNERS + 500))
    counted = exposed(text_with(squeue=(squeue + JOB.format("Priority", "big") * 3).encode()))
    of_accounts = {dict(labels)["account"]: value for (name, labels), value in counted.items() if name == PENDING}
    assert len(of_accounts) == MOST_OWNERS + 1
    assert of_accounts["big"] == 3
    assert of_accounts["(others)"] == 501


def test_an_empty_queue_is_no_failure():
    found = exposed(text_with(squeue=b""))
    assert found["slurm_jobs_pending", ()] == 0
    assert found["slurm_partition_jobs_pending", (("partition", "q"),)] == 0


def test_a_line_without_end_takes_its_time_and_is_not_exported():
    huge = b"PENDING\x1f" + b"x" * 10_000_000 + END + b"\n"
    with pytest.raises(NodeError, match="nothing that squeue printed"):
        text_with(squeue=huge)


@given(st.sampled_from(["squeue", "sinfo", "scontrol"]), st.binary(max_size=400))
def test_whatever_a_command_prints_the_exposition_is_valid_or_the_reading_fails(command: str, printed: bytes):
    try:
        written = text_with(**{command: printed})
    except NodeError:
        return
    exposed(written)


if __name__ == "__main__":
    for one in NAMES:
        for of in VERSIONS:
            golden_file(one, of).write_text(text(one, of))
