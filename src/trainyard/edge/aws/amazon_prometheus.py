"""A workspace of Amazon Managed Prometheus, asked with the rights of an account."""

from __future__ import annotations

from urllib.parse import urlsplit

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.prometheus_signature import AmazonSignature
from trainyard.edge.prometheus_api import PrometheusApi
from trainyard.edge.prometheus_connection import AMAZON, Connection, address


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
