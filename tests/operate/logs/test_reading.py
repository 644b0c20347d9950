"""What stands in logs: a period of them, the last of it, what an expression finds, and what comes."""

from __future__ import annotations

import pytest

from tests.operate.logs.planted import HEAD_NODE, SLURMCTLD, SLURMD, now_ms, plant, put
from trainyard.api.logs import Period, cluster_logs
from trainyard.edge.aws.account import Account
from trainyard.errors import InputError

EVER = Period()


def read(account: Account, of: Period = EVER, grep=None, tail=None, **wanted):
    return [event.message for event in cluster_logs("llm", account, **wanted).events(of, grep=grep, tail=tail)]


def test_events_of_all_streams_come_in_the_order_of_time(account):
    plant(account)
    assert read(account) == [
        "slurmctld starts",
        "Cloud-init done",
        "Launching instances",
        "slurmd started",
        "Failed to launch: (InsufficientInstanceCapacity)",
        "error: no \x1b[31mGPU\x1b[0m\n  second line",
        "error: Node gpu-dy-p5-1 not responding",
    ]


def test_a_period_begins_with_its_first_moment_and_ends_before_its_last(account):
    begin = plant(account)
    of = Period(begin + 1000, begin + 2000)
    assert read(account, of) == ["Launching instances", "slurmd started"]
    assert read(account, Period(begin, begin + 3000), kinds=("slurmctld",)) == ["slurmctld starts"]


@pytest.mark.parametrize(
    ("grep", "found"),
    [
        ("not responding", ["error: Node gpu-dy-p5-1 not responding"]),
        ("launch|starts", ["slurmctld starts", "Failed to launch: (InsufficientInstanceCapacity)"]),
        ("(InsufficientInstanceCapacity)", ["Failed to launch: (InsufficientInstanceCapacity)"]),
        ("(?i)LAUNCHING", ["Launching instances"]),
        ("second", ["error: no \x1b[31mGPU\x1b[0m\n  second line"]),
        ("nothing of it", []),
    ],
)
def test_an_expression_chooses_events(account, grep, found):
    plant(account)
    assert read(account, grep=grep) == found


def test_what_is_no_expression_of_re2_is_refused(account):
    plant(account)
    with pytest.raises(InputError, match="is no expression") as failed:
        read(account, grep=r"(a)\1")
    assert failed.value.where == "--grep"


def test_an_expression_that_runs_away_elsewhere_takes_no_time(account):
    put(account, SLURMD, [(now_ms(account), "a" * 50_000)])
    assert read(account, grep="(a*)*(a*)*(a*)*b") == []


@pytest.mark.parametrize("most", [0, 1, 3, 7, 99])
def test_only_the_last_events_are_read(account, most):
    plant(account)
    everything = read(account)
    assert read(account, tail=most) == (everything[-most:] if most else [])
    slurmctld = read(account, kinds=("slurmctld",))
    assert read(account, tail=most, kinds=("slurmctld",)) == (slurmctld[-most:] if most else [])


def test_the_last_events_that_an_expression_finds_may_lie_far_back(account):
    begin = plant(account)
    put(account, SLURMD, [(begin - 86_400_000 * 9, "error: long ago")])
    assert read(account, grep="^error", tail=3) == [
        "error: long ago",
        "error: no \x1b[31mGPU\x1b[0m\n  second line",
        "error: Node gpu-dy-p5-1 not responding",
    ]


def test_more_events_than_a_page_holds_are_all_read(account):
    begin = now_ms(account) - 60_000
    put(account, SLURMCTLD, [(begin + number, str(number)) for number in range(25_000)])
    numbers = [str(number) for number in range(25_000)]
    assert read(account) == numbers
    assert read(account, kinds=("slurmctld",)) == numbers
    assert read(account, tail=12_000) == numbers[-12_000:]


def test_more_streams_than_one_search_may_name_are_merged_by_time(account):
    begin = now_ms(account) - 60_000
    for number in range(230):
        put(account, f"ip-10-1-0-{number}.i-{number:017x}.slurmd", [(begin + number * 7 % 230, str(number * 7 % 230))])
    put(account, SLURMCTLD, [(begin, "not asked for")])
    assert read(account, kinds=("slurmd",)) == [str(number) for number in range(230)]


def following(account: Account, of: Period, **asked):
    wanted = {key: asked.pop(key) for key in ("kinds", "nodes") if key in asked}
    return cluster_logs("llm", account, **wanted).follow(of, **asked)


def test_new_events_come_once_also_where_they_come_late(account):
    plant(account)
    begin = now_ms(account)
    new = following(account, Period(begin - 10_000, begin + 60_000))
    put(account, SLURMCTLD, [(begin, "one")])
    assert next(new).message == "one"
    put(account, SLURMD, [(begin - 2000, "late"), (begin + 4000, "two")])
    put(account, f"{HEAD_NODE}.new", [(begin + 4000, "of a new stream")])
    assert sorted(one.message for one in new) == ["late", "of a new stream", "two"]


def test_following_begins_with_the_last_events_and_repeats_none_of_them(account):
    begin = plant(account)
    until = now_ms(account) + 60_000
    put(account, SLURMCTLD, [(until - 1000, "new"), (until, "too late")])
    found = [one.message for one in following(account, Period(None, until), tail=2)]
    assert found == ["error: Node gpu-dy-p5-1 not responding", "new"]
    assert begin < until


def test_what_is_followed_can_be_searched_and_ends_with_its_period(account):
    begin = plant(account)
    until = now_ms(account) + 30_000
    put(account, SLURMCTLD, [(now_ms(account) + 10_000, "error: new"), (now_ms(account) + 11_000, "fine")])
    found = [one.message for one in following(account, Period(begin, until), grep="^error", kinds=("slurmctld",))]
    assert found == ["error: Node gpu-dy-p5-1 not responding", "error: new"]
    assert now_ms(account) == until
