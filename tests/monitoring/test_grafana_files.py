"""Dashboards as Grafana takes them. What is reviewed is the compiled file, which `make generate` writes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import Any

import pytest
from grafana_foundation_sdk.models.dashboard import Dashboard as Model

from trainyard.monitoring.dashboard import ORDER, UNITS, dashboards, dashboards_for
from trainyard.monitoring.events import RECORD, events
from trainyard.monitoring.features import NEEDS
from trainyard.monitoring.grafana_dashboard import compiled_dashboards
from trainyard.monitoring.grafana_files import COLUMNS, COMPILED, grafana_documents, grafana_files
from trainyard.monitoring.grafana_mark import content_digest
from trainyard.monitoring.grafana_ranking import fixed_rankings
from trainyard.monitoring.grafana_words import grafana_words

ALL = frozenset(NEEDS)
# None, each alone, all, and all but one.
FEATURES = [frozenset[str](), *(frozenset({one}) for one in NEEDS), ALL, *(ALL - {one} for one in NEEDS)]
SOURCE = {"type": "prometheus", "uid": "${datasource}"}
EACH = pytest.mark.parametrize("name", ORDER)


def document(name: str) -> dict[str, Any]:
    return grafana_documents(NEEDS)[name]


def panels(of: dict[str, Any]) -> list[dict[str, Any]]:
    return [panel for panel in of["panels"] if panel["type"] not in {"row", "text"}]


def test_what_is_kept_is_what_the_sdk_makes():
    assert COMPILED.read_text(encoding="utf-8") == compiled_dashboards()


def test_a_file_holds_its_dashboard_in_lines_and_the_same_each_time():
    files = grafana_files(NEEDS)
    assert {name: json.loads(content) for name, content in files.items()} == {
        f"{name}.json": made for name, made in grafana_documents(NEEDS).items()
    }
    assert all(content.startswith(b'{\n  "') and content.endswith(b"\n}\n") for content in files.values())
    assert files == grafana_files(NEEDS)


def test_a_file_is_written_as_json_dumps_writes_it_with_sorted_keys():
    for content in grafana_files(NEEDS).values():
        assert content.decode() == json.dumps(json.loads(content), indent=2, sort_keys=True) + "\n"


@EACH
def test_the_sdk_reads_a_dashboard_back_as_it_was(name: str):
    from grafana_foundation_sdk.cog.encoder import JSONEncoder  # noqa: PLC0415  only here, as the test of its other half

    given = document(name)
    read = json.loads(JSONEncoder().encode(Model.from_json(json.loads(json.dumps(given)))))
    assert [panel["id"] for panel in read["panels"]] == [panel["id"] for panel in given["panels"]]
    # The SDK does not know the titles and texts of annotations.
    without: dict[str, Any] = {"panels": [], "annotations": {}}
    assert content_digest({**read, **without}) == content_digest({**given, **without})
    for was, now in zip(given["panels"], read["panels"], strict=True):
        assert {key: now.get(key) for key in was} == was


@pytest.mark.parametrize("has", FEATURES, ids=lambda has: "+".join(sorted(has)) or "nothing")
def test_panels_lie_side_by_side_and_fill_each_line(has: frozenset[str]):
    for name, made in grafana_documents(has).items():
        cells = [
            (x, y)
            for panel in made["panels"]
            for x in range(panel["gridPos"]["x"], panel["gridPos"]["x"] + panel["gridPos"]["w"])
            for y in range(panel["gridPos"]["y"], panel["gridPos"]["y"] + panel["gridPos"]["h"])
        ]
        assert len(set(cells)) == len(cells), name
        tops = {panel["gridPos"]["y"] for panel in made["panels"]}
        assert all({x for x, y in cells if y == top} == set(range(COLUMNS)) for top in tops), name
        ids = [panel["id"] for panel in made["panels"]]
        assert len(set(ids)) == len(ids), name


@pytest.mark.parametrize("has", FEATURES, ids=lambda has: "+".join(sorted(has)) or "nothing")
def test_a_cluster_gets_the_panels_that_it_can_fill_and_links_to_what_it_has(has: frozenset[str]):
    made = grafana_documents(has)
    expected = {dashboard.id: [panel.title for panel in dashboard.panels()] for dashboard in dashboards_for(has)}
    assert {name: [panel["title"] for panel in panels(of)] for name, of in made.items()} == expected
    links = {link["url"] for of in made.values() for panel in panels(of) for link in panel["links"]}
    assert {link.removeprefix("/d/trainyard-").partition("?")[0] for link in links} <= set(made)


def test_a_panel_keeps_its_number_when_others_are_left_out():
    whole = {
        (name, panel["title"]): panel["id"] for name, of in grafana_documents(NEEDS).items() for panel in of["panels"]
    }
    part = {
        (name, panel["title"]): panel["id"]
        for name, of in grafana_documents({"slurm"}).items()
        for panel in of["panels"]
    }
    assert part.items() <= whole.items()


@EACH
def test_every_source_of_data_is_the_variable(name: str):
    made = document(name)
    for panel in panels(made):
        assert panel["datasource"] == SOURCE
        assert [target["datasource"] for target in panel["targets"]] == [SOURCE] * len(panel["targets"])
    variables = {one["name"]: one for one in made["templating"]["list"]}
    (described,) = [dashboard for dashboard in dashboards() if dashboard.id == name]
    # Those of logs are tested in test_grafana_logs.py.
    assert list(variables)[: len(described.variables) + 1] == ["datasource", *described.variables]
    assert (variables["datasource"]["type"], variables["datasource"]["query"]) == ("datasource", "prometheus")
    for variable in described.variables:
        assert variables[variable]["datasource"] == SOURCE
        if variable == described.about_one:
            assert (variables[variable]["multi"], variables[variable]["includeAll"]) == (False, False)
            continue
        assert (variables[variable]["multi"], variables[variable]["includeAll"]) == (True, True)
        assert variables[variable]["allValue"] == ".*"
        assert variables[variable]["current"]["value"] == ["$__all"]


@EACH
def test_events_are_marked_and_jobs_only_where_somebody_switches_them_on(name: str):
    marked = {event["name"]: event["enable"] for event in document(name)["annotations"]["list"]}
    assert [event for event, enabled in marked.items() if not enabled] == ["Jobs that start", "Jobs that end"]
    assert list(marked) == [event.marks for event in events()]
    for mark, event in zip(document(name)["annotations"]["list"], events(), strict=True):
        assert mark["datasource"] == SOURCE
        # What does not last stands where its value says, which Grafana takes for milliseconds.
        expr = f'{RECORD}{{event="{event.event}", cluster=~"$cluster|", node_name=~"$node|"}}'
        assert (mark["target"]["expr"], mark["useValueForTime"]) == (
            (expr, False) if event.lasts else (f"1000 * {expr}", True)
        )


def test_a_cluster_marks_only_events_that_it_can_have():
    (some,) = {tuple(event["name"] for event in of["annotations"]["list"]) for of in grafana_documents([]).values()}
    assert some == ("Alerts", "Checks that fail", "Nodes that boot", "Releases", "Jobs that start", "Jobs that end")


@EACH
def test_a_dashboard_is_found_by_its_name_and_stays_fresh(name: str):
    made = document(name)
    assert (made["uid"], made["tags"], made["refresh"]) == (f"trainyard-{name}", ["trainyard"], "30s")
    assert made["time"] == {"from": "now-1h", "to": "now"}
    assert made.get("id") is None
    (link,) = made["links"]
    assert (link["type"], link["tags"], link["includeVars"], link["keepTime"]) == (
        "dashboards",
        ["trainyard"],
        True,
        True,
    )


@EACH
def test_what_a_panel_says_reaches_grafana(name: str):
    (described,) = [dashboard for dashboard in dashboards() if dashboard.id == name]
    for panel, made in zip(described.panels(), panels(document(name)), strict=True):
        defaults = made["fieldConfig"]["defaults"]
        assert made["description"].startswith(panel.description)
        for target, query in zip(made["targets"], panel.queries, strict=True):
            further = panel.kind == "table" and query is not panel.queries[0]
            asked = query.expr if query.instant else fixed_rankings(query.expr)
            asked = f"1000 * ({asked})" if panel.unit == "timestamp" else asked
            # What stands beside a value is asked of those rows alone.
            assert target["expr"].startswith(f"({asked}) and on (" if further else asked)
            assert target["expr"].endswith(f") ({panel.queries[0].expr})" if further else asked)
        assert {target.get("instant", False) for target in made["targets"]} == {
            query.instant for query in panel.queries
        }
        assert defaults["unit"] == grafana_words()["units"][panel.unit]
        assert (defaults.get("min"), defaults.get("max")) == (panel.min, panel.max)
        assert defaults.get("noValue", "") == panel.may_be_empty
        assert [step["value"] or 0 for step in defaults["thresholds"]["steps"]][-len(panel.thresholds) or 1 :] == [
            threshold.value for threshold in panel.thresholds
        ][-len(panel.thresholds) or 1 :]


@EACH
def test_no_graph_ranks_anew_at_each_point(name: str):
    over_time = [
        target["expr"]
        for panel in panels(document(name))
        for target in panel["targets"]
        if not target.get("instant", False)
    ]
    fixed = re.compile(r"\b(?:topk|bottomk)\(\d+, avg_over_time\(")
    bare = [expr for expr in over_time if len(re.findall(r"\b(?:topk|bottomk)\b", expr)) != len(fixed.findall(expr))]
    assert bare == []


@EACH
def test_a_table_shows_its_columns_in_their_order_and_nothing_else(name: str):
    (described,) = [dashboard for dashboard in dashboards() if dashboard.id == name]
    for panel, made in zip(described.panels(), panels(document(name)), strict=True):
        if not panel.is_by_columns:
            assert not made.get("transformations")
        if panel.kind != "table":
            continue
        chosen, *merged, ordered = made["transformations"]
        several = len(panel.queries) > 1
        assert [one["id"] for one in merged] == (["merge"] if several else [])
        labels = ["Value #A" if several and one.label == "Value" else one.label for one in panel.columns]
        assert chosen == {"id": "filterFieldsByName", "options": {"include": {"names": labels}}}
        assert ordered["options"]["indexByName"] == {label: at for at, label in enumerate(labels)}
        titles = [column.title for column in panel.columns]
        assert ordered["options"]["renameByName"] == dict(zip(labels, titles, strict=True))
        assert {target["format"] for target in made["targets"]} == {"table"}
        assert made["options"]["sortBy"][0]["displayName"] in titles


def test_tiles_are_a_coloured_cell_for_each_gpu_of_each_node_and_lead_to_it():
    made = next(one for one in panels(document("gpu-performance")) if one["title"] == "Temperature of every GPU")
    *_, matrix = made["transformations"]
    assert matrix["options"] == {
        "rowField": "node_name", "columnField": "gpu", "valueField": "Value", "emptyValue": "null",
    }  # fmt: skip
    assert made["fieldConfig"]["defaults"]["custom"]["cellOptions"]["type"] == "color-background"
    (names,) = made["fieldConfig"]["overrides"]
    assert names["matcher"]["options"] == "node_name\\gpu"
    assert "/d/trainyard-node?" in names["properties"][0]["value"][0]["url"]


def test_stacked_bars_are_a_bar_for_each_run_of_a_part_for_each_use():
    made = next(one for one in panels(document("training-runs")) if one["title"] == "GPU-hours by use")
    *_, matrix = made["transformations"]
    assert matrix["options"] == {
        "rowField": "run", "columnField": "kind", "valueField": "Value", "emptyValue": "null",
    }  # fmt: skip
    assert (made["type"], made["options"]["stacking"]) == ("barchart", "normal")


def test_a_table_of_alerts_colours_how_bad_they_are_and_begins_with_the_critical_ones():
    made = next(one for one in panels(document("cluster-overview")) if one["title"] == "Alerts that fire")
    assert made["options"]["sortBy"] == [{"displayName": "Severity", "desc": False}]
    severity = next(one for one in made["fieldConfig"]["overrides"] if one["matcher"]["options"] == "Severity")
    (mapping,) = severity["properties"][0]["value"]
    assert mapping["options"]["critical"]["color"] == "red"


def test_grafana_has_a_word_for_every_unit():
    assert set(grafana_words()["units"]) == set(UNITS)


def test_a_rendering_does_not_wait_for_the_sdk():
    code = (
        "import sys; from trainyard.monitoring.grafana_files import grafana_files; grafana_files(['gpu']); "
        "print([name for name in sys.modules if name.startswith('grafana_foundation_sdk')])"
    )
    ran = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert ran.stdout == "[]\n"


def test_what_is_usual_is_a_grey_band_and_a_limit_a_dashed_line():
    panel = next(one for one in panels(document("efa-network")) if one["title"] == "Received by node")
    drawn = {
        one["matcher"]["options"]: {setting["id"]: setting["value"] for setting in one["properties"]}
        for one in panel["fieldConfig"]["overrides"]
    }
    assert [target["legendFormat"] for target in panel["targets"]] == [
        "{{node_name}}", "10 %", "median", "90 %", "line rate of {{instance_type}}",
    ]  # fmt: skip
    assert drawn["D"]["custom.fillBelowTo"] == "10 %"
    assert {ref: settings["custom.lineWidth"] for ref, settings in drawn.items()} == {"B": 0, "C": 1, "D": 0, "E": 1}
    assert drawn["E"]["custom.lineStyle"]["fill"] == "dash"


@EACH
def test_a_name_has_one_colour_on_a_page_and_a_ranking_begins_its_legend_with_what_it_looks_for(name: str):
    described = {
        panel.title: panel for dashboard in dashboards() if dashboard.id == name for panel in dashboard.panels()
    }
    for panel in panels(document(name)):
        if panel["type"] == "timeseries":
            assert panel["fieldConfig"]["defaults"]["color"] == {"mode": "palette-classic-by-name"}
            ranked = re.match(r"(top|bottom)k", described[panel["title"]].queries[0].expr)
            assert panel["options"]["legend"].get("sortDesc") == (ranked[1] == "top" if ranked else None)


def test_a_state_has_the_same_colour_wherever_it_is_a_name():
    coloured = {
        one["matcher"]["options"]: one["properties"][0]["value"]["fixedColor"]
        for name in ORDER
        for panel in panels(document(name))
        for one in panel["fieldConfig"]["overrides"]
        if one["properties"][0]["id"] == "color" and one["matcher"]["id"] == "byName"
    }
    assert coloured["drained"] == "orange"
    assert coloured["down"] == coloured["failed"] == "red"
    assert coloured["allocated"] == "blue"


@pytest.mark.parametrize("name", ["node", "job"])
def test_the_page_of_one_thing_ends_with_the_commands_that_show_its_log(name: str):
    *_, last, _ = document(name)["panels"]
    assert (last["type"], last["title"]) == ("text", "Logs")
    assert "--since ${__from:date:iso} --until ${__to:date:iso}" in last["options"]["content"]
    assert f"${{{name}:singlequote}}" in last["options"]["content"]
    # Where several nodes may be chosen, no command can name one.
    assert ("--node" in last["options"]["content"]) == (name == "node")
