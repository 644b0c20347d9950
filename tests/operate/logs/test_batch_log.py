"""The logs of Batch clusters: which streams are of which job and node, also where Batch has forgotten them."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from tests.deploy.preflights.recorded import Refusal, listening
from tests.edge.aws.batch_cluster import JOB, LOG_GROUP, STACK, BatchCluster, container, multi_node
from tests.operate.logs.batch_planted import FORGOTTEN, MAIN, WORKER, plant_jobs, with_jobs, with_logs
from tests.operate.logs.planted import SLURMD, now_ms, plant, put
from trainyard.api.logs import Logs, Period, cluster_logs
from trainyard.cli.logs_output import event_printer, log_values, print_log
from trainyard.edge.aws.account import Account
from trainyard.errors import InputError, TrainyardError
from trainyard.platforms.batch.logs.cluster_logs import JobStreamName

GONE = {"cloudformation__ListStackResources": Refusal("ValidationError", "Stack with id llm-batch does not exist")}
EVERYTHING = Period()


@pytest.fixture
def planted(account: Account) -> Account:
    plant_jobs(account)
    return with_logs(with_jobs(), account)


def messages(found: Logs, **asked: Any) -> list[str]:
    return [event.message for event in found.events(EVERYTHING, **asked)]


def test_streams_are_listed_with_their_jobs_and_nodes(planted, capsys):
    logs = cluster_logs("llm", planted)
    assert (logs.log.group.name, logs.log.whole, logs.log.stack) == (LOG_GROUP, True, STACK)
    by_name = {stream.name: stream for stream in logs.streams}
    main = by_name[MAIN].parts
    assert isinstance(main, JobStreamName)
    assert (main.job, main.job_name, main.node, main.kind) == (JOB, "bench", 0, "nccl")
    assert (by_name[WORKER].node, by_name[FORGOTTEN].node) == ("bench#1", "f" * 32)
    print_log(logs)
    out = capsys.readouterr().out.splitlines()
    assert out[1] == "3 streams of 1 job that Batch still knows"
    assert out[2].split()[4:] == ["bench#0", JOB, "nccl"]


@pytest.mark.parametrize(
    ("asked", "streams"),
    [
        ({"jobs": ("bench",)}, [MAIN, WORKER]),
        ({"jobs": (JOB,), "nodes": ("1",)}, [WORKER]),
        ({"nodes": ("0",)}, [MAIN]),
        ({"nodes": (f"{JOB}#1",)}, [WORKER]),
        ({"kinds": ("torchrun",)}, [FORGOTTEN]),
    ],
    ids=["job", "node of a job", "node", "node by its id", "kind"],
)
def test_a_job_a_node_and_a_kind_can_be_asked_for(planted, asked, streams):
    assert [stream.name for stream in cluster_logs("llm", planted, **asked).streams] == streams


@pytest.mark.parametrize(
    ("asked", "where", "hint"),
    [
        ({"jobs": ("nobody-s",)}, "--job", "there are bench; "),
        ({"nodes": ("7",)}, "--node", "by its index"),
        ({"kinds": ("slurmctld",)}, "--log", "there are nccl, torchrun"),
    ],
    ids=["job", "node", "kind"],
)
def test_what_is_not_there_is_one_clear_error(planted, asked, where, hint):
    with pytest.raises(InputError) as failed:
        cluster_logs("llm", planted, **asked)
    assert failed.value.where == where
    assert hint in str(failed.value.hint)


def test_events_of_all_nodes_come_in_the_order_of_time_and_are_searched(planted):
    logs = cluster_logs("llm", planted, jobs=("bench",))
    assert messages(logs) == ["rank 0 starts", "rank 8 starts", "NCCL WARN timeout"]
    assert messages(logs, grep="WARN|epoch") == ["NCCL WARN timeout"]
    assert messages(logs, tail=1) == ["NCCL WARN timeout"]
    since = Period(now_ms(planted) - 3_600_000 + 1500)
    assert [event.message for event in logs.events(since)] == ["NCCL WARN timeout"]


def test_events_are_printed_with_their_job_and_node(planted, capsys):
    logs = cluster_logs("llm", planted)
    show, show_json = event_printer(logs, as_json=False), event_printer(logs, as_json=True)
    for event in logs.events(EVERYTHING, grep="rank 8|epoch"):
        show(event)
        show_json(event)
    first, as_json, other, _ = capsys.readouterr().out.splitlines()
    assert first.endswith(" bench#1 nccl rank 8 starts")
    assert other.endswith(f" {'f' * 32} torchrun epoch 1")
    values = json.loads(as_json)
    assert (values["job_id"], values["job_name"], values["node"], values["log"]) == (JOB, "bench", 1, "nccl")
    assert (values["host"], values["instance_id"]) == (None, None)


def test_new_events_of_a_job_are_followed_and_those_of_others_are_not(planted, account):
    following = cluster_logs("llm", planted, jobs=("bench",)).follow(EVERYTHING, tail=1)
    assert next(following).message == "NCCL WARN timeout"
    put(account, FORGOTTEN, [(now_ms(account) + 1, "epoch 2")], group=LOG_GROUP)
    put(account, WORKER, [(now_ms(account) + 2, "rank 8 ends")], group=LOG_GROUP)
    assert next(following).message == "rank 8 ends"


def test_an_archive_has_a_file_for_each_stream_and_the_events_of_the_stack(account, tmp_path: Path):
    plant_jobs(account)
    answer, heard = listening({"StackEvents": []})
    planted = with_logs(with_jobs(), account, cloudformation__DescribeStackEvents=answer)
    done = cluster_logs("llm", planted).export(EVERYTHING, tmp_path / "logs.tar.gz")
    assert (done.streams, done.events, done.left_out) == (3, 4, None)
    assert heard == [{"StackName": STACK}]
    with tarfile.open(done.file) as archive:
        names = sorted(archive.getnames())
    assert f"{done.folder}/cloudwatch-logs/{MAIN.replace('/', '-')}" in names
    assert f"{done.folder}/{STACK}-cfn-events" in names


def test_logs_of_a_cluster_that_is_gone_are_found(account):
    plant_jobs(account)
    logs = cluster_logs("llm", with_logs(BatchCluster(), account, **GONE))
    assert len(logs.streams) == 3
    assert messages(logs, tail=1) == ["NCCL WARN timeout"]


def test_who_may_not_ask_batch_reads_the_logs_without_the_names_of_jobs(account):
    plant_jobs(account)
    denied = Refusal("AccessDeniedException", "no", 403)
    logs = cluster_logs("llm", with_logs(with_jobs(), account, batch__ListJobs=denied))
    assert [stream.node for stream in logs.streams] == ["0" * 31 + "1", "0" * 31 + "2", "f" * 32]


def test_of_a_group_that_all_jobs_share_only_the_own_ones_are_read(account):
    shared = "/aws/batch/job"
    own = container(logConfiguration={"logDriver": "awslogs"})
    of = with_jobs()
    definition = {**of.definitions[0], "nodeProperties": multi_node(2, own)}
    put(account, f"llm-training-nccl/default/{'a' * 32}", [(now_ms(account) - 2000, "ours")], group=shared)
    put(account, f"llm-training-nccl-2/default/{'b' * 32}", [(now_ms(account) - 1000, "theirs")], group=shared)
    stack = of.but(definitions=(definition,), stack="theirs", stack_tags={})
    logs = cluster_logs("theirs", with_logs(stack, account))
    assert (logs.log.group.name, logs.log.shared) == (shared, True)
    assert messages(logs) == ["ours"]
    assert messages(logs, grep="s") == ["ours"]
    following = logs.follow(Period(0))
    assert next(following).message == "ours"


def test_of_two_clusters_of_a_name_the_logs_of_the_later_one_are_taken(account):
    plant(account)
    plant_jobs(account)
    of = with_logs(with_jobs(), account)
    logs = cluster_logs("llm", of)
    assert logs.log.group.name == LOG_GROUP
    former = logs.log.former[0].name
    assert SLURMD in [stream.name for stream in cluster_logs("llm", of, group=former).streams]
    with pytest.raises(InputError, match="has no logs of jobs"):
        cluster_logs("llm", of, group=former, jobs=("bench",))


def test_a_cluster_that_has_no_logs_is_one_clear_error(account):
    with pytest.raises(TrainyardError, match="and none of a Batch cluster"):
        cluster_logs("nobody-s", with_logs(BatchCluster(), account))


def test_all_of_it_is_json(planted):
    values = log_values(cluster_logs("llm", planted))
    assert values["streams"][0]["stream"] == MAIN
    assert (values["streams"][0]["job_id"], values["streams"][0]["node"]) == (JOB, 0)
    assert values["streams"][2]["job_id"] is None
