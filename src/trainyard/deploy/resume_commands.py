"""Commands that come next after a deployment, printed for somebody to type."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from shlex import join

from trainyard.bundle.image import assemble_images
from trainyard.deploy.record import Stage
from trainyard.deploy.shell_words import file_argument, spec_argument
from trainyard.deploy.work import Options, Work
from trainyard.errors import TrainyardError
from trainyard.platform_table import platform_of

_LOOK = ["status"]


def commands_after(
    work: Work, stage: Stage | None, file: str, lock: Path | None = None, *, profile: str | None = None
) -> tuple[str, ...]:
    """Return the commands in their order: those that go on where no cluster is there yet, else those that look at it.

    Of a stop before the cluster the first writes what builds the images, where there is anything to bake. Where the
    deployment failed, ``stage`` is None.
    """
    account = [] if profile is None else ["--profile", profile]
    if stage != "prepared":
        uses = _uses(work) if stage == "deployed" else []
        return tuple(join(["trainyard", verb, spec_argument(file), *account, *more]) for verb, *more in [*uses, _LOOK])
    files = [spec_argument(file), *([] if lock is None else ["--lock", file_argument(str(lock))])]
    deploy = join(["trainyard", "deploy", *files, *account, *_flags(work.options)])
    return (*_image(work, files), deploy)


def _uses(work: Work) -> list[list[str]]:
    """Return what a cluster is used by first: verb and options."""
    platform = platform_of(work.required_spec())
    if platform.has_kubernetes:
        return [["connect", "--kubeconfig"]]
    return [["connect"]] if platform.has_head_node else []


def _flags(options: Options) -> Iterator[str]:
    """Yield the options that concern the cluster itself. Its key pair has been made by now."""
    if options.rollback_on_failure:
        yield "--rollback-on-failure"
    if options.recreate:
        yield "--recreate"
    if options.overwrite_dashboards:
        yield "--overwrite-dashboards"
    if options.overwrite_changes:
        yield "--overwrite-changes"


def _image(work: Work, files: list[str]) -> Iterator[str]:
    try:
        used = assemble_images(work.required_spec(), work.outputs, work.assets_lock).outputs
    except TrainyardError:
        return  # the nodes install nothing, or nobody knows where their image could be built
    named_outputs = [f"{name}={work.outputs[name]}" for name in sorted(used & work.outputs.keys())]
    outputs = [part for output in named_outputs for part in ("--stack-output", output)]
    yield join(["trainyard", "image", *files, *outputs])
