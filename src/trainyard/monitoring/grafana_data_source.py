"""The data sources that Amazon Managed Grafana asks Amazon Managed Prometheus and CloudWatch Logs through."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

CORE_PLUGIN = "prometheus"
AMAZON_PLUGIN = "grafana-amazonprometheus-datasource"
LOG_PLUGIN = "cloudwatch"
_FIRST_WITH_AMAZON_PLUGIN = 12
# Grafana keeps 40 characters of a uid: https://grafana.com/docs/grafana/v10.4/developers/http_api/data_source/
_LONGEST_UID = 40
_PREFIX = "trainyard-"


def data_source_uid(name: str) -> str:
    """Return the uid of the data source of a cluster or an environment, the same every time."""
    uid = f"{_PREFIX}{name}"
    if len(uid) <= _LONGEST_UID:
        return uid
    digest = hashlib.sha256(name.encode()).hexdigest()[:8]
    return f"{uid[: _LONGEST_UID - 9]}-{digest}"


def log_source_uid(name: str) -> str:
    """Return the uid of the data source of the logs, the same every time."""
    return data_source_uid(f"{name}-logs")


def plugin(major: int) -> str:
    """Return the type of the data source in a version of Amazon Managed Grafana: from 12 on, the core's cannot sign.

    https://docs.aws.amazon.com/grafana/latest/userguide/prometheus-manually-adding.html
    """
    return AMAZON_PLUGIN if major >= _FIRST_WITH_AMAZON_PLUGIN else CORE_PLUGIN


def data_source(name: str, endpoint: str, region: str, major: int) -> dict[str, Any]:
    """Return the data source. ``endpoint`` is the stack's output AMPPrometheusEndpoint; the workspace's role signs.

    https://docs.aws.amazon.com/grafana/latest/userguide/AMP-adding-AWS-config.html
    """
    return {
        "uid": data_source_uid(name),
        "name": f"{_PREFIX}{name}",
        "type": plugin(major),
        "access": "proxy",
        "url": endpoint.rstrip("/"),
        "isDefault": True,
        "jsonData": {
            "httpMethod": "POST",
            "sigV4Auth": True,
            # As AWS's own modules write it:
            # https://github.com/aws-observability/terraform-aws-observability-accelerator
            "sigV4AuthType": "workspace-iam-role",
            "sigV4Region": region,
        },
    }


def log_source(name: str, region: str) -> dict[str, Any]:
    """Return the data source of the logs in CloudWatch, which are read with the role of the workspace.

    ``ec2_iam_role`` is what the plugin calls "Workspace IAM role", which Amazon Managed Grafana has:
    https://grafana.com/docs/grafana/latest/datasources/aws-cloudwatch/aws-authentication/
    """
    return {
        "uid": log_source_uid(name),
        "name": f"{_PREFIX}{name}-logs",
        "type": LOG_PLUGIN,
        "access": "proxy",
        "jsonData": {"authType": "ec2_iam_role", "defaultRegion": region},
    }


def with_data_source(document: dict[str, Any], name: str, major: int) -> dict[str, Any]:
    """Return a dashboard that asks these data sources first, with the type that the version of Grafana has for them."""
    chosen = {CORE_PLUGIN: (plugin(major), data_source_uid(name)), LOG_PLUGIN: (LOG_PLUGIN, log_source_uid(name))}
    document_with_source: dict[str, Any] = _referring(document, chosen)
    return document_with_source


def _referring(value: Any, chosen: Mapping[str, tuple[str, str]]) -> Any:
    if isinstance(value, list):
        return [_referring(member, chosen) for member in value]
    if not isinstance(value, dict):
        return value
    members = {key: _referring(member, chosen) for key, member in value.items()}
    if members.get("type") == CORE_PLUGIN and isinstance(members.get("uid"), str):
        # A reference: to the variable of the dashboard, where it begins with a dollar.
        kind, uid = chosen[CORE_PLUGIN]
        return {**members, "type": kind, "uid": members["uid"] if members["uid"].startswith("$") else uid}
    if members.get("type") == "datasource" and members.get("query") in chosen:
        kind, uid = chosen[members["query"]]
        return {**members, "query": kind, "current": {"selected": False, "text": uid, "value": uid}}
    return members
