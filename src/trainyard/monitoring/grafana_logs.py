"""Logs from CloudWatch in Grafana's dashboards: the panels, and the variables that find log group, nodes and job.

The data source takes a query of CloudWatch Logs Insights, which charges what it reads of a log group in the time
that is shown: https://grafana.com/docs/grafana/latest/datasources/aws-cloudwatch/query-editor/
"""

from __future__ import annotations

from collections.abc import Iterator

from grafana_foundation_sdk.builders import cloudwatch, logs
from grafana_foundation_sdk.builders import dashboard as builders
from grafana_foundation_sdk.models import common
from grafana_foundation_sdk.models import dashboard as models
from grafana_foundation_sdk.models.cloudwatch import CloudWatchQueryMode

from trainyard.monitoring.dashboard import Dashboard, LogPanel
from trainyard.monitoring.grafana_files import stable_id
from trainyard.monitoring.grafana_words import ALL_VALUES, LOG_SOURCE, SOURCE, grafana_words

_MOST_LINES = 500
# Names of clusters, nodes and jobs of Slurm. Whatever else a label holds would be part of the query.
_PLAIN_NAME = "/^[A-Za-z0-9_-]+$/"
LogVariable = tuple[builders.QueryVariable | builders.DatasourceVariable, tuple[str, ...], bool]


def logs_panel(panel: LogPanel) -> logs.Panel:
    """Return the panel, without its place.

    The words of its query: https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/CWL_QuerySyntax.html
    """
    steps = [
        *([f"filter {panel.filter}"] if panel.filter else []),
        grafana_words()["log_groups"][panel.group]["line"],
        "sort @timestamp desc",
        f"limit {_MOST_LINES}",
    ]
    variable = f"${{{_variable(panel.group)}}}"
    query = cloudwatch.CloudWatchLogsQuery().query_mode(CloudWatchQueryMode.LOGS).id("").ref_id("A").region("default")
    query = query.datasource(LOG_SOURCE).log_groups([cloudwatch.LogGroup().arn(variable).name(variable)])
    builder = logs.Panel().id(stable_id(panel.id)).title(panel.title).description(panel.description)
    builder = builder.datasource(LOG_SOURCE).targets([query.expression("\n| ".join(steps))]).span(24).height(12)
    builder = builder.show_time(True).wrap_log_message(True).enable_log_details(True)  # noqa: FBT003  the SDK's signature
    return builder.sort_order(common.LogsSortOrder.DESCENDING)


def log_variables(dashboard: Dashboard) -> Iterator[LogVariable]:
    """Yield the variables that its log panels use, in the order in which they need each other.

    Each comes with the needs of which it wants any, and whether people choose by it; else its value is in no address.
    """
    groups = tuple(dict.fromkeys(panel.group for panel in dashboard.log_panels))
    if groups:
        yield builders.DatasourceVariable("log_source").label("Source of logs").type("cloudwatch"), groups, True
        for name, query in grafana_words()["log_variables"][dashboard.about_one].items():
            yield _hidden_variable(name, query), groups, False
        for group in groups:
            yield _log_group(group), (group,), True


def _hidden_variable(name: str, query: str) -> builders.QueryVariable:
    builder = builders.QueryVariable(name).query(query).datasource(SOURCE).regex(_PLAIN_NAME)
    builder = builder.hide(models.VariableHide.HIDE_VARIABLE).refresh(models.VariableRefresh.ON_TIME_RANGE_CHANGED)
    if name == "log_node":
        # All that there are: a job has many.
        builder = builder.multi(True).include_all(True).current(ALL_VALUES)  # noqa: FBT003  the SDK's signature
    return builder.sort(models.VariableSort.NATURAL_ASC)


def _log_group(need: str) -> builders.QueryVariable:
    """Return the log groups that a cluster has and had, of which a panel reads the first: their ARNs, by their names.

    A pattern of Grafana's is compared with the ARN, which ends with ``:*``.
    https://grafana.com/docs/grafana/latest/datasources/aws-cloudwatch/template-variables/
    """
    words = grafana_words()["log_groups"][need]
    query: dict[str, object] = {
        "queryType": "logGroups",
        "region": "default",
        "logGroupPrefix": words["beginning"],
        "refId": "CloudWatchVariableQueryEditor-VariableQuery",
    }
    name = words["beginning"].replace("/", r"\/") + words["ending"]
    builder = builders.QueryVariable(_variable(need)).label("Log group").query(query).datasource(LOG_SOURCE)
    builder = builder.regex(rf"/{name}(?::\*)?$/").refresh(models.VariableRefresh.ON_TIME_RANGE_CHANGED)
    return builder.sort(models.VariableSort.ALPHABETICAL_DESC)


def _variable(need: str) -> str:
    return f"{need.removesuffix('s').replace('-', '_')}_group"
