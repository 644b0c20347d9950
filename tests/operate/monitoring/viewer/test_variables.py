"""What is chosen gets into a query as it is, whatever it is called."""

from __future__ import annotations

import re
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.operate.monitoring.viewer.fake_source import FakeSource
from trainyard.monitoring.dashboard import dashboards
from trainyard.operate.monitoring.viewer.selection import Selection, Window, fill_variables, natural, variable_choices

HOUR = Window(0, 3600, 60)
HOSTILE = ['a"} or up{b="', "a\\", ".*", "a|b", "$node", "new\nline", "a{2}", "(", "näme", "\\Q", "'", "`", "[", "^$"]
_STRING = re.compile(r'x\{cluster=~"((?:\\.|[^"\\\n])*)"\}')


def pattern_of(name: str) -> str:
    """Return the regular expression that Prometheus would read out of a query."""
    found = _STRING.fullmatch(fill_variables('x{cluster=~"$cluster"}', Selection(cluster=(name,)), HOUR))
    assert found is not None, "the name broke out of its string"
    return re.sub(r"\\(.)", lambda match: "\n" if match[1] == "n" else match[1], found[1])


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_matches_itself_alone_whatever_it_is(name):
    assert re.fullmatch(pattern_of(name), name)
    assert not re.fullmatch(pattern_of(name), f"{name}x")
    assert not re.fullmatch(pattern_of(name), "p5-cluster")


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30))
def test_no_name_breaks_out_of_its_string(name):
    assert re.fullmatch(pattern_of(name), name)


@pytest.mark.integration
@pytest.mark.parametrize("name", HOSTILE)
def test_prometheus_reads_every_name_as_part_of_one_query(name, tmp_path):
    rules = tmp_path / "rules.yml"
    expr = fill_variables('count(up{cluster=~"$cluster", node_name=~"$node"})', Selection((name,), (), (name,)), HOUR)
    rules.write_text(f"groups: [{{name: g, rules: [{{record: r, expr: {quoted(expr)}}}]}}]\n", encoding="utf-8")
    done = subprocess.run(["promtool", "check", "rules", str(rules)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr + done.stdout


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def test_nothing_chosen_is_all_and_several_are_either():
    assert fill_variables('{n=~"$node"}', Selection(), HOUR) == '{n=~".*"}'
    assert fill_variables('{n=~"$node"}', Selection(node=("a", "b")), HOUR) == '{n=~"a|b"}'


def test_a_value_that_looks_like_a_variable_is_no_variable():
    chosen = Selection(cluster=("$queue",), queue=("secret",))
    assert "secret" not in fill_variables('{c=~"$cluster"}', chosen, HOUR)


def test_no_variable_is_left_in_any_query_of_the_dashboards():
    queries = [query.expr for dashboard in dashboards() for panel in dashboard.panels() for query in panel.queries]
    assert len(queries) > 50
    assert [text for text in queries if re.search(r"\$[a-z_]", fill_variables(text, Selection(), HOUR))] == []


def test_queues_are_those_of_the_cluster_nodes_those_of_the_queue_and_jobs_those_of_the_user():
    names = {"cluster": ["c"], "user": ["ana"], "jobid": ["9", "10"]}
    targets = [
        *({"queue": "q", "node_name": f"node-{number}", "job": job} for number in (10, 9, 1) for job in ("a", "b")),
        {"queue": "other", "node_name": "node-2"},
        {"node_name": "head"},
        {"job": "prometheus"},
        {"queue": "q", "node_name": "cannot\u202ebe read"},
    ]
    source = FakeSource(targets=targets, label_names=names)
    found = variable_choices(source, Selection(("c",), ("q",), ("node-1",), ("ana",), ("9",)), HOUR)
    assert found == {
        "cluster": ["c"],
        "queue": ["other", "q"],
        "node": ["node-1", "node-9", "node-10"],
        "user": ["ana"],
        "job": ["10", "9"],
    }
    assert source.matchers == [
        ("series", ['up{cluster=~"c"}']),
        ("cluster", ['up{cluster=~".*"}']),
        ("user", ['node:job:max{cluster=~"c", partition=~"q", user=~".*"}']),
        ("jobid", ['node:job:max{cluster=~"c", partition=~"q", user=~"ana"}']),
    ]


def test_names_are_sorted_as_people_count():
    assert sorted(["n10", "n9", "n", "a1b2", "a1b10", "٣"], key=natural)[:5] == ["a1b2", "a1b10", "n", "n9", "n10"]


def test_nodes_of_queues_come_before_the_head_node():
    targets = [{"node_name": "head"}, *({"node_name": name, "queue": "q"} for name in ("node-10", "node-2"))]
    assert variable_choices(FakeSource(targets=targets), Selection(), HOUR)["node"] == ["node-2", "node-10", "head"]
