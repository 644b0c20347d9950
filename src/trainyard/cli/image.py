"""``trainyard image``."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trainyard.cli import suggestions
from trainyard.cli.output import counted, finding_text, json_option, one_line, print_json, print_text

if TYPE_CHECKING:
    from trainyard.api.image import RenderedImages


def _parent(_context: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    if value is not None and not value.startswith(("ami-", "arn:")):  # as the schema of pcluster has it
        raise click.BadParameter(f"{value!r} is neither the id of an image, ami-…, nor an ARN of Image Builder, arn:…")
    return value


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
    callback=_parent,
    help="What to build on: an official image, or one of yours. Default: a stand-in for the official one.",
)
@click.option(
    "--stack-output",
    "outputs",
    metavar="NAME=VALUE",
    multiple=True,
    callback=_outputs,
    help="Fill in an id that a stack gave; may be repeated.",
)
@click.option("--force", is_flag=True, help="Replace a DIR that was changed; it is moved aside.")
@json_option
def command(  # noqa: PLR0913  one for each option
    spec: str, folder: Path | None, parent: str | None, outputs: dict[str, str], *, force: bool, as_json: bool
) -> None:
    """Write what builds images of the nodes, so that they come up sooner: for `pcluster build-image`, or by hand.

    One image for nodes with GPUs, and one for those without; `trainyard plan` says how much time they save.

    \b
    Example:
      trainyard image cluster.yaml -o build/images
      trainyard image cluster.yaml --parent-image ami-0a1b2c3d4e5f60718
    """
    from trainyard.api.image import render_images

    rendered = render_images(spec, folder, outputs=outputs, parent=parent, force=force)
    if as_json:
        print_json(_values(rendered))
    else:
        _print(rendered)
    sys.exit(1 if rendered.written is None else 0)


def _print(rendered: RenderedImages) -> None:
    for finding in rendered.checked.findings:
        print_text(finding_text(finding), err=True)
    if rendered.bundle is None or rendered.written is None:
        print_text(f"nothing was written: {counted(rendered.checked.findings)}", err=True)
        return
    if rendered.written.kept is not None:
        print_text(f"the former folder is kept as {one_line(str(rendered.written.kept))}", err=True)
    for name in rendered.bundle.files:
        print_text(one_line(str(rendered.written.folder / name)))
    if not rendered.locked:
        print_text("there is no assets.lock.json beside the spec: run `trainyard assets lock` first", err=True)
    print_text("README.md in this folder says how to build the images and to use them", err=True)


def _values(rendered: RenderedImages) -> dict[str, Any]:
    bundle, written = rendered.bundle, rendered.written
    return {
        "folder": None if written is None else str(written.folder),
        "kept": None if written is None or written.kept is None else str(written.kept),
        "files": [] if bundle is None else list(bundle.files),
        "release": None if bundle is None else bundle.release_sha256,
        "locked": rendered.locked,
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
        "stand_ins": [] if bundle is None else [asdict(stand_in) for stand_in in bundle.stand_ins],
        "findings": [finding._asdict() for finding in rendered.checked.findings],
    }
