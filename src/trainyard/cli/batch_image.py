"""``trainyard batch image``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from trainyard.cli.interrupts import interruptible
from trainyard.cli.options import account_options, cluster_argument
from trainyard.cli.output import json_option, print_json, print_plain, print_text, reporter
from trainyard.foreign_text import one_line

if TYPE_CHECKING:
    from trainyard.api.batch_image import ImageBuild


@click.command()
@cluster_argument()
@click.argument("image", metavar="[IMAGE]", type=click.Choice(("stress-ng", "nccl", "pytorch")), default="stress-ng")
@account_options
@click.option("--queue", metavar="QUEUE", help="The queue whose nodes it is for. [default: the first]")
@click.option("--tag", metavar="TAG", help="The tag in the registry. [default: the one that jobs look for]")
@click.option("--engine", type=click.Choice(("docker", "podman")), help="What builds. [default: docker where it is]")
@click.option("--context", "changed", type=click.Path(path_type=Path, exists=True, file_okay=False), metavar="DIR",
              help="Build the Dockerfile of this folder instead, such as one that -o wrote.")  # fmt: skip
@click.option("--print", "only_print", is_flag=True, help="Print the Dockerfile and the commands, and run nothing.")
@click.option("-o", "--output", "folder", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
              help="Write the Dockerfile and what it copies into DIR, and run nothing.")  # fmt: skip
@click.option("--force", is_flag=True, help="With -o: replace a DIR that was changed; it is moved aside.")
@json_option
def command(  # noqa: PLR0913  one for each option
    name: str,
    image: str,
    *,
    region: str | None,
    profile: str | None,
    queue: str | None,
    tag: str | None,
    engine: str | None,
    changed: Path | None,
    only_print: bool,
    folder: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """Build an image for the jobs of the cluster NAME on AWS Batch, and push it into the cluster's registry.

    IMAGE is stress-ng, for the smoke test; nccl, for the bandwidth tests, which run AWS's own where this is not
    pushed; or pytorch, for torchrun. Your own Docker or Podman builds it, for the processors of the nodes. Tags never
    change what they name, so a further image needs another one.

    \b
    Example:
      trainyard batch image cluster.yaml
      trainyard batch image llm-p4d --region us-east-2
      trainyard batch image llm-p4d pytorch --region us-east-2 -o images/pytorch
      trainyard batch image llm-p4d pytorch --region us-east-2 --context images/pytorch --tag run-2
    """
    from trainyard.api.batch_image import image_build, push_image, write_image
    from trainyard.api.cluster_reference import cluster_reference

    _refuse_contradictions(changed=changed, only_print=only_print, folder=folder, force=force)
    name, where, *_ = cluster_reference(name, region, profile)
    build = image_build(where, name, image, tag=tag, queue=queue)
    if only_print or folder is not None:
        place = None if folder is None else write_image(build, folder, force=force)
        _show(build, engine or "docker", place, as_json=as_json)
        return
    with interruptible(f"{build.name} may be built, and is not pushed; the same command goes on"):
        pushed = push_image(build, where, engine=engine, folder=changed, tell=reporter())
    if as_json:
        print_json({**_values(build), "pushed": True, "digest": pushed.digest, "commands": [], "files": []})
        return
    print_text(f"{build.name}{'' if pushed.digest is None else f'@{pushed.digest}'}")
    if build.next_step is not None:
        print_text(build.next_step, err=True)


def _refuse_contradictions(*, changed: Path | None, only_print: bool, folder: Path | None, force: bool) -> None:
    if force and folder is None:
        raise click.UsageError("--force has no meaning without -o.")
    if only_print and folder is not None:
        raise click.UsageError("--print and -o are two ways to see the same.")
    if changed is not None and (only_print or folder is not None):
        raise click.UsageError("--context has no meaning where nothing is built.")


def _show(build: ImageBuild, engine: str, folder: Path | None, *, as_json: bool) -> None:
    """Print what would be built and run."""
    commands = build.commands(engine, "." if folder is None else str(folder))
    if as_json:
        files = list(build.files) if folder is None else [str(folder / file) for file in build.files]
        print_json({**_values(build), "pushed": False, "digest": None, "commands": list(commands), "files": files})
    elif folder is not None:
        for file in build.files:
            print_text(str(folder / file))
        for line in commands:
            print_text(line)
    else:
        _print_dockerfile(build, commands)


def _print_dockerfile(build: ImageBuild, commands: tuple[str, ...]) -> None:
    """Print a Dockerfile that says in comments what is to be done with it."""
    beside = [file for file in build.files if file != "Dockerfile"]
    if beside:
        print_plain(f"# It copies {', '.join(beside)}: -o DIR writes everything.")
    print_plain("# Save this as Dockerfile in a folder of its own, and there:")
    for line in commands:
        print_plain(one_line(f"#   {line}"))
    print_plain("#")
    print_plain(build.files["Dockerfile"].decode(), end="")


def _values(build: ImageBuild) -> dict[str, object]:
    return {
        "image": build.name,
        "repository": build.repository,
        "tag": build.tag,
        "platform": build.platform,
        "next_step": build.next_step,
    }
