"""diagnose on the command line: files, archives, standard input, clusters, and whatever else a user hands in."""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import re
import tarfile
import time
from collections.abc import Iterator

import pytest

from tests.diagnose.cluster.planted import HEAD, NAME, NODE, XID, put
from tests.edge.aws.in_memory import CREDENTIALS, account_in_memory
from trainyard.edge.aws.account import Account, Clock

LOG = f"Mar 21 14:16:40 ip-10-0-1-7 systemd[1]: all is well\nMar 21 14:16:48 {XID}\n"
WATCHDOG = (
    "[rank{n}]:[E321 14:27:08.4 ProcessGroupNCCL.cpp:607] [Rank {n}] Watchdog caught collective operation timeout: "
    "WorkNCCL(SeqNum=1580, OpType=ALLREDUCE, NumelIn=3, NumelOut=3, Timeout(ms)=600000) ran for 600004 milliseconds "
    "before timing out.\n"
)


def tar_gz(files: dict[str, str]) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return made.getvalue()


@pytest.fixture
def log(tmp_path) -> str:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / f"{NODE}.syslog").write_text(LOG)
    (tmp_path / "logs" / "slurm-41.out").write_text("".join(WATCHDOG.format(n=n) for n in range(100)))
    return "logs"


def test_it_prints_the_root_cause_its_lines_and_what_to_do(trainyard, log):
    ran = trainyard("diagnose", log)
    assert ran.status == 1
    lines = ran.out.splitlines()
    assert lines[0] == "error: A GPU has fallen off the bus [gpu-fell-off-bus]"
    assert f"  {NODE}.syslog:2" in lines
    assert f"    | Mar 21 14:16:48 {XID}" in lines
    assert any(line.startswith("What to do: ") for line in lines)
    assert any("100 lines [nccl-watchdog-timeout]" in line for line in lines)
    assert ran.err == ""


def test_an_archive_is_read_as_it_is(trainyard, tmp_path):
    (tmp_path / "logs.tar.gz").write_bytes(tar_gz({f"llm/{NODE}.syslog": LOG}))
    ran = trainyard("diagnose", "logs.tar.gz", "--json")
    printed = json.loads(ran.out)
    assert (ran.status, printed["schema"]) == (1, 1)
    assert printed["causes"][0]["cause"] == "gpu-fell-off-bus"
    assert printed["causes"][0]["evidence"][0]["file"] == f"llm/{NODE}.syslog"
    assert [one.name for one in tmp_path.iterdir()] == ["logs.tar.gz"]


def test_standard_input_is_read(trainyard):
    ran = trainyard("diagnose", "-", standard_input=LOG)
    assert (ran.status, ran.out.splitlines()[0]) == (1, "error: A GPU has fallen off the bus [gpu-fell-off-bus]")


def test_lines_of_level_error_that_nothing_knows_end_with_3_and_are_shown(trainyard):
    ran = trainyard("diagnose", "-", standard_input="all is well\nsegfault in frobnicator: fatal error\n")
    assert ran.status == 3
    assert ran.out.startswith("nothing known matched, but lines of level error are in -\n")
    assert "The most unusual lines, which no signature knows:" in ran.out
    assert "    | segfault in frobnicator: fatal error" in ran.out


def test_healthy_logs_end_with_0_and_are_called_so(trainyard):
    ran = trainyard("diagnose", "-", standard_input="all is well\n")
    assert (ran.status, ran.out.splitlines()[0]) == (0, "healthy: nothing that looks like an error in -")


def test_lines_that_only_look_a_bit_like_trouble_are_shown_and_end_with_0(trainyard):
    ran = trainyard("diagnose", "-", standard_input="frobnicator: deprecated option\n")
    assert (ran.status, ran.out.splitlines()[0]) == (0, "nothing known matched in -")


def test_a_long_line_is_cut_around_what_was_found_and_lines_that_look_alike_are_shown_once(trainyard):
    line = "y" * 600 + " kernel: NVRM: Xid (PCI:0000:a8:00): 79, pid=1, GPU has fallen off the bus."
    ran = trainyard("diagnose", "-", standard_input=f"{line}\n" * 5)
    shown = [text for text in ran.out.splitlines() if text.startswith("    | ")]
    assert len(shown) == 1
    assert "Xid (PCI:0000:a8:00): 79, pid=1, GPU has fallen off the bus." in shown[0]
    assert shown[0].startswith("    | …y")


@pytest.mark.parametrize("empty", ["file", "folder", "standard input"])
def test_where_nothing_is_there_nothing_is_wrong(trainyard, tmp_path, empty):
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    ran = trainyard("diagnose", "-" if empty == "standard input" else empty)
    assert (ran.status, ran.out.splitlines()[0].split(" in ")[0]) == (0, "nothing known matched")


def test_no_log_commands_the_terminal(trainyard, tmp_path):
    name = "\x1b]0;owned\x07.syslog"
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / name).write_text(f"\x1b[2J\x1b[31m{XID} \u202e\x9b5m\x07\n\x1b[5m fatal error \x1b]8;;\x07\n")
    for arguments in ((), ("--redact",), ("--json",), ("--report", "page.md")):
        ran = trainyard("diagnose", "logs", *arguments)
        assert ran.status == 1
        assert all(one.isprintable() or one == "\n" for one in ran.out + ran.err)
    assert all(one.isprintable() or one == "\n" for one in (tmp_path / "page.md").read_text())


def test_a_page_is_written_and_redacted_and_the_terminal_is_not(trainyard, tmp_path, log):
    ran = trainyard("diagnose", log, "--report", "ticket.md")
    page = (tmp_path / "ticket.md").read_text()
    assert page.startswith("# A GPU has fallen off the bus\n")
    assert "ip-10-0-1-7" in ran.out
    assert ran.err == "written: ticket.md\n"
    assert re.search(r"ip-10|i-0bbb", page) is None
    assert "`host-1.instance-1.syslog`, line 2:" in page


@pytest.mark.parametrize(("option", "named"), [("--redact", False), ("--no-redact", True)])
def test_both_can_be_redacted_or_neither(trainyard, tmp_path, log, option, named):
    ran = trainyard("diagnose", log, "--report", "ticket.md", option)
    assert ("ip-10-0-1-7" in ran.out) == named
    assert ("ip-10-0-1-7" in (tmp_path / "ticket.md").read_text()) == named


def test_a_page_that_is_there_is_not_replaced_without_force(trainyard, tmp_path, log):
    (tmp_path / "ticket.md").write_text("mine")
    ran = trainyard("diagnose", log, "--report", "ticket.md")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == "error: ticket.md exists already; choose another name, or --force to replace it\n"
    assert trainyard("diagnose", log, "--report", "ticket.md", "--force").status == 1
    assert (tmp_path / "ticket.md").read_text().startswith("# A GPU")


def test_force_alone_has_no_meaning(trainyard, log):
    assert trainyard("diagnose", log, "--force").status == 2


def test_all_has_no_meaning_for_a_file(trainyard, log):
    ran = trainyard("diagnose", log, "--all")
    assert (ran.status, ran.out) == (2, "")
    assert "--all has no meaning" in ran.err


def test_lines_of_a_node_or_a_time_can_be_asked_for(trainyard, log):
    assert trainyard("diagnose", log, "--node", "ip-10-0-1-7").status == 1
    assert trainyard("diagnose", log, "--node", "i-0bbbbbbbbbbbbbbb2").status == 1
    assert trainyard("diagnose", log, "--node", "IP-10-0-1-7").status == 1


def test_a_node_that_no_log_knows_is_refused_and_the_nodes_seen_are_named(trainyard, log):
    ran = trainyard("diagnose", log, "--node", "ip-10-0-1-9")
    assert (ran.status, ran.out) == (2, "")
    assert "no line of logs is of node ip-10-0-1-9; nodes seen: ip-10-0-1-7" in ran.err


def test_what_the_period_leaves_out_is_no_good_news(trainyard, log):
    ran = trainyard("diagnose", log, "--until", "1990-01-01")
    assert ran.status == 0
    assert re.search(r"\n  101 lines that signatures know left out by the period, the newest is of 20", ran.out)


@pytest.mark.parametrize("option", [("--since", "yesterday"), ("--since", "1h", "--until", "2h")])
def test_what_is_no_time_is_refused(trainyard, log, option):
    ran = trainyard("diagnose", log, *option)
    assert (ran.status, ran.out, ran.err.count("\n")) == (2, "", 1)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("cut.tar.gz", tar_gz({"a.syslog": LOG * 2000})[:40], "cut.tar.gz"),
        ("damaged.gz", gzip.compress(random.Random(0).randbytes(4000))[:2000] + b"x", "damaged.gz"),
        ("picture.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(100), "picture.png"),
    ],
    ids=["a cut archive", "a damaged file", "a picture"],
)
def test_what_cannot_be_read_is_one_line_and_ends_with_2(trainyard, tmp_path, name, content, said):
    (tmp_path / name).write_bytes(content)
    ran = trainyard("diagnose", name)
    assert (ran.status, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert said in ran.err


def test_of_a_damaged_archive_the_rest_is_diagnosed_and_the_damage_named(trainyard, tmp_path):
    noise = "".join(f"{os.urandom(40).hex()}\n" for _ in range(20_000))
    whole = tar_gz({f"{NODE}.syslog": LOG, "other.log": noise})
    (tmp_path / "cut.tar.gz").write_bytes(whole[: len(whole) // 2])
    ran = trainyard("diagnose", "cut.tar.gz")
    assert (ran.status, ran.out.splitlines()[0]) == (1, "error: A GPU has fallen off the bus [gpu-fell-off-bus]")
    assert "Not read, or not to the end:" in ran.out


def test_a_missing_file_is_one_line_that_says_how_to_name_a_cluster(trainyard):
    ran = trainyard("diagnose", "nowhere")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == (
        "error: there is no file or folder nowhere, and nothing says which region the cluster is in; "
        "name the spec file, give --region, set AWS_REGION, or write a region into the AWS profile\n"
    )


def test_a_file_that_may_not_be_read_is_one_line(process, tmp_path):
    if os.geteuid() == 0:
        (tmp_path / "secret.log").symlink_to("/proc/self/mem")  # which nobody may read from its beginning
    else:
        (tmp_path / "secret.log").touch(mode=0o000)
    ran = process("diagnose", "secret.log")
    *progress, error = ran.stderr.splitlines()
    assert (ran.returncode, ran.stdout) == (2, "")
    assert not any("Traceback" in line or "error" in line for line in progress)  # told on a machine that is busy
    assert "secret.log" in error


@pytest.fixture
def cluster(monkeypatch) -> Iterator[Account]:
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    with account_in_memory() as account:
        object.__setattr__(account, "clock", Clock())
        put(account, f"{HEAD}.clustermgtd", "all is well")
        put(account, f"{NODE}.syslog", XID)
        yield account


def test_a_cluster_is_diagnosed_by_its_name(trainyard, cluster):
    ran = trainyard("diagnose", NAME, "--region", "us-east-2")
    assert (ran.status, ran.out.splitlines()[0]) == (1, "error: A GPU has fallen off the bus [gpu-fell-off-bus]")
    assert ran.err.splitlines()[0] == "the cluster llm in us-east-2"


def test_a_file_of_the_name_of_a_cluster_is_read_and_said(trainyard, cluster, tmp_path):
    (tmp_path / NAME).write_text("all is well\n")
    ran = trainyard("diagnose", NAME, "--region", "us-east-2")
    assert (ran.status, ran.err) == (0, "llm is here, so it is read and not a cluster\n")


def test_a_cluster_that_is_not_there_is_one_line(trainyard, cluster):
    ran = trainyard("diagnose", "nowhere", "--region", "us-east-2", "--json")
    assert ran.status == 2
    assert json.loads(ran.out)["error"]["problem"].startswith("nothing of a cluster nowhere in us-east-2 can be read")


def test_a_long_reading_shows_how_far_it_is(trainyard, tmp_path, monkeypatch):
    (tmp_path / "long.log").write_text("nothing\n" * 400_000)
    moments = iter(range(10_000))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(moments)))
    assert "1 log read, " in trainyard("diagnose", "long.log").err
