"""Amazon Managed Prometheus: workspaces, their rules and Alertmanager, and queries that are signed for them.

https://docs.aws.amazon.com/prometheus/latest/APIReference/API_Operations.html
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import boto3  # type: ignore[import-untyped]  # its stubs are a package for each service
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.exceptions import NoCredentialsError

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import call, pages
from trainyard.edge.aws.errors import account_error, aws_errors
from trainyard.edge.prometheus_api import PrometheusApi
from trainyard.edge.prometheus_connection import AMAZON, Connection, address
from trainyard.foreign_text import reason_and_message

_MISSING = ("ResourceNotFoundException",)
# https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-compatible-APIs.html
_SERVICE = "aps"
_ARGUMENTS = {
    "AWS_ACCESS_KEY_ID": "aws_access_key_id",
    "AWS_SECRET_ACCESS_KEY": "aws_secret_access_key",
    "AWS_SESSION_TOKEN": "aws_session_token",
}


class AmpState(NamedTuple):
    """How something is, as AWS words it."""

    code: str
    reason: str = ""

    def __str__(self) -> str:
        """Return both on one line."""
        return reason_and_message(self.code, self.reason)


def workspace_state(account: Account, id_: str) -> AmpState:
    """Return whether a workspace is ACTIVE; MISSING where there is none."""
    answer = call(account, "amp", "describe_workspace", none_if=_MISSING, workspaceId=id_)
    return AmpState("MISSING") if answer is None else _state(answer["workspace"])


def workspace_arn(account: Account, id_: str) -> str:
    """Return the ARN of a workspace."""
    return str(call(account, "amp", "describe_workspace", workspaceId=id_)["workspace"]["arn"])


def rule_namespaces(account: Account, id_: str) -> dict[str, AmpState]:
    """Return the documents of rules of a workspace, by their names."""
    listed = pages(account, "amp", "list_rule_groups_namespaces", "ruleGroupsNamespaces", workspaceId=id_)
    return {namespace["name"]: _state(namespace) for namespace in listed}


def alertmanager_state(account: Account, id_: str) -> AmpState | None:
    """Return how the definition of a workspace's Alertmanager is, None where it has none."""
    answer = call(account, "amp", "describe_alert_manager_definition", none_if=_MISSING, workspaceId=id_)
    return None if answer is None else _state(answer["alertManagerDefinition"])


def discarded_samples(account: Account, id_: str, within_s: int) -> dict[str, float]:
    """Return how many samples a workspace has discarded lately, by the reason; a metric that is missing is 0.

    https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-CW-usage-metrics.html
    """
    names = {"Namespace": "AWS/Prometheus", "MetricName": "DiscardedSamples"}
    listed = pages(account, "cloudwatch", "list_metrics", "Metrics", **names)
    of_workspace = [
        metric["Dimensions"] for metric in listed if id_ in {dimension["Value"] for dimension in metric["Dimensions"]}
    ]
    counts = (
        (_reason(dimensions), _sum(account, {**names, "Dimensions": dimensions}, within_s))
        for dimensions in of_workspace
    )
    return {reason: count for reason, count in counts if count > 0}


def _sum(account: Account, metric: Mapping[str, Any], within_s: int) -> float:
    until = datetime.fromtimestamp(account.clock.now(), UTC)
    period = {"StartTime": until - timedelta(seconds=within_s), "EndTime": until, "Period": 60, "Statistics": ["Sum"]}
    points = call(account, "cloudwatch", "get_metric_statistics", **{**metric, **period})["Datapoints"]
    return float(sum(point["Sum"] for point in points))


def _reason(dimensions: list[Mapping[str, str]]) -> str:
    return next((dimension["Value"] for dimension in dimensions if dimension["Name"] == "Reason"), "unknown")


def _state(described: Mapping[str, Any]) -> AmpState:
    status = described["status"]
    return AmpState(status["statusCode"], status.get("statusReason", ""))


def amazon_prometheus(endpoint: str, account: Account) -> PrometheusApi:
    """Return the workspace at an endpoint, which is what the stack's output AMPPrometheusEndpoint says.

    Requests are signed for the region in the endpoint, wherever the account does the rest of its work.
    """
    url = address(endpoint)
    named = AMAZON.match(url)
    signature = AmazonSignature(account, named[1] if named else account.region)
    return PrometheusApi(Connection(url, signature, _answers_at(url, account)))


def _answers_at(url: str, account: Account) -> str | None:
    parts = urlsplit(url)
    base = account.url_of(parts.netloc)
    return None if base == f"https://{parts.netloc}" else base.rstrip("/") + parts.path


class AmazonSignature:
    """Signature Version 4 with the credentials of an account."""

    is_amazon = True

    def __init__(self, account: Account, region: str) -> None:
        """Look for credentials when they are first needed. The region is that of the workspace."""
        self._account = account
        self._region = region
        self._looking = threading.Lock()
        self._found: Any = None

    def headers(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> dict[str, str]:
        """Return the signature, and what it covers beyond the headers that are there."""
        # Only what no proxy on the way changes.
        signed = {name: value for name, value in headers.items() if name == "Content-Type"}
        request = AWSRequest(method, url, headers=signed, data=body)
        SigV4Auth(self._credentials(), _SERVICE, self._region).add_auth(request)
        return dict(request.headers.items())

    def renew(self) -> bool:
        """Read the configuration anew: `aws sso login` may have been called meanwhile."""
        with self._looking:
            self._found = None
        return not self._account.credentials

    def _credentials(self) -> Any:
        # The SDK asks for new ones where those that it has end soon, and one thread at a time is enough for that.
        with self._looking, aws_errors(self._account.region):
            if self._found is None:
                self._found = self._looked_for()
            return self._found.get_frozen_credentials()

    def _looked_for(self) -> Any:
        account = self._account
        keys = {argument: account.credentials.get(name) for name, argument in _ARGUMENTS.items()}
        credentials = boto3.Session(profile_name=account.profile, region_name=self._region, **keys).get_credentials()
        if credentials is None:
            raise account_error(NoCredentialsError(), account.region)
        return credentials
