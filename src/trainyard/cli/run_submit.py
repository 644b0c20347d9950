"""``trainyard run submit``."""

from __future__ import annotations

import sys
from typing import Any

import click

from trainyard.cli.interrupts import interruptible
from trainyard.cli.output import finding_text, json_option, print_json, print_text, reporter, severity_counts
from trainyard.cli.run_options import place_of, run_place_options


@click.command()
@run_place_options
@click.option("--cancel", is_flag=True, help="Take the run back.")
@json_option
def command(*, run: str, cancel: bool, as_json: bool, **where: Any) -> None:
    """Submit the run of the file RUN to its cluster, once it is checked, and return.

    It is remembered in DIR: the same command submits it once only, also after
    Ctrl-C or a lost connection, and again where it has failed or was taken back;
    then it goes on from its last checkpoint.

    \b
    Exit status: 0 it is submitted or under way; 1 the run has errors, or its
    cluster refuses it; 2 the command line is wrong, or it has come to its end.

    \b
    Example:
      trainyard run submit run.yaml
      trainyard run submit run.yaml --ssh ubuntu@203.0.113.7
      trainyard run submit run.yaml --local
      trainyard run submit run.yaml --cancel
    """
    from trainyard.api.run_submit import cancel as take_back
    from trainyard.api.run_submit import submit

    with interruptible("what was submitted goes on; repeat the command to see, or take it back with --cancel"):
        place = place_of(run, **where)
        if cancel:
            numbers = take_back(place, reporter())
            if as_json:
                print_json({"cancelled": numbers})
            else:
                print_text(f"taken back: job {', '.join(numbers)}" if numbers else "nothing was under way")
            return
        findings = place.checked.findings
        for finding in () if as_json else findings:
            print_text(finding_text(finding), err=True)
        if place.checked.has_errors:
            if as_json:
                print_json({"job": None, "findings": [finding.as_json() for finding in findings]})
            else:
                print_text(f"nothing was submitted: {severity_counts(findings)}", err=True)
            sys.exit(1)
        submitted = submit(place, reporter())
    if as_json:
        values = {"job": submitted.job, "new": submitted.is_new, "where": submitted.where}
        print_json({**values, "results": str(submitted.folder), "findings": [one.as_json() for one in findings]})
        return
    was = "is" if submitted.is_new else "was submitted before, and is"
    print_text(f"{submitted.name} {was} job {submitted.job} on {submitted.where}; next: trainyard run watch {run}")
