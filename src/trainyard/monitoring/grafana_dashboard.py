"""Dashboards as Grafana takes them, made once by `make generate` and kept in grafana.json: see grafana_files.py.

Grafana's SDK takes a fifth of a second to import, longer than all else that a rendering does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from grafana_foundation_sdk.builders import (
    barchart,
    bargauge,
    gauge,
    stat,
    statetimeline,
    statushistory,
    table,
    text,
    timeseries,
)
from grafana_foundation_sdk.builders import common as looks
from grafana_foundation_sdk.builders import dashboard as builders
from grafana_foundation_sdk.builders import prometheus as asked
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models import common, prometheus
from grafana_foundation_sdk.models import dashboard as models
from grafana_foundation_sdk.models.text import TextMode

from trainyard.monitoring.dashboard import Dashboard, LinkedLabel, Panel, PanelQuery, PanelRow, dashboards
from trainyard.monitoring.events import EVENT, RECORD, ClusterEvent, events
from trainyard.monitoring.grafana_files import UID, stable_id
from trainyard.monitoring.grafana_logs import log_variables, logs_panel
from trainyard.monitoring.grafana_ranking import fixed_rankings
from trainyard.monitoring.grafana_words import ALL_VALUES, SOURCE, grafana_words
from trainyard.monitoring.prometheus_config import SCRAPE_INTERVAL_S
from trainyard.monitoring.state_colours import state_colour, state_colours

TAG = "trainyard"
_COLOURS = {"ok": "green", "not ok": "red"}
_GREY = "#8e8e8e"
LOGS = "Logs"
CLOUDWATCH_LOGS = "Logs from CloudWatch (each refresh is charged while this is open)"
# https://grafana.com/docs/grafana/latest/dashboards/variables/add-template-variables/#global-variables
_AS_TEXT = {"from": "${__from:date:iso}", "to": "${__to:date:iso}"}
_STATE_LABELS = {"severity", "status"}
_WIDTHS = {"low": 0, "median": 1, "high": 0, "limit": 1}
# Half of what the shortest events last, so that none falls between two samples.
_EVENT_STEP = "1m"
# What the other dashboard opens with: https://grafana.com/docs/grafana/latest/panels-visualizations/configure-data-links/
_AS_HERE = "${__all_variables}&${__url_time_range}"
# The same without what the link itself chooses.
_SAME_CLUSTER = "${datasource:queryparam}&${cluster:queryparam}&${__url_time_range}"


def compiled_dashboards() -> str:
    """Return the text of grafana.json: each dashboard whole, its panels apart, each with what it needs."""
    return json.dumps([_compiled(dashboard) for dashboard in dashboards()], indent=1, sort_keys=True) + "\n"


def _compiled(dashboard: Dashboard) -> dict[str, Any]:
    return {
        "id": dashboard.id,
        "needs": list(dashboard.needs),
        "document": {**_plain(_frame(dashboard).build()), "panels": []},
        "rows": [*(_row(row) for row in dashboard.rows), *_log_row(dashboard), *_cloudwatch_row(dashboard)],
        "log_variables": _log_variables(dashboard),
        "events": [{"needs": list(event.needs), "annotation": _annotation(event)} for event in events()],
    }


def _annotation(event: ClusterEvent) -> dict[str, Any]:
    """Return what marks an event in the panels: Grafana's SDK knows neither its title nor its text.

    One that does not last stands at its time, in milliseconds, which is the value of its series:
    https://github.com/grafana/grafana/blob/main/packages/grafana-prometheus/src/components/AnnotationQueryEditor.tsx
    """
    expr = f'{RECORD}{{{EVENT}="{event.event}", cluster=~"$cluster|", node_name=~"$node|"}}'
    return {
        "name": event.marks,
        "datasource": {"type": SOURCE.type_val, "uid": SOURCE.uid},
        "enable": event.enabled,
        "hide": False,
        "iconColor": event.colour,
        "target": {"expr": expr if event.lasts else f"1000 * {expr}", "interval": _EVENT_STEP, "refId": "Anno"},
        "titleFormat": f"{{{{{EVENT}}}}}: {{{{text}}}}",
        "textFormat": "{{node}} {{node_name}} {{jobid}} {{user}}",
        "useValueForTime": not event.lasts,
    }


def _row(row: PanelRow) -> dict[str, Any]:
    heading = _plain(builders.Row(row.title).id(stable_id(f"row {row.title}")).build())
    return {"row": {**heading, "gridPos": {}}, "panels": [_panel(panel) for panel in row.panels]}


def _log_row(dashboard: Dashboard) -> list[dict[str, Any]]:
    """Return a row with the commands that show the logs, which lie in CloudWatch: Grafana asks Prometheus alone.

    A command takes one node, and only on the page of a node is exactly one chosen.
    """
    commands = [
        re.sub(r"\$(\w+)", lambda name: _AS_TEXT.get(name[1], f"${{{name[1]}:singlequote}}"), one)
        for one in dashboard.logs
        if "$node" not in one or dashboard.about_one == "node"
    ]
    if not commands:
        return []
    content = "\n".join(["```", *commands, "```"])
    panel = text.Panel().id(stable_id("logs")).title(LOGS).mode(TextMode.MARKDOWN).content(content).span(24).height(4)
    heading = _plain(builders.Row(LOGS).id(stable_id("row logs")).build())
    return [
        {"row": {**heading, "gridPos": {}}, "panels": [{"needs": [], "panel": {"links": [], **_plain(panel.build())}}]}
    ]


def _cloudwatch_row(dashboard: Dashboard) -> list[dict[str, Any]]:
    """Return a folded row with the logs themselves: Grafana asks for what lies in it once somebody opens it."""
    heading = _plain(builders.Row(CLOUDWATCH_LOGS).id(stable_id("row cloudwatch")).collapsed(True).build())  # noqa: FBT003  the SDK's signature
    panels = [
        {"needs": [panel.group], "panel": {"links": [], **_plain(logs_panel(panel).build())}}
        for panel in dashboard.log_panels
    ]
    return [{"row": {**heading, "gridPos": {}}, "panels": panels}] if panels else []


def _log_variables(dashboard: Dashboard) -> list[dict[str, Any]]:
    """Return the variables that only logs need, each with the logs of which the cluster has to have any."""
    return [
        {"any_of": list(groups), "variable": {**_plain(builder.build()), "skipUrlSync": not shown}}
        for builder, groups, shown in log_variables(dashboard)
    ]


def _panel(panel: Panel) -> dict[str, Any]:
    return {"needs": list(panel.needs), "panel": _plain(grafana_panel(panel))}


def _frame(dashboard: Dashboard) -> builders.Dashboard:
    builder = builders.Dashboard(dashboard.title).uid(UID.format(dashboard.id)).description(dashboard.description)
    builder = builder.tags([TAG]).refresh("30s").time("now-1h", "now").timezone("browser").editable()
    builder = builder.tooltip(models.DashboardCursorSync.CROSSHAIR).link(_dashboard_links())
    builder = builder.with_variable(builders.DatasourceVariable("datasource").label("Data source").type("prometheus"))
    for name in dashboard.variables:
        builder = builder.with_variable(_variable(name, one=name == dashboard.about_one))
    return builder


def _dashboard_links() -> builders.DashboardLink:
    """Return the list of all dashboards of ours that this Grafana has."""
    link = builders.DashboardLink("Trainyard").type(models.DashboardLinkType.DASHBOARDS).tags([TAG])
    return link.as_dropdown(True).include_vars(True).keep_time(True)  # noqa: FBT003  the SDK's signature


def _variable(name: str, *, one: bool) -> builders.QueryVariable:
    query = grafana_words()["variables"][name]
    builder = builders.QueryVariable(name).label(name.capitalize()).query(query).datasource(SOURCE)
    if not one:
        builder = builder.multi(True).include_all(True).all_value(".*").current(ALL_VALUES)  # noqa: FBT003  the SDK's signature
    builder = builder.refresh(models.VariableRefresh.ON_TIME_RANGE_CHANGED)
    # Jobs that are numbered higher are newer.
    order = models.VariableSort.NUMERICAL_DESC if name == "job" else models.VariableSort.NATURAL_ASC
    return builder.sort(order)


def _plain(model: object) -> Any:
    return json.loads(JSONEncoder().encode(model))


def grafana_panel(panel: Panel) -> models.Panel:
    """Return the panel, without its place."""
    builder = _KINDS[panel.kind](panel).id(stable_id(panel.id)).title(panel.title).description(_description(panel))
    builder = builder.datasource(SOURCE).unit(_unit(panel.unit)).span(panel.width).height(panel.height)
    builder = builder.links([_link(link) for link in panel.links]).thresholds(_thresholds(panel))
    builder = builder.targets([_target(panel, query, _ref_id(at)) for at, query in enumerate(panel.queries)])
    for limit, value in (
        (builder.min, panel.min),
        (builder.max, panel.max),
        (builder.no_value, panel.may_be_empty or None),
    ):
        if value is not None:
            limit(value)
    if panel.kind == "timeseries":
        builder.data_links([_data_link(linked, f"__field.labels.{linked.label}") for linked in panel.linked_labels()])
    built: models.Panel = builder.build()
    return built


def _ref_id(at: int) -> str:
    return chr(ord("A") + at)


def _description(panel: Panel) -> str:
    whole = [] if panel.is_of_chosen_nodes else ["Of the whole cluster, whichever nodes are chosen."]
    empty = [f"Empty: {panel.may_be_empty}."] if panel.may_be_empty else []
    return "\n\n".join([panel.description, *whole, *empty])


def _unit(unit: str) -> str:
    name: str = grafana_words()["units"][unit]
    return name


def _link(id_: str) -> builders.DashboardLink:
    title = next(dashboard.title for dashboard in dashboards() if dashboard.id == id_)
    link = builders.DashboardLink(title).type(models.DashboardLinkType.LINK)
    return link.url(f"/d/{UID.format(id_)}?{_AS_HERE}")


def _data_link(linked: LinkedLabel, value: str) -> builders.DashboardLink:
    """Return where a line or a cell leads: https://grafana.com/docs/grafana/latest/visualizations/panels-visualizations/configure-data-links/."""
    link = builders.DashboardLink(f"This {linked.variable}").type(models.DashboardLinkType.LINK)
    url = f"/d/{UID.format(linked.dashboard)}?{_SAME_CLUSTER}&var-{linked.variable}=${{{value}:percentencode}}"
    return link.url(url)


def _thresholds(panel: Panel) -> builders.ThresholdsConfig:
    # Grafana's first step has no value: it holds from the lowest number on.
    first = [] if panel.thresholds and panel.thresholds[0].value == 0 else [models.Threshold(value=None, color="green")]
    steps = [models.Threshold(value=threshold.value or None, color=threshold.colour) for threshold in panel.thresholds]
    return builders.ThresholdsConfig().mode(models.ThresholdsMode.ABSOLUTE).steps([*first, *steps])


def _expr(panel: Panel, query: PanelQuery) -> str:
    if panel.unit == "timestamp":
        # Of which Grafana has milliseconds:
        # https://github.com/grafana/grafana/blob/v10.4.0/packages/grafana-data/src/valueFormats/dateTimeFormatters.ts
        return f"1000 * ({query.expr})"
    if panel.kind == "table" and query is not panel.queries[0]:
        # Only of what the first one ranks.
        on = [column.label for column in panel.columns if not column.label.startswith("Value")]
        return f"({query.expr}) and on ({', '.join(on)}) ({panel.queries[0].expr})"
    return query.expr if query.instant else fixed_rankings(query.expr)


def _target(panel: Panel, query: PanelQuery, ref_id: str) -> asked.Dataquery:
    expr = _expr(panel, query)
    target = asked.Dataquery().ref_id(ref_id).datasource(SOURCE).expr(expr)
    target = target.legend_format(query.legend or "__auto").editor_mode(prometheus.QueryEditorMode.CODE)
    if panel.is_by_columns:
        target = target.format(prometheus.PromQueryFormat.TABLE)
    if query.instant:
        return target.instant()
    # Of which Grafana makes $__rate_interval: https://grafana.com/docs/grafana/latest/datasources/prometheus/template-variables/
    return target.range().interval(f"{SCRAPE_INTERVAL_S}s")


def _timeseries(panel: Panel) -> timeseries.Panel:
    builder = timeseries.Panel().line_width(1).fill_opacity(10).show_points(common.VisibilityMode.NEVER)
    # By its name, so that a node has the same colour in every panel of a page.
    builder = builder.color_scheme(builders.FieldColor().mode(models.FieldColorModeId.PALETTE_CLASSIC_BY_NAME))
    builder = builder.legend(_sorted_legend(panel)).tooltip(
        looks.VizTooltipOptions().mode(common.TooltipDisplayMode.MULTI).sort(common.SortOrder.DESCENDING)
    )
    for at, query in enumerate(panel.queries):
        if query.role:
            builder = builder.override_by_query(_ref_id(at), _drawn_as(panel, query.role))
    for state, colour in sorted(_state_colours(panel).items()):
        builder = builder.override_by_name(state, [_fixed_colour(colour)])
    if panel.thresholds:
        builder = builder.thresholds_style(
            looks.GraphThresholdsStyleConfig().mode(common.GraphThresholdsStyleMode.DASHED)
        )
    return builder.stacking(looks.StackingConfig().mode(common.StackingMode.NORMAL)) if panel.stack else builder


def _drawn_as(panel: Panel, role: str) -> list[models.DynamicConfigValue]:
    """Return how what is usual, or a limit, is told from the series themselves: in grey, the band filled."""
    grey = [_fixed_colour("grey"), models.DynamicConfigValue(id_val="custom.lineWidth", value=_WIDTHS[role])]
    if role in {"median", "limit"}:
        dashed = {"fill": "dash", "dash": [6, 6]}
        return [
            *grey,
            models.DynamicConfigValue(id_val="custom.lineStyle", value=dashed),
            models.DynamicConfigValue(id_val="custom.fillOpacity", value=0),
        ]
    if role == "low":
        return [*grey, models.DynamicConfigValue(id_val="custom.fillOpacity", value=0)]
    low = next(query.legend for query in panel.queries if query.role == "low")
    return [*grey, models.DynamicConfigValue(id_val="custom.fillBelowTo", value=low)]


def _fixed_colour(colour: str) -> models.DynamicConfigValue:
    fixed = _GREY if colour == "grey" else colour
    return models.DynamicConfigValue(id_val="color", value={"mode": "fixed", "fixedColor": fixed})


def _state_colours(panel: Panel) -> dict[str, str]:
    """Return the colours of those of its series that have one of their own wherever they are."""
    return {query.legend: colour for query in panel.queries if (colour := state_colour(query.legend))}


def _sorted_legend(panel: Panel) -> looks.VizLegendOptions:
    """Return a legend with the newest values, those first that the panel looks for."""
    legend = _legend().calcs(["lastNotNull"])
    ranked = re.match(r"\s*(top|bottom)k", panel.queries[0].expr)
    if ranked is None:
        return legend
    legend = legend.display_mode(common.LegendDisplayMode.TABLE)
    return legend.sort_by("Last *").sort_desc(ranked[1] == "top")


def _legend() -> looks.VizLegendOptions:
    legend = looks.VizLegendOptions().display_mode(common.LegendDisplayMode.LIST)
    return legend.placement(common.LegendPlacement.BOTTOM).show_legend(True)  # noqa: FBT003  the SDK's signature


def _stat(_: Panel) -> stat.Panel:
    builder = stat.Panel().graph_mode(common.BigValueGraphMode.NONE).color_mode(common.BigValueColorMode.VALUE)
    return builder.reduce_options(_newest()).color_scheme(_by_thresholds())


def _gauge(_: Panel) -> gauge.Panel:
    return gauge.Panel().reduce_options(_newest()).color_scheme(_by_thresholds())


def _bars(panel: Panel) -> bargauge.Panel | barchart.Panel:
    if panel.stack:
        return _stacked_bars(panel)
    builder = (
        bargauge.Panel().orientation(common.VizOrientation.HORIZONTAL).display_mode(common.BarGaugeDisplayMode.BASIC)
    )
    return builder.reduce_options(_newest()).color_scheme(_by_thresholds())


def _stacked_bars(panel: Panel) -> barchart.Panel:
    """Return a bar for each name, with a part for each value of the label of its column."""
    builder = barchart.Panel().orientation(common.VizOrientation.HORIZONTAL).legend(_legend())
    builder = builder.stacking(common.StackingMode.NORMAL)
    builder = builder.show_value(common.VisibilityMode.NEVER).fill_opacity(80)
    return builder.transformations(_matrix(panel))


def _matrix(panel: Panel) -> list[models.DataTransformerConfig]:
    """Return what makes a row of each name, and a column of each value of the label of the panel's column."""
    row, column = _matrix_labels(panel)
    matrix = {"rowField": row, "columnField": column, "valueField": "Value", "emptyValue": "null"}
    return [
        _transformation("filterFieldsByName", {"include": {"names": [row, column, "Value"]}}),
        _transformation("groupingToMatrix", matrix),
    ]


def _newest() -> looks.ReduceDataOptions:
    return looks.ReduceDataOptions().calcs(["lastNotNull"])


def _by_thresholds() -> builders.FieldColor:
    return builders.FieldColor().mode(models.FieldColorModeId.THRESHOLDS)


def _table(panel: Panel) -> table.Panel:
    builder = table.Panel().filterable(True)  # noqa: FBT003  the SDK's signature
    # Grafana numbers the values as soon as there are several.
    several = len(panel.queries) > 1
    names = ["Value #A" if several and column.label == "Value" else column.label for column in panel.columns]
    order = {
        "indexByName": {name: at for at, name in enumerate(names)},
        "renameByName": {name: column.title for name, column in zip(names, panel.columns, strict=True)},
        "excludeByName": {},
    }
    builder = builder.with_transformation(_transformation("filterFieldsByName", {"include": {"names": names}}))
    if several:
        builder = builder.with_transformation(_transformation("merge", {}))
    builder = builder.with_transformation(_transformation("organize", order)).sort_by([_table_order(panel)])
    linked_labels = {linked.label: linked for linked in panel.linked_labels()}
    for column in panel.columns:
        settings = [models.DynamicConfigValue(id_val="unit", value=_unit(column.unit))] if column.unit else []
        if column.label in _STATE_LABELS:
            settings += _coloured_words()
        if column.label in linked_labels:
            link = _plain(_data_link(linked_labels[column.label], "__value.raw").build())
            settings.append(models.DynamicConfigValue(id_val="links", value=[link]))
        if settings:
            builder = builder.override_by_name(column.title, settings)
    return builder


def _table_order(panel: Panel) -> looks.TableSortByFieldState:
    """Return by what a table is sorted at first: by its value, or by how bad something is, or by its first column."""
    by_label = {column.label: column.title for column in panel.columns}
    # critical, info, warning; failed, ok, unknown: as near as a sorting by letters comes.
    worst = next((by_label[label] for label in ("severity", "status") if label in by_label), None)
    title = worst or by_label.get("Value", panel.columns[0].title)
    down = worst is None and "Value" in by_label and not panel.queries[0].expr.startswith("bottomk")
    return looks.TableSortByFieldState().display_name(title).desc(down)


def _coloured_words() -> list[models.DynamicConfigValue]:
    options = {
        word: {"text": word, "color": _GREY if colour == "grey" else colour} for word, colour in state_colours().items()
    }
    return [
        models.DynamicConfigValue(id_val="mappings", value=[{"type": "value", "options": options}]),
        models.DynamicConfigValue(id_val="custom.cellOptions", value={"type": "color-text"}),
    ]


def _transformation(id_: str, options: dict[str, Any]) -> models.DataTransformerConfig:
    return models.DataTransformerConfig(id_val=id_, options=options)


def _tiles(panel: Panel) -> table.Panel:
    """Return a table with a coloured cell for each tile: a row for each name, a column for each value of its label."""
    row, column = _matrix_labels(panel)
    names = f"{row}\\{column}"
    builder = table.Panel().cell_height(common.TableCellHeight.SM).transformations(_matrix(panel))
    mode = models.FieldColorModeId.THRESHOLDS if panel.thresholds else models.FieldColorModeId.CONTINUOUS_BL_PU
    builder = builder.color_scheme(builders.FieldColor().mode(mode))
    links = [_plain(_data_link(linked, "__value.raw").build()) for linked in panel.linked_labels()]
    plain = models.DynamicConfigValue(id_val="custom.cellOptions", value={"type": "auto"})
    return builder.cell_options(common.TableColoredBackgroundCellOptions()).override_by_name(
        names, [models.DynamicConfigValue(id_val="links", value=links), plain]
    )


def _matrix_labels(panel: Panel) -> tuple[str, str]:
    (row,) = re.findall(r"{{(\w+)}}", panel.queries[0].legend)
    return row, panel.columns[0].label


def _heatmap(_: Panel) -> statushistory.Panel:
    builder = statushistory.Panel().show_value(common.VisibilityMode.NEVER).row_height(0.9).legend(_legend())
    return builder.color_scheme(builders.FieldColor().mode(models.FieldColorModeId.CONTINUOUS_BL_PU))


def _states(_: Panel) -> statetimeline.Panel:
    builder = statetimeline.Panel().show_value(common.VisibilityMode.NEVER).row_height(0.9).legend(_legend())
    words = {
        value: models.ValueMappingResult(text=text, color=_COLOURS[text])
        for value, text in (("0", "not ok"), ("1", "ok"))
    }
    return builder.merge_values(True).mappings([models.ValueMap(options=words)])  # noqa: FBT003  the SDK's signature


_KINDS: dict[str, Callable[[Panel], Any]] = {
    "timeseries": _timeseries,
    "stat": _stat,
    "gauge": _gauge,
    "bars": _bars,
    "table": _table,
    "heatmap": _heatmap,
    "states": _states,
    "tiles": _tiles,
}
