"""Secrets that are not there, or that are about to be deleted."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.deploy.requirements.secrets import named_secrets
from trainyard.edge.aws import secretsmanager
from trainyard.rules import Problem


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield secrets that nodes could not read. Their values are not looked at."""
    for path, arn in named_secrets(context.spec):
        secret = context.ask(secretsmanager.secret, arn)
        if secret is None:
            yield Problem(path, f"there is no secret {arn}")
        elif secret.get("DeletedDate") is not None:
            remedy = f"`aws secretsmanager restore-secret --secret-id {arn}` brings it back"
            yield Problem(path, f"secret {arn} is about to be deleted", remedy)


PREFLIGHT = Preflight(
    severity="error",
    title="Secret that cannot be read",
    rationale=(
        "The head node reads passwords and the munge key when it starts. Without them Slurm's accounting or the "
        "sign-in of users does not come up, and the cluster fails. Only whether a secret exists is asked, never its "
        "value."
    ),
    remedy="make the secret, or correct its ARN: the six characters at its end belong to it",
    source="https://docs.aws.amazon.com/secretsmanager/latest/userguide/troubleshoot.html",
    permissions=("secretsmanager:DescribeSecret",),
    check=check,
)
