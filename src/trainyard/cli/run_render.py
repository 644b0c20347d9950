"""``trainyard run render``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from trainyard.cli import suggestions
from trainyard.cli.output import finding_text, json_option, print_json, print_text, severity_counts


@click.command()
@click.argument("run", metavar="RUN", shell_complete=suggestions.files)
@click.option(
    "-o", "--output", "folder", metavar="DIR", type=click.Path(path_type=Path), help="Default: build/NAME-run."
)
@click.option(
    "--force", is_flag=True, help="Replace a DIR that trainyard did not make, or that was changed; it is moved aside."
)
@json_option
def command(run: str, folder: Path | None, *, force: bool, as_json: bool) -> None:
    """Write the job of a run: for Slurm a batch script, for Amazon EKS a PyTorchJob or JobSet, for AWS Batch a request.

    Each flag has its reason beside it. For Slurm, copy DIR to a folder that all nodes see and submit the .sbatch file
    there; for Amazon EKS `kubectl apply -f`, for AWS Batch `aws batch submit-job --cli-input-json` take the file.

    \b
    Exit status: 0 fine; 1 findings of severity error, and nothing was written;
    2 RUN or its spec could not be read, or DIR is not ours to replace.

    \b
    Example:
      trainyard run render run.yaml -o build/run
    """
    from trainyard.api.run import render_run

    rendered = render_run(run, folder, force=force)
    if as_json:
        print_json(
            {
                "file": run,
                "findings": [finding.as_json() for finding in rendered.findings],
                "folder": None if rendered.written is None else str(rendered.written.folder),
                "files": list(rendered.files),
            }
        )
        sys.exit(rendered.written is None)
    for finding in rendered.findings:
        print_text(finding_text(finding), err=True)
    if rendered.written is None:
        print_text(f"nothing was written: {severity_counts(rendered.findings)}", err=True)
        sys.exit(1)
    for name in rendered.files:
        print_text(f"{rendered.written.folder / name}")
