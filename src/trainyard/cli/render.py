"""``trainyard render``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trainyard.cli import suggestions
from trainyard.cli.options import hint_to_lock, lock_option
from trainyard.cli.output import finding_text, json_option, print_json, print_text, severity_counts
from trainyard.counts import count_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trainyard.api.render import FileRendering


@click.command()
@click.argument("spec", metavar="SPEC", shell_complete=suggestions.files)
@click.option("-o", "--output", "folder", metavar="DIR", type=click.Path(path_type=Path), help="Default: build/NAME.")
@click.option(
    "--stack-output",
    "outputs",
    metavar="NAME=VALUE",
    multiple=True,
    help="Fill in an id that a stack gave; may be repeated.",
)
@lock_option
@click.option(
    "--force", is_flag=True, help="Replace a DIR that trainyard did not make, or that was changed; it is moved aside."
)
@json_option
def command(  # noqa: PLR0913  one for each option
    spec: str, folder: Path | None, outputs: tuple[str, ...], lock: Path | None, *, force: bool, as_json: bool
) -> None:
    """Write the bundle of a spec: cluster.yaml, and a README that says how to deploy it by hand.

    The same spec gives the same bytes. A bundle that trainyard made is replaced as a whole; anything else is refused.

    \b
    Example:
      trainyard render cluster.yaml -o build/my-cluster
      trainyard render cluster.yaml --stack-output PublicSubnet=subnet-0a1b2c3d4e5f60718
    """
    from trainyard.api.render import render_file

    rendered = render_file(spec, folder, outputs=_parsed(outputs), lock=lock, force=force)
    if as_json:
        _print_json(rendered)
    else:
        _print(rendered, hint_to_lock(spec, lock))
    sys.exit(1 if rendered.written is None else 0)


def _parsed(outputs: tuple[str, ...]) -> dict[str, str]:
    pairs = [output.partition("=") for output in outputs]
    if wrong := [name for name, equals, value in pairs if not (name and equals and value)]:
        raise click.BadParameter(f"{wrong[0]!r} is not of the form NAME=VALUE", param_hint="--stack-output")
    return {name: value for name, _, value in pairs}


def _print(rendered: FileRendering, locking: str) -> None:
    for finding in rendered.checked.findings:
        print_text(finding_text(finding), err=True)
    if rendered.bundle is None or rendered.written is None:
        print_text(f"nothing was written: {severity_counts(rendered.checked.findings)}", err=True)
        return
    if rendered.written.backup is not None:
        print_text(f"the former folder is kept as {rendered.written.backup}", err=True)
    for name in _listed(rendered.bundle.files):
        print_text(str(rendered.written.folder / name))
    if rendered.bundle.unlocked:
        what = f"nodes install what is not locked: {', '.join(rendered.bundle.unlocked)}"
        print_text(f"{what}; run {locking}, and render it again", err=True)
    if rendered.bundle.stand_ins:
        count = len(rendered.bundle.stand_ins)
        ids = "1 id is a stand-in" if count == 1 else f"{count} ids are stand-ins"
        print_text(f"{ids} until the bundle is deployed; its README.md says how to fill them in", err=True)


def _listed(files: Iterable[str]) -> Iterator[str]:
    """Yield the names of the files, and the folder of bandwidth tests in one line: it has dozens."""
    tests = 0
    for name in files:
        if name.startswith("bench/"):
            tests += 1
        else:
            yield name
    if tests:
        yield f"bench/ ({count_text(tests, 'file')})"


def _print_json(rendered: FileRendering) -> None:
    bundle, written = rendered.bundle, rendered.written
    print_json(
        {
            "folder": None if written is None else str(written.folder),
            "kept": None if written is None or written.backup is None else str(written.backup),
            "files": [] if bundle is None else list(bundle.files),
            "stand_ins": [] if bundle is None else [stand_in._asdict() for stand_in in bundle.stand_ins],
            "not_locked": [] if bundle is None else list(bundle.unlocked),
            "findings": [finding.as_json() for finding in rendered.checked.findings],
        }
    )
