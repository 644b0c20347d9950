"""``trainyard run check``."""

from __future__ import annotations

import sys

import click

from trainyard.cli import suggestions
from trainyard.cli.output import finding_text, json_option, print_json, print_text, severity_counts


@click.command()
@click.argument("run", metavar="RUN", shell_complete=suggestions.files)
@json_option
def command(run: str, *, as_json: bool) -> None:
    """Find what is wrong with the file of a run, and whether it fits the cluster that it names.

    Asks no AWS account. The best interval between checkpoints is that of Young and Daly for the failures of Llama 3's
    training, 3.8 for 1,000 node-days.

    \b
    Exit status: 0 no errors; 1 findings of severity error; 2 RUN or the spec
    that it names could not be read.

    \b
    Example:
      trainyard run check run.yaml
    """
    from trainyard.api.run import checked_run

    findings = checked_run(run).findings
    if as_json:
        print_json({"file": run, "findings": [finding.as_json() for finding in findings]})
    else:
        for finding in findings:
            print_text(finding_text(finding))
        print_text(severity_counts(findings))
    sys.exit(any(finding.severity == "error" for finding in findings))
