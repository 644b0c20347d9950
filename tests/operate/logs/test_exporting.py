"""An archive of logs, laid out as ParallelCluster's own export: whole, or not there at all."""

from __future__ import annotations

import json
import resource
import tarfile
from pathlib import Path

import pytest

from tests.operate.logs.planted import CLOUD_INIT, HEAD_NODE, SLURMCTLD, now_ms, plant, put
from trainyard.api.logs import Period, cluster_logs
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.log_events import time_text
from trainyard.errors import InputError, TrainyardError

EVER = Period()


def contents(file: Path) -> dict[str, str]:
    """Return what is in an archive, by the names in its one folder."""
    with tarfile.open(file, "r:gz") as tar:
        members = [getmember for getmember in tar.getmembers() if getmember.isfile()]
        assert len({member.name.partition("/")[0] for member in members}) <= 1
        return {member.name.partition("/")[2]: tar.extractfile(member).read().decode() for member in members}  # type: ignore[union-attr]


def export(account: Account, file: Path, of: Period = EVER, **asked):
    wanted = {key: asked.pop(key) for key in ("kinds", "nodes") if key in asked}
    return cluster_logs("llm", account, **wanted).export(of, file, **asked)


def test_an_archive_has_a_file_for_each_stream_whose_lines_begin_with_their_time(account, tmp_path):
    begin = plant(account)
    done = export(account, tmp_path / "logs.tar.gz")
    found = contents(tmp_path / "logs.tar.gz")
    assert len(found) == done.streams == 4
    assert found[f"cloudwatch-logs/{SLURMCTLD}"] == (
        f"{time_text(begin)} slurmctld starts\n{time_text(begin + 3000)} error: Node gpu-dy-p5-1 not responding\n"
    )
    assert done.events == 7
    assert done.folder.startswith("llm-logs-20")


def test_the_events_of_the_stack_are_in_it_as_cloudformation_describes_them(account, tmp_path):
    plant(account)
    template = {"Resources": {"Topic": {"Type": "AWS::SNS::Topic"}}}
    account.client("cloudformation").create_stack(StackName="llm", TemplateBody=json.dumps(template))
    done = export(account, tmp_path / "logs.tar.gz")
    (page,) = json.loads(contents(tmp_path / "logs.tar.gz")["llm-cfn-events"])
    assert len(page) == done.stack_events > 0
    assert {"StackId", "EventId", "LogicalResourceId", "ResourceStatus"} <= page[0].keys()
    assert page[0]["Timestamp"].endswith("Z")
    assert page[0]["Timestamp"][-5] == "."


def test_the_logs_of_a_cluster_that_is_gone_are_exported_without_them(account, tmp_path):
    plant(account)
    assert export(account, tmp_path / "logs.tar.gz").left_out == "there is no stack llm any more"


def test_only_the_events_of_a_period_and_of_the_streams_asked_for_are_in_it(account, tmp_path):
    begin = plant(account)
    export(account, tmp_path / "logs.tar.gz", Period(begin + 1000, begin + 2000), nodes=("ip-10-0-0-5", "ip-10-0-1-8"))
    assert list(contents(tmp_path / "logs.tar.gz")) == [f"cloudwatch-logs/{HEAD_NODE}.slurm_resume"]


def test_events_that_came_late_are_in_it_although_the_end_of_a_stream_lies_hours_back(account, tmp_path):
    begin = plant(account)
    export(account, tmp_path / "logs.tar.gz", Period(begin + 10_000_000, None))
    assert contents(tmp_path / "logs.tar.gz") == {}
    put(account, CLOUD_INIT, [(now_ms(account), "late")])
    export(account, tmp_path / "more.tar.gz", Period(begin + 3_500_000, None))
    assert list(contents(tmp_path / "more.tar.gz")) == [f"cloudwatch-logs/{CLOUD_INIT}"]


@pytest.mark.parametrize("hostile", ["../../etc/passwd", "/etc/passwd", "..", "a\x1b[2J\nb"], ids=repr)
def test_a_stream_with_a_hostile_name_becomes_a_file_in_the_folder(account, tmp_path, hostile):
    put(account, hostile, [(now_ms(account), "x")])
    export(account, tmp_path / "logs.tar.gz")
    (name,) = contents(tmp_path / "logs.tar.gz")
    assert name.count("/") == 1
    assert name.startswith("cloudwatch-logs/")
    assert name.rpartition("/")[2].strip(".")
    assert name.isprintable()


def test_many_large_streams_are_exported_whole(account, tmp_path):
    begin = now_ms(account) - 60_000
    sizes = [12_000, *[2_000] * 8]  # more streams than are read at once, and one of more than a page
    for number, size in enumerate(sizes):
        lines = [(begin + at, f"{number}-{at} {'x' * 500}") for at in range(size)]
        put(account, f"ip-10-1-0-{number}.i-{number:017x}.slurmd", lines)
    lines_told: list[str] = []
    done = export(account, tmp_path / "logs.tar.gz", report=lines_told.append)
    assert (done.streams, done.events) == (9, sum(sizes))
    found = contents(tmp_path / "logs.tar.gz")
    for (number, size), text in zip(enumerate(sizes), found.values(), strict=True):
        assert [line.split()[1] for line in text.splitlines()] == [f"{number}-{at}" for at in range(size)]
    assert lines_told[-1].startswith("9 of 9 streams: ")


def test_a_file_that_exists_is_replaced_only_on_demand(account, tmp_path):
    plant(account)
    file = tmp_path / "logs.tar.gz"
    file.write_text("mine")
    with pytest.raises(InputError, match="exists already"):
        export(account, file)
    assert file.read_text() == "mine"
    export(account, file, force=True)
    assert len(contents(file)) == 4


def test_an_archive_is_as_readable_as_any_other_file(account, tmp_path):
    plant(account)
    export(account, tmp_path / "logs.tar.gz")
    (tmp_path / "other").touch()
    assert (tmp_path / "logs.tar.gz").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_an_interruption_leaves_nothing(account, tmp_path):
    plant(account)

    def interrupted(_line: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export(account, tmp_path / "logs.tar.gz", report=interrupted)
    assert list(tmp_path.iterdir()) == []


def test_a_disk_without_room_leaves_nothing_and_says_so(account, tmp_path):
    put(account, SLURMCTLD, [(now_ms(account) - at, f"{at * 7919:x}" * 50) for at in range(5000, 0, -1)])
    logs = cluster_logs("llm", account)
    former = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, former[1]))
    try:
        with pytest.raises(TrainyardError, match=r"could not write .*logs\.tar\.gz: File too large"):
            logs.export(EVER, tmp_path / "logs.tar.gz")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, former)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("redact", "shown"), [(True, "[secret]"), (False, "hunter")])
def test_secrets_are_not_in_it_unless_asked_for(account, tmp_path, redact, shown):
    put(account, CLOUD_INIT, [(now_ms(account), "mysql --password hunter -h db")])
    export(account, tmp_path / "logs.tar.gz", redact=redact)
    (text,) = contents(tmp_path / "logs.tar.gz").values()
    assert text.endswith(f" mysql --password {shown} -h db\n")
