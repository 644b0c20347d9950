"""Commands that go on after a stop, printed for somebody to type."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from shlex import join

from trainyard.bundle.image import assemble_images
from trainyard.deploy.record import Stage
from trainyard.deploy.shell_words import file_argument, spec_argument
from trainyard.deploy.work import Options, Work
from trainyard.errors import TrainyardError


def commands_after(
    work: Work, stage: Stage | None, file: str, lock: Path | None = None, *, profile: str | None = None
) -> tuple[str, ...]:
    """Return the commands in their order, where no cluster is there yet.

    The first writes what builds the images, where there is anything to bake.
    """
    if stage != "prepared":
        return ()
    files = [spec_argument(file), *([] if lock is None else ["--lock", file_argument(str(lock))])]
    account = [] if profile is None else ["--profile", profile]
    deploy = join(["trainyard", "deploy", *files, *account, *_flags(work.options)])
    return (*_image(work, files), deploy)


def _flags(options: Options) -> Iterator[str]:
    """Yield the options that concern the cluster itself. Its key pair has been made by now."""
    if options.rollback_on_failure:
        yield "--rollback-on-failure"
    if options.recreate:
        yield "--recreate"
    if options.overwrite_dashboards:
        yield "--overwrite-dashboards"


def _image(work: Work, files: list[str]) -> Iterator[str]:
    try:
        used = assemble_images(work.required_spec(), work.outputs, work.assets_lock).outputs
    except TrainyardError:
        return  # the nodes install nothing, or nobody knows where their image could be built
    named_outputs = [f"{name}={work.outputs[name]}" for name in sorted(used & work.outputs.keys())]
    outputs = [part for output in named_outputs for part in ("--stack-output", output)]
    yield join(["trainyard", "image", *files, *outputs])
