"""``trainyard image``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trainyard.cli import suggestions
from trainyard.cli.options import hint_to_lock, lock_option
from trainyard.cli.output import finding_text, json_option, print_json, print_text, severity_counts

if TYPE_CHECKING:
    from trainyard.api.image import RenderedImages


def _outputs(_context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    pairs = [value.partition("=") for value in values]
    if wrong := [name for name, equals, value in pairs if not (name and equals and value)]:
        raise click.BadParameter(f"{wrong[0]!r} is not of the form NAME=VALUE")
    return {name: value for name, _, value in pairs}


@click.command()
@click.argument("spec", metavar="SPEC", shell_complete=suggestions.files)
@click.option(
    "-o", "--output", "folder", metavar="DIR", type=click.Path(path_type=Path), help="Default: build/NAME-image."
)
@click.option(
    "--parent-image",
    "parent",
    metavar="AMI",
    help="What to build on: an official image, or one of yours; an ARN of Image Builder is taken too. "
    "Default: a stand-in for the official image.",
)
@click.option(
    "--stack-output",
    "outputs",
    metavar="NAME=VALUE",
    multiple=True,
    callback=_outputs,
    help="Fill in an id that a stack gave; may be repeated.",
)
@lock_option
@click.option("--force", is_flag=True, help="Replace a DIR that was changed; it is moved aside.")
@json_option
def command(  # noqa: PLR0913  one for each option
    spec: str,
    folder: Path | None,
    parent: str | None,
    outputs: dict[str, str],
    lock: Path | None,
    *,
    force: bool,
    as_json: bool,
) -> None:
    """Write what builds images of the nodes, so that they come up sooner: for `pcluster build-image`, or by hand.

    One image for nodes with GPUs, and one for those without; `trainyard plan` says how much time they save.

    \b
    Example:
      trainyard image cluster.yaml -o build/images
      trainyard image cluster.yaml --parent-image ami-0a1b2c3d4e5f60718
    """
    from trainyard.api.image import render_images

    rendered = render_images(spec, folder, outputs=outputs, parent=parent, lock=lock, force=force)
    if as_json:
        print_json(_values(rendered))
    else:
        _print(rendered, hint_to_lock(spec, lock))
    sys.exit(1 if rendered.written is None else 0)


def _print(rendered: RenderedImages, locking: str) -> None:
    for finding in rendered.checked.findings:
        print_text(finding_text(finding), err=True)
    if rendered.bundle is None or rendered.written is None:
        print_text(f"nothing was written: {severity_counts(rendered.checked.findings)}", err=True)
        return
    if rendered.written.backup is not None:
        print_text(f"the former folder is kept as {rendered.written.backup}", err=True)
    for name in rendered.bundle.files:
        print_text(str(rendered.written.folder / name))
    if rendered.bundle.unlocked:
        what = f"nodes install what is not locked: {', '.join(rendered.bundle.unlocked)}"
        print_text(f"{what}; run {locking}, and this command again", err=True)
    print_text("README.md in this folder says how to build the images and to use them", err=True)


def _values(rendered: RenderedImages) -> dict[str, Any]:
    bundle, written = rendered.bundle, rendered.written
    return {
        "folder": None if written is None else str(written.folder),
        "kept": None if written is None or written.backup is None else str(written.backup),
        "files": [] if bundle is None else list(bundle.files),
        "release": None if bundle is None else bundle.release_sha256,
        "locked": rendered.locked,
        "not_locked": [] if bundle is None else list(bundle.unlocked),
        "images": []
        if bundle is None
        else [
            {
                "image": image.name,
                "has": image.has,
                "architecture": image.architecture,
                "nodes": list(image.nodes),
                "steps": [step.name for step in image.steps],
            }
            for image in bundle.images
        ],
        "stand_ins": [] if bundle is None else [stand_in._asdict() for stand_in in bundle.stand_ins],
        "findings": [finding.as_json() for finding in rendered.checked.findings],
    }
