"""Certificates of the self-hosted Grafana that are not there, not issued or over."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.edge.aws import acm
from trainyard.render.cloudformation.monitoring import needs_monitoring
from trainyard.rules import Problem

_PATH = ("monitoring", "certificate")


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield the certificate where a load balancer could not use it."""
    arn = context.spec.monitoring.certificate
    if arn is None or context.spec.monitoring.mode != "self-hosting" or not needs_monitoring(context.spec):
        return
    certificate = context.ask(acm.certificate, arn)
    if certificate is None:
        yield Problem(_PATH, f"account {context.account.id} has no certificate {arn}")
    elif certificate.get("Status") != "ISSUED":
        remedy = "confirm that the domain is yours" if certificate.get("Status") == "PENDING_VALIDATION" else None
        yield Problem(_PATH, f"certificate {arn} is {certificate.get('Status')}, not ISSUED", remedy)
    elif (end := certificate.get("NotAfter")) is not None and end.timestamp() <= context.account.clock.now():
        yield Problem(_PATH, f"certificate {arn} ended on {datetime.fromtimestamp(end.timestamp(), UTC):%Y-%m-%d}")


PREFLIGHT = Preflight(
    severity="error",
    title="Certificate that cannot be used",
    rationale=(
        "The load balancer in front of Grafana takes a certificate only from this region and account, and only when it "
        "has been issued. Otherwise the stack of the monitoring fails."
    ),
    remedy="name one of `aws acm list-certificates --certificate-statuses ISSUED`",
    source="https://docs.aws.amazon.com/elasticloadbalancing/latest/application/https-listener-certificates.html",
    permissions=("acm:DescribeCertificate",),
    check=check,
)
