"""Amazon Managed Grafana without IAM Identity Center, which signs its users in."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.edge.aws import sso
from trainyard.render.cloudformation.monitoring import needs_monitoring
from trainyard.rules import Problem


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield the mode of monitoring where nobody could sign in to its Grafana."""
    asked_for = context.spec.monitoring.mode == "amp+amg" and needs_monitoring(context.spec)
    if asked_for and not context.ask(sso.active_instances):
        message = f"account {context.account.id} has no IAM Identity Center, and monitoring.mode is amp+amg"
        yield Problem(("monitoring", "mode"), message)


PREFLIGHT = Preflight(
    severity="error",
    title="No IAM Identity Center for Amazon Managed Grafana",
    rationale=(
        "Managed Grafana signs its users in through IAM Identity Center, in whatever region that is on. Where it is "
        "off, the workspace cannot be made and the stack of the monitoring fails. Switching it on is a decision for "
        "the whole organisation."
    ),
    remedy="switch it on for the organization, as docs/monitoring.md shows, or choose amp-only or self-hosting",
    source="https://github.com/terraform-aws-modules/terraform-aws-managed-service-grafana/issues/30",
    permissions=("sso:ListInstances",),
    check=check,
)
