"""logs on the command line, against an account in memory with the logs of a cluster in it."""

from __future__ import annotations

import json
import signal
import tarfile
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.cli.conftest import Ran
from tests.cli.in_account import started
from tests.edge.aws.in_memory import account_in_memory
from tests.operate.logs.planted import FIRST, GROUP, HEAD, SLURMCTLD, SLURMD, now_ms, plant, put
from tests.rehearsal.account_copies import empty_account
from trainyard.edge.aws.account import Account, Clock
from trainyard.edge.aws.log_events import time_text

WHERE = ("llm", "--region", "us-east-2")
HOSTILE = "\x1b[2J\x1b]0;x\x07\u202ered\tend\r\nsecond \x1b[31mline"


@pytest.fixture
def begin() -> Iterator[int]:
    """The time of the first event of a cluster in an account in memory: an hour ago."""
    with account_in_memory() as made:
        account = Account(made.region, credentials=made.credentials, clock=Clock())
        put(account, SLURMD, [(now_ms(account) - 1000, HOSTILE)])
        yield plant(account)


@pytest.fixture
def logs(begin: int, trainyard: Callable[..., Ran]) -> Callable[..., Ran]:
    """Return a function that runs the command on that cluster."""
    assert begin
    return lambda *arguments: trainyard("logs", *WHERE, *arguments)


def test_without_more_the_streams_are_listed(logs):
    ran = logs()
    assert (ran.status, ran.err) == (0, "")
    first, second, *rows = ran.out.splitlines()
    assert first.startswith(f"{GROUP}: ")
    assert second == "4 streams of 3 nodes"
    assert [row.split()[-1] for row in rows] == ["slurm_resume", "slurmctld", "slurmd", "cloud-init-output"]
    assert rows[1].split()[4:] == ["ip-10-0-0-5", HEAD, "slurmctld"]


def test_a_cluster_of_parallelcluster_has_no_jobs_to_ask_for(logs):
    ran = logs("--job", "bench")
    assert (ran.status, ran.out) == (2, "")
    assert "llm has no logs of jobs" in ran.err


def test_the_streams_of_one_node_are_listed(logs):
    assert logs("--node", FIRST).out.splitlines()[1:] == [
        "1 stream of 1 node",
        next(row for row in logs().out.splitlines() if row.endswith("slurmd")),
    ]


def test_the_list_as_json_says_what_the_group_holds(logs, begin):
    values: Any = json.loads(logs("--json").out)
    assert (values["schema"], values["group"]["name"], values["whole"]) == (1, GROUP, True)
    stream = next(stream for stream in values["streams"] if stream["log"] == "slurmctld")
    assert stream == {
        "stream": SLURMCTLD, "host": "ip-10-0-0-5", "instance_id": HEAD, "log": "slurmctld",
        "job_id": None, "job_name": None, "node": None, "pod": None,
        "first": time_text(begin), "last": time_text(begin + 3000),
    }  # fmt: skip


def test_events_are_lines_with_their_time_and_log(logs, begin):
    ran = logs("--log", "slurmctld", "--log", "slurm_resume")
    assert ran.out.splitlines()[0] == f"{time_text(begin)} ip-10-0-0-5 slurmctld slurmctld starts"
    assert len(ran.out.splitlines()) == 4


def test_the_events_of_one_log_do_not_repeat_its_name(logs, begin):
    first = logs("--log", "slurmctld").out.splitlines()[0]
    assert first == f"{time_text(begin)} slurmctld starts"


def test_what_would_command_a_terminal_is_shown_and_not_sent(logs):
    ran = logs("--log", "slurmd", "--since", "1m")
    assert not set(ran.out) & set("\x1b\x07\u202e\r\t")
    assert ran.out.splitlines()[0].split()[1:] == [r"\x1b[2J\x1b]0;x\x07\u202ered", "end"]
    assert ran.out.splitlines()[1] == r"    | second \x1b[31mline"


def test_events_as_json_are_one_a_line_and_whole(logs):
    lines = logs("--since", "1m", "--json").out.splitlines()
    (event,) = map(json.loads, lines)
    assert event["schema"] == 1
    assert (event["stream"], event["host"], event["log"], event["message"]) == (
        SLURMD,
        "ip-10-0-1-7",
        "slurmd",
        HOSTILE,
    )


def test_events_are_searched_and_counted_from_the_end(logs):
    assert [line.split()[-1] for line in logs("--grep", "responding|starts").out.splitlines()] == [
        "starts",
        "responding",
    ]
    assert len(logs("--tail", "2").out.splitlines()) == 3


def test_where_nothing_is_found_it_is_said_what_was_looked_at(logs, begin):
    ran = logs("--grep", "nothing of it", "--log", "slurmctld", "--since", "2h")
    assert (ran.status, ran.out) == (0, "")
    (said,) = ran.err.splitlines()
    assert said.startswith("no event from 20")
    assert f"that 'nothing of it' finds: looked at 1 stream of 1 node in {GROUP}, whose events are from " in said
    first, next_ = (time_text(begin + more_ms)[:16].replace("T", " ") for more_ms in (0, 60_000))
    period = said.partition("whose events are from ")[2]
    assert period.startswith(first)
    # The events are seconds apart, and a minute may end between them.
    assert period.partition(" to about ")[2][: len(first)] in {first, next_}


def test_a_period_without_events_is_said_and_json_stays_empty(logs):
    ran = logs("--until", "2026-01-01", "--json")
    assert (ran.status, ran.out) == (0, "")
    assert ran.err.startswith("no event before 2026-01-01T00:00:00.000Z: looked at 4 streams of 3 nodes in ")


def test_where_something_is_found_nothing_is_said_of_the_streams(logs):
    assert logs("--grep", "starts").err == ""
    assert logs("--tail", "0").err == ""


def test_that_these_are_only_the_last_events_is_said(logs):
    account = Account("us-east-2", credentials={}, clock=Clock())
    put(account, SLURMCTLD, [(now_ms(account) - number, "x") for number in range(1200, 0, -1)])
    ran = logs("--log", "slurmctld")
    assert len(ran.out.splitlines()) == 1000
    assert ran.err == "these are the last 1,000 events; --since or --tail shows more\n"
    assert logs("--log", "slurmctld", "--since", "2h").err == ""


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("--node", "ip-1-1-1-1"), 2, "llm has no logs of a node 'ip-1-1-1-1'"),
        (("--log", "slurmctdl"), 2, "there is no log 'slurmctdl'; did you mean slurmctld?"),
        (("--since", "yesterday"), 2, "'yesterday' is no time"),
        (("--since", "1h", "--until", "2h"), 2, "--until 2h is not after --since 1h"),
        (("--grep", "("), 2, "'(' is no expression: "),
        (("--group", "/aws/batch/job"), 2, "llm has no log group /aws/batch/job"),
        (("--force",), 2, "--force has no meaning without --export"),
        (("--via-pcluster",), 2, "--via-pcluster has no meaning without --export"),
        (("--export", "a.tar.gz", "--bucket", "b"), 2, "--bucket has no meaning without --via-pcluster"),
        (("--export", "out/a.txt"), 2, "out/a.txt is no name for an archive: --export writes a gzipped tar"),
        (("--export", "a"), 2, "call it a.tar.gz"),
        (("--export", "a.zip", "--via-pcluster"), 2, "call it a.tar.gz"),
        (("--export", "a.tar.gz", "--follow"), 2, "--follow has no meaning with --export"),
        (("--export", "a.tar.gz", "--via-pcluster", "--log", "x"), 2, "--log has no meaning with --via-pcluster"),
        (("--export", "a.tar.gz", "--via-pcluster"), 1, "there is no stack llm of ParallelCluster in us-east-2"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_what_is_wrong_is_said_in_one_line(logs, arguments, status, said):
    ran = logs(*arguments)
    assert (ran.status, ran.out) == (status, "")
    assert said in ran.err
    assert len(ran.err.splitlines()) == 1


def test_a_cluster_without_logs_is_an_error(logs, trainyard):
    ran = trainyard("logs", "nobody-s", "--region", "us-east-2")
    assert ran.status == 1
    assert "there is no log group /aws/parallelcluster/nobody-s-… in us-east-2" in ran.err


def test_an_archive_is_written_and_told(logs, tmp_path):
    ran = logs("--export", "logs.tar.gz")
    assert (
        ran.out == "wrote logs.tar.gz: 8 events of 4 streams\nno events of the stack: there is no stack llm any more\n"
    )
    assert ran.err.startswith("1 of 4 streams: ")
    with tarfile.open(tmp_path / "logs.tar.gz") as tar:
        assert len(tar.getnames()) == 4
    assert "exists already" in logs("--export", "logs.tar.gz").err
    values = json.loads(logs("--export", "logs.tar.gz", "--force", "--json").out)
    assert (values["schema"], values["file"], values["streams"], values["events"]) == (1, "logs.tar.gz", 4, 8)


@pytest.mark.integration
@pytest.mark.enable_socket
def test_new_events_are_printed_until_ctrl_c_which_ends_it_quietly():
    with empty_account() as account:
        put(account, SLURMCTLD, [(now_ms(account) - 1000, "before")])
        following = started(account, "logs", *WHERE, "--log", "slurmctld", "--follow")
        assert following.stdout.readline().endswith(" before\n")
        put(account, SLURMCTLD, [(now_ms(account), "after")])
        assert following.stdout.readline().endswith(" after\n")
        following.send_signal(signal.SIGINT)
        out, err = following.communicate()
        assert (following.returncode, out, err) == (0, "", "")


def test_following_ends_with_its_period(logs):
    until = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 2))
    assert len(logs("--log", "slurmctld", "--follow", "--until", until).out.splitlines()) == 2
