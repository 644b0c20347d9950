"""What the page gets of a panel."""

from __future__ import annotations

import json
import math
from dataclasses import replace

from tests.operate.monitoring.viewer.fake_source import FakeSource
from trainyard.edge.prometheus_api import Series
from trainyard.errors import TrainyardError
from trainyard.foreign_text import one_line
from trainyard.monitoring.dashboard import Column, Panel, PanelQuery
from trainyard.operate.monitoring.viewer.panel_data import MOST_SERIES, _on_grid, has_data, panel_data, series_name
from trainyard.operate.monitoring.viewer.panel_queries import PanelQueries
from trainyard.operate.monitoring.viewer.selection import Selection, Window, window

END_S = 1_795_286_880
HOUR = window(END_S - 3600, END_S)


def panel(kind: str = "timeseries", *queries: PanelQuery) -> Panel:
    asked = queries or (
        PanelQuery("load", legend="{{node_name}}", instant=kind not in {"timeseries", "heatmap", "states"}),
    )
    columns = (Column("Value", "V"),) if kind == "table" else ()
    return Panel(id="p", title="P", kind=kind, unit="count", queries=asked, description="d", columns=columns)


def shown(source: FakeSource, one: Panel):
    return panel_data(PanelQueries(source), one, Selection(), HOUR)


def test_a_panel_over_time_has_a_value_for_each_step():
    data = shown(FakeSource([({"node_name": "a"}, 1.5)]), panel())
    (series,) = data["series"]
    assert (series["name"], series["newest"], data["shown"], data["total"]) == ("a", 1.5, 1, 1)
    assert series["start"] + (len(series["values"]) - 1) * series["step"] == HOUR.end_s
    assert set(series["values"]) == {1.5}


def test_a_panel_of_now_has_the_newest_values_alone():
    source = FakeSource([({"node_name": "a"}, 2.0)])
    (series,) = shown(source, panel("stat"))["series"]
    assert series == {"query": 0, "name": "a", "labels": {"node_name": "a"}, "newest": 2.0}
    assert source.ranges == []


def test_a_panel_never_gets_more_series_than_it_has_room_for_and_says_how_many_there_are():
    many = [({"node_name": f"n{number}"}, float(number)) for number in range(8000)]
    for kind, most in MOST_SERIES.items():
        if kind == "tiles":
            continue  # it is all of them
        data = shown(FakeSource(many), panel(kind))
        assert (len(data["series"]), data["shown"], data["total"]) == (most, most, 8000), kind


def test_bars_that_have_parts_have_them_all():
    parts = [({"run": f"r{number % 20}", "kind": f"k{number // 20}"}, float(number)) for number in range(220)]
    stacked = replace(panel("bars"), stack=True, columns=(Column("kind", "Use"),))
    assert len(shown(FakeSource(parts), stacked)["series"]) == 220


def test_a_time_is_told_to_the_second_and_other_numbers_as_anybody_reads_them():
    source = FakeSource([({"node_name": "a"}, 1_795_286_879.6), ({"node_name": "b"}, 0.123456789)])
    assert [one["newest"] for one in shown(source, panel("table"))["series"]] == [1_795_286_880, 0.1234568]


def test_names_are_in_the_order_in_which_people_count():
    many = [({"node_name": f"n{number}"}, float(number)) for number in range(12)]
    assert [one["name"] for one in shown(FakeSource(many), panel())["series"]][-2:] == ["n10", "n11"]


def test_gaps_and_what_is_no_number_are_gaps_and_infinity_is_a_word():
    points = [(0.0, math.nan), (60.0, math.inf), (120.0, -math.inf), (240.0, 1 / 3)]
    values = _on_grid(Series({}, points), Window(0, 240, 60))
    assert values == [None, "+Inf", "-Inf", None, 0.3333333]
    json.dumps(values, allow_nan=False)


def test_an_error_of_a_panel_stays_in_that_panel():
    source = FakeSource(fails=TrainyardError("too many samples", hint="ask for less"))
    assert shown(source, panel()) == {"id": "p", "error": {"problem": "too many samples", "hint": "ask for less"}}


def test_hostile_labels_are_names_like_others():
    label = '<img src=x onerror=alert(1)>"\u202e.'
    (series,) = shown(FakeSource([({"node_name": label, "__name__": "load"}, 1.0)]), panel())["series"]
    assert series["name"] == one_line(label)
    assert "__name__" not in series["labels"]


def test_a_legend_is_filled_with_labels_and_cut_where_it_is_too_long():
    assert series_name("{{a}} of {{ b }}{{none}}", {"a": "1", "b": "2"}) == "1 of 2"
    assert series_name("", {"b": "2", "a": "1", "__name__": "x"}) == "a=1, b=2"
    assert series_name("", {"__name__": "x"}) == "x"
    assert series_name("{{a}}", {"a": "{{b}}", "b": "no"}) == "{{b}}"
    assert len(series_name("{{a}}", {"a": "x" * 5000})) == 120


def test_a_panel_has_data_when_one_of_its_queries_has():
    source = FakeSource([({}, 0.0)])
    assert has_data(PanelQueries(source), panel(), Selection(), HOUR)
    assert not has_data(PanelQueries(FakeSource()), panel(), Selection(), HOUR)


def test_what_stands_beside_a_value_is_asked_of_the_nodes_of_the_rows_alone():
    gpus = [
        ({"node_name": f"n-{node}", "gpu": str(gpu)}, float(node * 10 + gpu)) for node in range(3) for gpu in (0, 1)
    ]
    source = FakeSource(gpus)
    columns = (Column("node_name", "Host"), Column("gpu", "GPU"), Column("Value", "Below"), Column("Value #B", "Clock"))
    asked = (
        PanelQuery('far{node_name=~"$node"}', instant=True),
        PanelQuery('clock{node_name=~"$node"}', instant=True),
    )
    table = Panel(id="p", title="P", kind="table", unit="count", queries=asked, description="d", columns=columns)
    told = shown(source, table)
    assert [(one["newest"], one["beside"]["Value #B"]) for one in told["series"]] == [
        (10.0 * node + gpu, 10.0 * node + gpu) for gpu in (0, 1) for node in range(3)
    ]
    assert source.instants[-1] == 'clock{node_name=~"n-0|n-1|n-2"}'
    assert (told["shown"], told["total"]) == (6, 6)


def test_tiles_are_a_row_for_each_node_with_a_hole_where_a_gpu_is_missing():
    gpus = [({"node_name": f"n-{node}", "gpu": str(gpu)}, float(gpu)) for node in (10, 2) for gpu in range(12)]
    query = PanelQuery("heat", legend="{{node_name}}", instant=True)
    tiles = Panel("p", "P", "tiles", "count", (query,), "d", columns=(Column("gpu", "GPU"),))
    told = shown(FakeSource([one for one in gpus if one[0] != {"node_name": "n-2", "gpu": "3"}]), tiles)
    assert told["columns"] == [str(gpu) for gpu in range(12)]
    assert [one["name"] for one in told["series"]] == ["n-2", "n-10"]
    assert told["series"][0]["values"][2:5] == [2.0, None, 4.0]
    assert told["series"][1]["values"][3] == 3.0
    json.dumps(told, allow_nan=False)


def test_what_is_usual_is_asked_at_once_and_is_no_series_that_is_counted():
    usual = (PanelQuery("least", "10 %", role="low"), PanelQuery("half", "median", role="median"))
    queries = (PanelQuery("load", legend="{{node_name}}"), *usual, PanelQuery("most", "line rate", role="limit"))
    source = FakeSource(
        [({"node_name": "n-1", "role": role}, value) for role, value in (("median", 3.0), ("low", 1.0))]
    )
    told = shown(source, panel("timeseries", *queries))
    assert [expr for expr, *_ in source.ranges if "least" in expr] == [
        'label_replace(least, "role", "low", "", "") or label_replace(half, "role", "median", "", "")'
    ]
    assert [(one["query"], one["name"], one["newest"]) for one in told["series"] if one["query"] in {1, 2}] == [
        (1, "10 %", 1.0),
        (2, "median", 3.0),
    ]
    assert (told["shown"], told["total"]) == (2, 2)
