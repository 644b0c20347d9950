"""The collector of Slurm with what Slurm was seen to print, and with what it should never print."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.node.collectors.exposed import exposed
from tests.node.collectors.recorded_programs import RecordedPrograms
from trainyard_node.collectors.slurm.collector import SlurmCollector
from trainyard_node.errors import NodeError

GOLDEN = Path(__file__).parent / "golden"
NAMES = ("vpenso", "rivosinc")
VERSIONS = ("22.05", "24.11")


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


def test_the_command_line_asks_for_nothing_that_users_write_about_their_jobs():
    programs = RecordedPrograms()
    SlurmCollector(programs).collect()
    (squeue,) = [" ".join(command) for command in programs.commands if command[0] == "squeue"]
    for field in ("Name:", "Command", "Comment", "WorkDir"):
        assert field not in squeue.replace("UserName:", "")


@pytest.mark.parametrize("command", ["squeue", "sinfo", "scontrol"])
def test_a_command_that_fails_fails_the_reading(command: str):
    with pytest.raises(NodeError, match="slurmctld is away"):
        text_with(**{command: NodeError("slurmctld is away")})


@pytest.mark.parametrize("command", ["squeue", "sinfo"])
def test_a_command_that_is_cut_off_fails_the_reading(command: str):
    whole = RecordedPrograms().read((command,), 1, 1, {})
    with pytest.raises(NodeError, match=f"{command} printed"):
        text_with(**{command: whole[:-30]})


@pytest.mark.parametrize("command", ["squeue", "sinfo", "scontrol"])
@pytest.mark.parametrize(
    "rubbish", [b"\x00\xff\xfe" * 1000 + b"\x1e\n", b"NodeName=x y z\n\x1e\n"], ids=["binary", "words"]
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
    whole = RecordedPrograms().read((command,), 1, 1, {})
    found = exposed(text_with(**{command: whole + b"\xff\x1fone\x1ftwo\x1e\n"}))
    assert found["trainyard_slurm_malformed_records", (("command", command),)] == 1
    assert found["slurm_jobs_running", ()] == 3


@pytest.mark.parametrize(
    ("printed", "state"),
    [("allocated+", "alloc"), ("mixed-", "mix"), ("idle!", "idle"), ("down*", "down"), ("x", "other")],
)
def test_what_sinfo_adds_to_a_state_is_not_part_of_it(printed: str, state: str):
    sinfo = RecordedPrograms().read(("sinfo",), 1, 1, {}).replace(b"idle~", printed.encode())
    counted = exposed(text_with(sinfo=sinfo))
    labels = (("active_feature_set", "dynamic,p5.48xlarge"), ("partition", "gpu"))
    assert counted[f"slurm_nodes_{state}", labels] >= 5


def test_an_empty_queue_is_no_failure():
    found = exposed(text_with(squeue=b""))
    assert found["slurm_jobs_pending", ()] == 0
    assert found["slurm_partition_jobs_pending", (("partition", "q"),)] == 0


def test_a_line_without_end_takes_its_time_and_is_not_exported():
    huge = b"PENDING\x1f" + b"x" * 10_000_000 + b"\x1e\n"
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
