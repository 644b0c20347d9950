"""Logs from CloudWatch in Grafana's dashboards: which log group, of which nodes, and nothing that a name could add."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from trainyard.monitoring.dashboard import dashboards
from trainyard.monitoring.features import LOG_NEEDS, NEEDS
from trainyard.monitoring.grafana_data_source import with_data_source
from trainyard.monitoring.grafana_files import grafana_documents
from trainyard.monitoring.grafana_words import grafana_words
from trainyard.platforms.batch.logs import cluster_logs as of_batch
from trainyard.platforms.parallelcluster.logs import cluster_logs as of_parallelcluster

LOG_SOURCE = {"type": "cloudwatch", "uid": "${log_source}"}
PAGES = pytest.mark.parametrize("name", ["node", "job"])
VARIABLE = re.compile(r"\$\{?(\w+)")


def document(name: str, has: set[str]) -> dict[str, Any]:
    return grafana_documents(has)[name]


def log_row(made: dict[str, Any]) -> dict[str, Any]:
    row: dict[str, Any]
    (row,) = (panel for panel in made["panels"] if panel["title"].startswith("Logs from CloudWatch"))
    return row


def log_variables(made: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {one["name"]: one for one in made["templating"]["list"] if "log_" in one["name"]}


def expression(name: str, **values: str) -> str:
    """Return the query of a page's panel as Grafana would send it, with values in place of its variables."""
    (panel,) = log_row(document(name, {"node-logs"}))["panels"]
    text = panel["targets"][0]["expression"]
    return re.sub(r"\$\{(\w+):pipe\}", lambda named: values[named[1]], text)


def finds(pattern: str, text: str) -> bool:
    return re.search(pattern, text) is not None


def patterns(text: str) -> list[str]:
    """Return what stands between slashes after ``like``."""
    return re.findall(r"like /(.*?)/(?= |\)|\n)", text)


@PAGES
def test_logs_are_read_when_somebody_unfolds_them_and_not_before(name: str):
    made = document(name, {"node-logs"})
    row = log_row(made)
    assert (row["type"], row["collapsed"]) == ("row", True)
    (panel,) = row["panels"]
    assert panel["type"] == "logs"
    assert "charged" in row["title"]
    # Grafana keeps them nowhere else.
    assert [one for one in made["panels"] if one["type"] == "logs"] == []
    assert panel["gridPos"]["y"] == row["gridPos"]["y"] + 1


@PAGES
def test_a_panel_asks_the_log_group_of_the_cluster_by_its_own_data_source(name: str):
    made = document(name, {"node-logs"})
    (panel,) = log_row(made)["panels"]
    (target,) = panel["targets"]
    assert panel["datasource"] == target["datasource"] == LOG_SOURCE
    assert (target["queryMode"], target["region"]) == ("Logs", "default")
    assert target["logGroups"] == [{"arn": "${node_log_group}", "name": "${node_log_group}"}]
    assert target["expression"].endswith("| sort @timestamp desc\n| limit 500")
    variables = log_variables(made)
    assert (variables["log_source"]["type"], variables["log_source"]["query"]) == ("datasource", "cloudwatch")
    assert variables["node_log_group"]["datasource"] == LOG_SOURCE
    assert variables["node_log_group"]["query"]["logGroupPrefix"] == "/aws/parallelcluster/$log_cluster-"


@PAGES
def test_every_variable_of_a_query_is_there_and_stands_after_those_that_it_needs(name: str):
    made = document(name, set(NEEDS))
    known: list[str] = []
    for variable in made["templating"]["list"]:
        asked = [json.dumps(variable.get(key, "")) for key in ("query", "regex")]
        assert set(VARIABLE.findall(" ".join(asked))) <= set(known)
        known.append(variable["name"])
    for panel in log_row(made)["panels"]:
        assert set(VARIABLE.findall(json.dumps(panel))) <= set(known)


@pytest.mark.parametrize("has", [set(), *({need} for need in NEEDS if need not in LOG_NEEDS)], ids=str)
def test_a_cluster_without_logs_in_cloudwatch_gets_nothing_that_asks_for_them(has: set[str]):
    for made in grafana_documents(has).values():
        assert '"cloudwatch"' not in json.dumps(made)
        assert log_variables(made) == {}


def test_batch_shows_what_jobs_print_on_the_page_of_a_job():
    made = document("job", {"job-logs"})
    (panel,) = log_row(made)["panels"]
    assert panel["targets"][0]["logGroups"][0]["arn"] == "${job_log_group}"
    assert "node_log_group" not in log_variables(made)
    assert "filter" not in panel["targets"][0]["expression"]
    assert log_variables(document("node", {"job-logs"})) == {}


@pytest.mark.parametrize(
    ("need", "names"),
    [("node-logs", of_parallelcluster.GROUP_NAMES), ("job-logs", of_batch.GROUP_NAMES)],
)
def test_log_groups_are_named_as_trainyard_logs_finds_them(need: str, names: tuple[Any, ...]):
    (group,) = names
    words = grafana_words()["log_groups"][need]
    assert words["beginning"].replace("$log_cluster", "{cluster}") == group.beginning
    assert re.sub(r"\\d", "[0-9]", group.ending) == words["ending"]


@pytest.mark.parametrize(
    ("group", "is_of_llm"),
    [
        ("/aws/parallelcluster/llm-202611291200", True),
        ("/aws/parallelcluster/llm-2-202611291200", False),
        ("/aws/parallelcluster/llm-2026112912001", False),
        ("/other/aws/parallelcluster/llm-x", False),
    ],
)
def test_groups_of_another_cluster_cannot_be_chosen(group: str, *, is_of_llm: bool):
    variable = log_variables(document("node", {"node-logs"}))["node_log_group"]
    regex = variable["regex"].replace("$log_cluster", "llm").strip("/")
    # Grafana compares it with the value, which is the ARN.
    for value in (group, f"arn:aws:logs:us-east-2:123456789012:log-group:{group}:*"):
        assert finds(regex, value) == is_of_llm
    # The newest first, by the time in the name.
    assert (variable["sort"], variable["multi"]) == (2, False)


def test_the_page_of_a_node_reads_its_streams_alone():
    (node,) = patterns(expression("node", log_node="ip-10-0-0-5"))
    assert finds(node, "ip-10-0-0-5.i-0123456789abcdef0.slurmd")
    assert not finds(node, "ip-10-0-0-55.i-0123456789abcdef0.slurmd")
    assert not finds(node, "xip-10-0-0-5.i-0123456789abcdef0.slurmd")


def test_the_page_of_a_job_reads_its_nodes_and_what_slurmctld_says_of_it():
    nodes, slurmctld, job = patterns(expression("job", log_node="ip-10-0-0-5|ip-10-0-0-6", log_job="42"))
    assert finds(nodes, "ip-10-0-0-6.i-0123456789abcdef0.syslog")
    assert not finds(nodes, "ip-10-0-0-7.i-0123456789abcdef0.syslog")
    assert finds(slurmctld, "ip-10-0-0-4.i-0123456789abcdef0.slurmctld")
    assert not finds(slurmctld, "ip-10-0-0-4.i-0123456789abcdef0.slurmctld_old")
    assert finds(job, "sched: Allocate JobId=42 NodeList=gpu-st-p5-[1-2]")
    assert finds(job, "_job_complete: JobId=42_7(43) WEXITSTATUS 1")
    assert not finds(job, "sched: Allocate JobId=421 NodeList=gpu-st-p5-1")


@PAGES
def test_without_any_node_a_query_finds_no_stream(name: str):
    nodes, *_ = patterns(expression(name, log_node="", log_job=""))
    assert not finds(nodes, "ip-10-0-0-5.i-0123456789abcdef0.slurmd")


@PAGES
@pytest.mark.parametrize(
    "value", ["a/ or @message like /x", "a|b", ".*", "a)", 'a"', "a\n| stats count()", "a$b", "${log_job}", "a b", ""]
)
def test_a_name_that_could_be_part_of_a_query_cannot_be_chosen(name: str, value: str):
    made = document(name, {"node-logs"})
    (panel,) = log_row(made)["panels"]
    variables = log_variables(made)
    used = set(VARIABLE.findall(panel["targets"][0]["expression"]))
    assert used
    for variable in used | {"log_cluster"}:
        regex = variables[variable]["regex"]
        assert re.fullmatch(regex.strip("/"), value) is None
        # Nobody can set it by an address either.
        assert (variables[variable]["skipUrlSync"], variables[variable]["hide"]) == (True, 2)


def test_names_of_clusters_nodes_and_jobs_can_be_chosen():
    regex = log_variables(document("job", {"node-logs"}))["log_node"]["regex"].strip("/")
    assert all(re.fullmatch(regex, name) for name in ("llm-p5", "ip-10-0-0-5", "i-0123456789abcdef0", "42"))


def test_a_managed_workspace_opens_them_with_its_own_data_source():
    made = with_data_source(document("node", {"node-logs"}), "llm", 12)
    chosen = {one["name"]: one["current"]["value"] for one in made["templating"]["list"] if one["type"] == "datasource"}
    assert chosen == {"datasource": "trainyard-llm", "log_source": "trainyard-llm-logs"}
    (panel,) = log_row(made)["panels"]
    assert panel["datasource"] == LOG_SOURCE


def test_a_log_panel_has_a_number_of_its_own():
    for dashboard in dashboards():
        ids = [*(panel.id for panel in dashboard.panels()), *(panel.id for panel in dashboard.log_panels)]
        assert len(set(ids)) == len(ids)
    for made in grafana_documents(NEEDS).values():
        numbers = [one["id"] for panel in made["panels"] for one in (panel, *panel.get("panels", []))]
        assert len(set(numbers)) == len(numbers)
