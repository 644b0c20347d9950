"""``trainyard deploy``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trainyard.cli import suggestions
from trainyard.cli.interrupting import interruptible
from trainyard.cli.output import counted, finding_text, json_option, print_error, print_json, print_text
from trainyard.cli.watching import done_values, watcher
from trainyard.errors import InputError

if TYPE_CHECKING:
    from trainyard.api.deploy import Account, Deployed
    from trainyard.finding import Finding
    from trainyard.spec.cluster import Spec


@click.command()
@click.argument("spec", metavar="SPEC", shell_complete=suggestions.files)
@click.option("--profile", metavar="NAME", help="Profile of the AWS configuration.")
@click.option("--yes", is_flag=True, help="Do not ask before anything is made.")
@click.option(
    "--rollback-on-failure",
    is_flag=True,
    help="Remove a cluster whose making failed, with its logs. By default it stays, to be looked at.",
)
@click.option("--recreate", is_flag=True, help="Delete a cluster whose making failed, and make it again.")
@click.option(
    "--create-key-pair",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Make the key pair of the spec where it does not exist; its private key goes to FILE.",
)
@json_option
def command(  # noqa: PLR0913  one for each option
    spec: str,
    profile: str | None,
    create_key_pair: Path | None,
    *,
    yes: bool,
    rollback_on_failure: bool,
    recreate: bool,
    as_json: bool,
) -> None:
    """Make what a spec describes in an AWS account, or go on where an earlier call stopped.

    Looks before it makes anything: the rules, then questions to the account. Safe to run again at any time; what
    is there already is left as it is. Two cannot deploy the same cluster at once.

    \b
    A cluster whose making fails stays as it is, with its logs, and costs money. It
    cannot be resumed: --recreate deletes it and makes it again.

    \b
    Example:
      trainyard deploy cluster.yaml
      trainyard deploy cluster.yaml --create-key-pair ~/.ssh/ml-key.pem --yes
    """
    from trainyard.api.deploy import Options, deploy_file

    def confirm(parsed: Spec, account: Account, findings: tuple[Finding, ...]) -> bool:
        for finding in findings:
            print_text(finding_text(finding), err=True)
        if yes:
            return True
        if not sys.stdin.isatty():
            raise InputError("nobody is there to say yes", where="trainyard deploy", hint="add --yes")
        question = f"Deploy {parsed.name} to account {account.id} in {parsed.region}?"
        return click.confirm(question, err=True)

    options = Options(rollback_on_failure, recreate, create_key_pair)
    with interruptible("AWS finishes what it has begun; run the same command again to go on"):
        deployed = deploy_file(spec, profile=profile, options=options, listener=watcher(), confirm=confirm)
    _print(deployed, as_json=as_json)
    sys.exit(0 if deployed.done is not None and deployed.done.ok else 1)


def _print(deployed: Deployed, *, as_json: bool) -> None:
    if as_json:
        findings = [finding._asdict() for finding in deployed.findings]
        print_json({**done_values(deployed.done), "findings": findings})
        return
    if deployed.done is None:
        for finding in deployed.findings:
            print_text(finding_text(finding), err=True)
        print_text(f"nothing was made: {counted(deployed.findings)}", err=True)
        return
    for result in deployed.done.results:
        print_text(f"{result.status:<10} {result.name:<12} {result.seconds:6.0f} s  {result.detail}")
        if result.error is not None:
            print_error(result.error, as_json=False)
