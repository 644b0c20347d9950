"""Amazon Managed Prometheus: the Alertmanager definition of a workspace, which moto lacks, and a look at the rules.

https://docs.aws.amazon.com/prometheus/latest/APIReference/API_CreateAlertManagerDefinition.html
https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-alertmanager-receiver-config.html
https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-alertmanager-pagerduty.html
"""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import yaml
from moto.amp import urls
from moto.amp.models import PrometheusServiceBackend
from moto.amp.responses import PrometheusServiceResponse
from moto.core.exceptions import JsonRESTError

from trainyard.rehearsal.emulated.actions import add, wrap

_DEFINITIONS: dict[str, dict[str, Any]] = {}
_NOT_OF_PAGERDUTY = {"url", "service_key_file", "routing_key_file", "http_config"}
_PATH = "{0}/workspaces/(?P<workspace_id>[^/]+)/alertmanager/definition$"


def install() -> None:
    """Add the actions and their path."""
    urls.url_paths[_PATH] = PrometheusServiceResponse.dispatch
    wrap(PrometheusServiceBackend, "create_rule_groups_namespace", _with_rules_read)
    wrap(PrometheusServiceBackend, "put_rule_groups_namespace", _with_rules_read)
    wrap(PrometheusServiceBackend, "delete_workspace", _delete_workspace)
    add(
        PrometheusServiceResponse,
        create_alert_manager_definition,
        put_alert_manager_definition,
        describe_alert_manager_definition,
        delete_alert_manager_definition,
    )


def create_alert_manager_definition(self: Any) -> tuple[int, dict[str, str], str]:
    """Answer CreateAlertManagerDefinition."""
    if _workspace(self) in _DEFINITIONS:
        raise _refusal("ConflictException", "an alert manager definition exists already", 409)
    return _put(self, "CREATING")


def put_alert_manager_definition(self: Any) -> tuple[int, dict[str, str], str]:
    """Answer PutAlertManagerDefinition."""
    _existing(self)
    return _put(self, "UPDATING")


def describe_alert_manager_definition(self: Any) -> str:
    """Answer DescribeAlertManagerDefinition. It is active as soon as it is there."""
    return json.dumps({"alertManagerDefinition": {**_existing(self), "status": {"statusCode": "ACTIVE"}}})


def delete_alert_manager_definition(self: Any) -> str:
    """Answer DeleteAlertManagerDefinition."""
    _existing(self)
    del _DEFINITIONS[_workspace(self)]
    return ""


def _workspace(self: Any) -> str:
    workspace: str = self.path.split("/")[-3]
    self.amp_backend.describe_workspace(workspace_id=workspace)
    return workspace


def _existing(self: Any) -> dict[str, Any]:
    if (workspace := _workspace(self)) not in _DEFINITIONS:
        raise _refusal("ResourceNotFoundException", "the workspace has no alert manager definition", 404)
    return _DEFINITIONS[workspace]


def _put(self: Any, status: str) -> tuple[int, dict[str, str], str]:
    workspace, data = _workspace(self), json.loads(self.body)["data"]
    if wrong := list(_wrong_with(_document(data))):
        raise _refusal("ValidationException", f"invalid alert manager definition: {', '.join(wrong)}", 400)
    created = _DEFINITIONS.get(workspace, {}).get("createdAt", time.time())
    _DEFINITIONS[workspace] = {"data": data, "createdAt": created, "modifiedAt": time.time()}
    return 202, {}, json.dumps({"status": {"statusCode": status}})


def _wrong_with(document: Any) -> Iterator[str]:
    """Yield what the service refuses, and Alertmanager itself with it."""
    config = yaml.safe_load(document.get("alertmanager_config", "")) if isinstance(document, dict) else None
    if not isinstance(config, dict) or not {"route", "receivers"} <= config.keys():
        yield "no alertmanager_config with a route and receivers"
        return
    for receiver in config["receivers"]:
        yield from (
            f"{kind} is not supported" for kind in receiver.keys() - {"name", "sns_configs", "pagerduty_configs"}
        )
        for sns in receiver.get("sns_configs", ()):
            yield from (f"{key} is not allowed" for key in sns.keys() & {"api_url", "http_config"})
            if not sns.get("sigv4", {}).get("region"):
                yield "sigv4 without region"
        for pagerduty in receiver.get("pagerduty_configs", ()):
            yield from (f"{key} is not supported" for key in pagerduty.keys() & _NOT_OF_PAGERDUTY)
            key = pagerduty.get("routing_key")
            if (
                not isinstance(key, dict)
                or not {"secret_arn", "secret_key"} <= key.get("aws_secrets_manager", {}).keys()
            ):
                yield "routing_key names no secret of Secrets Manager"


def _with_rules_read(former: Callable[..., Any], backend: Any, *arguments: Any, **named: Any) -> Any:
    data = named["data"] if "data" in named else arguments[0]
    document = _document(data)
    if not isinstance(document, dict) or not document.get("groups"):
        raise _refusal("ValidationException", "invalid rule groups: there are no groups", 400)
    return former(backend, *arguments, **named)


def _document(data: str) -> Any:
    try:
        return yaml.safe_load(base64.b64decode(data))
    except (ValueError, yaml.YAMLError) as error:
        raise _refusal("ValidationException", f"not YAML: {error}", 400) from error


def _delete_workspace(former: Callable[..., None], backend: Any, workspace_id: str) -> None:
    former(backend, workspace_id=workspace_id)
    _DEFINITIONS.pop(workspace_id, None)


def _refusal(code: str, message: str, status: int) -> Exception:
    refused: Any = JsonRESTError(code, message)
    refused.code = status
    error: Exception = refused
    return error
