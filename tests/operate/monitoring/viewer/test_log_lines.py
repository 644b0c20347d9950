"""The last lines of a log on the page of a node or a job: whose, how many, and why there are none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.operate.logs.batch_planted import MAIN, plant_jobs, with_jobs, with_logs
from tests.operate.logs.conftest import account as account  # noqa: PLC0414  a fixture
from tests.operate.logs.planted import FIRST, HEAD_NODE, SECOND, SLURMD, now_ms, plant, put
from tests.operate.monitoring.viewer.fake_source import FakeSource
from tests.operate.monitoring.viewer.viewing import Viewing, viewing
from trainyard.edge.aws.account import Account
from trainyard.monitoring.dashboard import dashboards
from trainyard.operate.monitoring.viewer.log_lines import MOST_LINES, MOST_NODES, LogLines
from trainyard.operate.monitoring.viewer.selection import Selection, window

pytestmark = pytest.mark.enable_socket
NODE, OTHER = "ip-10-0-1-7", "ip-10-0-1-8"


def source(*nodes: str, cluster: str = "llm") -> FakeSource:
    return FakeSource(label_names={"cluster": [cluster], "node_name": list(nodes)})


@pytest.fixture
def planted(account: Account) -> Account:
    plant(account)
    return account


@pytest.fixture
def viewer(planted: Account) -> Iterator[Viewing]:
    with viewing(source(NODE), planted) as made:
        yield made


def asked(account: Account, page: str, **chosen: str) -> str:
    now = now_ms(account) // 1000
    return f"/log/{page}?{urlencode({'from': now - 7200, 'to': now, **chosen})}"


def texts(found: dict[str, Any]) -> list[str]:
    return [line["text"] for line in found["lines"]]


def test_a_node_s_page_has_the_lines_of_its_logs_the_newest_last(viewer: Viewing, planted: Account):
    put(planted, f"{NODE}.{FIRST}.syslog", [(now_ms(planted) - 1_000_000, "NVRM: Xid 79")])
    found = viewer.ask(asked(planted, "node", node=NODE)).json()
    assert texts(found) == ["slurmd started", "error: no \\x1b[31mGPU\\x1b[0m\n  second line", "NVRM: Xid 79"]
    assert [line["from"] for line in found["lines"]] == [f"{NODE} slurmd", f"{NODE} slurmd", f"{NODE} syslog"]
    assert found["lines"][0]["at"] < found["lines"][1]["at"]
    assert (found["nodes"], found["of_nodes"]) == (1, 1)


def test_a_time_in_which_nothing_was_logged_has_no_lines(viewer: Viewing, planted: Account):
    now = now_ms(planted) // 1000
    assert viewer.ask(f"/log/node?node={NODE}&from={now - 1800}&to={now - 600}").json()["lines"] == []


def test_only_the_last_lines_are_read(viewer: Viewing, planted: Account):
    at = now_ms(planted) - 600_000
    put(planted, SLURMD, [(at + number, f"line {number}") for number in range(MOST_LINES + 50)])
    found = texts(viewer.ask(asked(planted, "node", node=NODE)).json())
    assert (len(found), found[0], found[-1]) == (MOST_LINES, "line 50", f"line {MOST_LINES + 49}")


def test_a_job_s_page_has_its_nodes_and_what_slurmctld_says_of_it(planted: Account):
    at = now_ms(planted) - 600_000
    said = ["sched: Allocate JobId=42 NodeList=gpu-1", "sched: Allocate JobId=421 NodeList=gpu-2", "JobId=42_7 done"]
    put(planted, f"{HEAD_NODE}.slurmctld", [(at + number, text) for number, text in enumerate(said)])
    with viewing(source(NODE, OTHER), planted) as viewer:
        found = viewer.ask(asked(planted, "job", job="42")).json()
    assert texts(found) == [
        "Cloud-init done",
        "slurmd started",
        "error: no \\x1b[31mGPU\\x1b[0m\n  second line",
        said[0],
        said[2],
    ]
    assert found["nodes"] == 2


def test_a_job_s_page_has_no_more_lines_than_a_node_s(planted: Account):
    at = now_ms(planted) - 600_000
    put(planted, f"{HEAD_NODE}.slurmctld", [(at + number, f"JobId=42 step {number}") for number in range(10)])
    put(planted, SLURMD, [(at + number, f"line {number}") for number in range(MOST_LINES)])
    with viewing(source(NODE), planted) as viewer:
        found = texts(viewer.ask(asked(planted, "job", job="42")).json())
    assert (len(found), found[-1]) == (MOST_LINES, f"line {MOST_LINES - 1}")


def test_a_node_of_a_job_that_has_no_log_keeps_no_other_from_being_read(planted: Account):
    with viewing(source("ip-10-9-9-9", OTHER), planted) as viewer:
        assert texts(viewer.ask(asked(planted, "job", job="42")).json()) == ["Cloud-init done"]
    with viewing(source("ip-10-9-9-9"), planted) as viewer:
        error = viewer.ask(asked(planted, "job", job="42")).json()["error"]
    assert "has no logs of a node 'ip-10-9-9-9'" in error["problem"]


def test_of_a_large_job_some_nodes_are_read_and_it_is_said(planted: Account):
    names = [*(f"ip-10-0-0-{number}" for number in range(10, 9 + MOST_NODES)), NODE, OTHER]
    with viewing(source(*names), planted) as viewer:
        found = viewer.ask(asked(planted, "job", job="42")).json()
    assert (found["nodes"], found["of_nodes"]) == (MOST_NODES, len(names))
    assert "slurmd started" in texts(found)
    assert "Cloud-init done" not in texts(found)


def test_batch_shows_what_the_job_prints(account: Account):
    plant_jobs(account)
    with viewing(source("ip-10-0-1-7"), with_logs(with_jobs(), account)) as viewer:
        found = viewer.ask(asked(account, "job", job="bench")).json()
        error = viewer.ask(asked(account, "job", job="other")).json()["error"]
    assert texts(found) == ["rank 0 starts", "rank 8 starts", "NCCL WARN timeout"]
    assert MAIN not in str(found)
    assert "no logs of a job 'other'" in error["problem"]


def test_lines_are_shown_without_secrets_also_where_a_key_has_several(viewer: Viewing, planted: Account):
    at = now_ms(planted) - 600_000
    key = ["-----BEGIN RSA PRIVATE KEY-----", *(["MIIEowIBAAKCAQEA" + "Qx7" * 16] * 3), "-----END RSA PRIVATE KEY-----"]
    lines = ["before", *key, "password=hunter2hunter2", "after"]
    put(planted, f"{NODE}.{FIRST}.syslog", [(at + number, text) for number, text in enumerate(lines)])
    found = texts(viewer.ask(asked(planted, "node", node=NODE)).json())[-len(lines) :]
    assert (found[0], found[-1]) == ("before", "after")
    assert "MIIE" not in str(found)
    assert "hunter2" not in str(found)


def test_a_long_line_is_cut(viewer: Viewing, planted: Account):
    put(planted, SLURMD, [(now_ms(planted) - 600_000, "x" * 100_000)])
    text = texts(viewer.ask(asked(planted, "node", node=NODE)).json())[-1]
    assert (len(text), text[-1]) == (2000, "…")


def test_a_cluster_without_logs_says_so(viewer: Viewing, planted: Account):
    with viewing(source(NODE, cluster="other"), planted) as other:
        error = other.ask(asked(planted, "node", node=NODE)).json()["error"]
    assert "there is no log group /aws/parallelcluster/other-" in error["problem"]


def test_without_a_region_it_says_how_to_start(planted: Account):
    with viewing(source(NODE)) as viewer:
        error = viewer.ask(asked(planted, "node", node=NODE)).json()["error"]
    assert "in which region" in error["problem"]
    assert "--region" in error["hint"]


def test_a_node_that_no_metrics_know_is_not_looked_for(planted: Account):
    with viewing(FakeSource(), planted) as viewer:
        error = viewer.ask(asked(planted, "node", node=NODE)).json()["error"]
    assert "no metrics say" in error["problem"]


@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("/log/node", 400),
        ("/log/node?node=a&node=b", 400),
        ("/log/storage?node=a", 400),
        ("/log/no-such?node=a", 400),
        ("/log/node?node=a&from=1&to=2", 400),
    ],
)
def test_what_is_of_no_one_node_or_job_is_refused(viewer: Viewing, target: str, status: int):
    assert viewer.ask(target).status == status


def test_nobody_reads_a_log_without_the_token_or_from_another_page(viewer: Viewing, planted: Account):
    target = asked(planted, "node", node=NODE)
    assert viewer.ask_plainly(target).status == 403
    assert viewer.ask(target, Host="evil.example").status == 403
    assert viewer.ask(target, Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="cors").status == 403
    assert viewer.ask(target, "POST").status == 405


def test_one_log_is_read_at_a_time(planted: Account):
    lines = LogLines(source(NODE), planted)
    during: list[dict[str, Any]] = []
    api = replace(source(NODE), before=lambda _: during.append(lines.of(*question)))
    lines = LogLines(api, planted)
    page = next(one for one in dashboards() if one.id == "node")
    now = now_ms(planted) / 1000
    question = (page, Selection(node=(NODE,)), window(now - 7200, now))
    assert lines.of(*question)["lines"]
    assert {answer["error"]["problem"] for answer in during} == {"a log is being read already"}
    assert lines.of(*question)["lines"]
    assert SECOND not in str(during)
