"""``trainyard monitor verify``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from trainyard.cli import suggestions
from trainyard.cli.interrupts import interruptible
from trainyard.cli.options import account_options, cluster_argument
from trainyard.cli.output import json_option, print_json, print_text, reporter, severity_counts, styled
from trainyard.errors import InputError

if TYPE_CHECKING:
    from trainyard.api.monitor_verify import Verification
    from trainyard.finding import Finding

_COLOURS = {"error": "red", "warning": "yellow", "info": "cyan"}
_MOST_MINUTES = 24 * 60


@click.command()
@cluster_argument(required=False)
@account_options
@click.option("--bucket", metavar="BUCKET", help="The assets.bucket of the spec, where no stack is left.")
@click.option("--prometheus", metavar="URL", help="Where Prometheus answers, such as a forwarded port.")
@click.option("--spec", metavar="FILE", shell_complete=suggestions.files, help="A spec, in place of NAME: no account.")
@click.option("--grafana", is_flag=True, help="Also look into Amazon Managed Grafana, with a token of 15 minutes.")
@click.option("--wait", "minutes", type=click.IntRange(0, _MOST_MINUTES), default=0, metavar="MINUTES",
              help="Try again every half minute until all is good, for so long.")  # fmt: skip
@json_option
def command(  # noqa: PLR0913  one for each option
    name: str | None,
    *,
    region: str | None,
    profile: str | None,
    bucket: str | None,
    prometheus: str | None,
    spec: str | None,
    grafana: bool,
    minutes: int,
    as_json: bool,
) -> None:
    """Say whether all that the cluster NAME measures arrives, and what to do where it does not.

    Compares the spec as deployed, the instances in EC2, and what whoever keeps the metrics has: Amazon Managed
    Prometheus, or a Prometheus behind a forwarded port. Changes nothing; only --grafana makes a token, and deletes it.

    \b
    Exit status: 0 nothing is wrong, or only warnings; 1 something is wrong;
    2 the command line is, or an input could not be read.

    \b
    Example:
      trainyard monitor verify cluster.yaml
      trainyard monitor verify llm-p5 --region us-east-2
      trainyard monitor verify llm-p5 --region us-east-2 --wait 20
      trainyard monitor verify --spec cluster.yaml --prometheus http://localhost:9090
    """
    with interruptible("nothing was changed"):
        if spec is None:
            verified = _deployed(
                name,
                region,
                profile=profile,
                bucket=bucket,
                prometheus=prometheus,
                wait_s=minutes * 60,
                grafana=grafana,
            )
        else:
            _refuse(name=name, region=region, profile=profile, bucket=bucket)
            verified = _of_spec(spec, prometheus, minutes * 60)
    if as_json:
        print_json(_values(verified))
    else:
        _print(verified)
    sys.exit(0 if verified.good else 1)


def _deployed(  # noqa: PLR0913  one for each option
    name: str | None, region: str | None, *, profile: str | None, bucket: str | None, prometheus: str | None,
    wait_s: float, grafana: bool,
) -> Verification:  # fmt: skip
    from trainyard.api.cluster_reference import cluster_reference
    from trainyard.api.monitor_verify import verify_monitoring

    if name is None:
        raise InputError("nothing says which cluster", where="NAME", hint="give NAME or SPEC, or --spec FILE")
    name, where, own_bucket, _ = cluster_reference(name, region, profile)
    return verify_monitoring(
        name, where, bucket=bucket or own_bucket, prometheus=prometheus, grafana=grafana, wait_s=wait_s, tell=reporter()
    )


def _of_spec(spec: str, prometheus: str | None, wait_s: float) -> Verification:
    from trainyard.api.monitor_verify import verify_spec

    if prometheus is None:
        raise InputError("a spec does not say where its metrics are", where="--spec", hint="add --prometheus URL")
    return verify_spec(spec, prometheus, wait_s=wait_s, tell=reporter())


def _refuse(**options: str | None) -> None:
    beside = [option for option, value in options.items() if value is not None]
    if beside:
        named = "NAME" if beside[0] == "name" else f"--{beside[0]}"
        raise InputError("with --spec, no account is asked", where=named, hint=f"leave out {named}, or --spec")


def _print(verified: Verification) -> None:
    for finding in verified.findings:
        print_text(_line(finding))
    looked_at = ", ".join(f"{count:,} {what}" for what, count in verified.looked_at.items()) or "nothing"
    verdict = severity_counts(verified.findings) if verified.findings else "all is good"
    more = "; `trainyard explain ID` says more about each" if verified.findings else ""
    print_text(f"{verified.name} in {verified.region}, {verified.mode}: {verdict}; looked at {looked_at}{more}")


def _line(finding: Finding) -> str:
    severity = styled(finding.severity, fg=_COLOURS[finding.severity], bold=True)
    words = f"{finding.message}{f'; {finding.remedy}' if finding.remedy else ''}"
    return f"{severity}: {words} {styled(f'[{finding.id}]', dim=True)}"


def _values(verified: Verification) -> dict[str, Any]:
    return {
        "name": verified.name,
        "region": verified.region,
        "mode": verified.mode,
        "prometheus": verified.keeper,
        "good": verified.good,
        "looked_at": dict(verified.looked_at),
        "findings": [finding.as_json() for finding in verified.findings],
    }
