"""CloudWatch Logs: groups of clusters of each platform, streams in pages, events in pages, and what is refused."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.awsrequest import AWSResponse
from botocore.exceptions import ClientError

from tests.edge.aws.in_memory import account_in_memory
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.cluster_logs import group_named, groups, streams
from trainyard.edge.aws.errors import NotAllowedError
from trainyard.edge.aws.log_events import LogEvent, events, filter_events, line_of, pattern_of
from trainyard.platforms.batch.logs import cluster_logs as batch
from trainyard.platforms.eks.logs import cluster_logs as eks
from trainyard.platforms.parallelcluster.logs import cluster_logs as parallelcluster

GROUP, STREAM = "/aws/parallelcluster/llm-202605061300", "ip-10-0-0-5.i-0aaaaaaaaaaaaaaa1.slurmctld"
NOW_MS = int(time.time() * 1000)


@pytest.fixture
def account() -> Iterator[Account]:
    with account_in_memory() as made:
        logs = made.client("logs")
        for name in (
            GROUP,
            "/aws/parallelcluster/llm-202505061300",
            "/aws/parallelcluster/llm-2-202605061300",
            "/aws/parallelcluster/llm",
            "/aws/batch/job",
            "llm-batch-LogGroup-AB12cd34",
            "llm-batch-LogGroup-AB12cd34-of-mine",
            "llm-2-batch-LogGroup-AB12cd34",
            "/aws/eks/llm/cluster",
            "/aws/eks/llm-2/cluster",
            "/aws/containerinsights/llm/application",
            "/aws/containerinsights/llm/of-my-own",
        ):
            logs.create_log_group(logGroupName=name)
        logs.create_log_stream(logGroupName=GROUP, logStreamName=STREAM)
        yield made


@pytest.mark.parametrize(
    ("of_platform", "names"),
    [
        (parallelcluster, [GROUP, "/aws/parallelcluster/llm-202505061300"]),
        (batch, ["llm-batch-LogGroup-AB12cd34"]),
        (eks, ["/aws/containerinsights/llm/application", "/aws/eks/llm/cluster"]),
    ],
)
def test_the_groups_of_a_cluster_are_found_and_those_of_its_namesakes_are_not(account, of_platform, names):
    found = [group.name for group in groups(account, "llm", of_platform.GROUP_NAMES)]
    assert (found if of_platform is parallelcluster else sorted(found)) == names


def test_a_group_of_parallelcluster_was_made_when_its_name_says(account):
    assert groups(account, "llm", parallelcluster.GROUP_NAMES)[0].made_ms == 1_778_072_400_000
    assert groups(account, "nobody-s", parallelcluster.GROUP_NAMES) == ()


def test_one_group_is_found_by_its_whole_name(account):
    log_group = group_named(account, "/aws/batch/job")
    assert log_group is not None
    assert (log_group.name, group_named(account, "/aws/batch")) == ("/aws/batch/job", None)


def test_streams_are_listed_page_after_page_and_no_further_than_asked_for(account):
    for number in range(120):
        account.client("logs").create_log_stream(logGroupName=GROUP, logStreamName=f"host-{number:03}")
    assert (len(streams(account, GROUP).streams), streams(account, GROUP).whole) == (121, True)
    assert (len(streams(account, GROUP, most_pages=2).streams), streams(account, GROUP, most_pages=2).whole) == (
        100,
        False,
    )
    assert len(streams(account, GROUP, "host-01").streams) == 10
    assert streams(account, "/nobody-s") == ((), True)


def put(account: Account, *messages: tuple[int, str]) -> None:
    listed = [{"timestamp": NOW_MS + at, "message": message} for at, message in messages]
    account.client("logs").put_log_events(logGroupName=GROUP, logStreamName=STREAM, logEvents=listed)


def test_a_period_leaves_out_what_is_at_its_end_in_either_way_of_asking(account):
    put(account, (0, "a"), (1, "b"), (2, "c"))
    period = (NOW_MS, NOW_MS + 2)
    for pages in (events(account, GROUP, STREAM, *period), filter_events(account, GROUP, (STREAM,), *period)):
        assert [log_event.message for page in pages for log_event in page] == ["a", "b"]


def test_the_newest_pages_can_come_first(account):
    put(account, *((at, str(at)) for at in range(9000)))
    put(account, *((at, str(at)) for at in range(9000, 15_000)))
    pages = list(events(account, GROUP, STREAM, newest_first=True))
    assert [(len(page), page[-1].message) for page in pages] == [(10_000, "14999"), (5000, "4999")]


def test_what_is_not_there_has_no_events(account):
    assert list(events(account, GROUP, "nobody-s")) == []
    assert list(filter_events(account, "/nobody-s")) == []


def test_a_line_begins_with_the_time_of_its_event():
    event = LogEvent(1_746_537_900_269, STREAM, "slurmctld: two\nlines")
    assert line_of(event) == "2025-05-06T13:25:00.269Z slurmctld: two\nlines"


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("Xid", "%Xid%"),
        ("not responding", r"%not\sresponding%"),
        ("a/b_c:d=e@f;g,h#i-j", "%a/b_c:d=e@f;g,h#i-j%"),
        ('say "hello"', None),
        ("100%", None),
        ("(a)", None),
        ("größer", None),
        ("a.b", None),
        ("", None),
    ],
)
def test_a_text_is_a_pattern_of_cloudwatch_where_its_language_can_say_it(text, pattern):
    assert pattern_of(text) == pattern


def test_who_may_not_read_is_told_which_permission_is_missing(account):
    def refuse(**_: object) -> None:
        said = {"Code": "AccessDeniedException", "Message": "no identity-based policy allows it"}
        raise ClientError({"Error": said}, "FilterLogEvents")

    account.client("logs").meta.events.register("before-call.cloudwatch-logs.FilterLogEvents", refuse)
    with pytest.raises(NotAllowedError, match="not allowed: logs:FilterLogEvents"):
        list(filter_events(account, GROUP))


def test_a_call_that_is_throttled_is_made_again(account):
    calls: list[int] = []

    class Body:
        def stream(self) -> list[bytes]:
            return [b'{"__type": "ThrottlingException", "message": "Rate exceeded"}']

    def throttle(request: Any, **_: object) -> AWSResponse | None:
        calls.append(1)
        return AWSResponse(request.url, 400, {}, Body()) if len(calls) < 3 else None

    put(account, (0, "a"))
    account.client("logs").meta.events.register_first("before-send.cloudwatch-logs.FilterLogEvents", throttle)
    assert [log_event.message for page in filter_events(account, GROUP) for log_event in page] == ["a"]
    assert len(calls) == 3
