"""The README beside the files that build images: what each file is, and how to build and use an image by hand."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from trainyard.bundle.asset_lock import AssetLock, LockedAsset
from trainyard.bundle.by_hand.assets import bucket_of
from trainyard.bundle.by_hand.aws_command import assignment, aws, shell_name
from trainyard.bundle.by_hand.stacks import read_outputs, written_in
from trainyard.bundle.contents import missing_from_lock
from trainyard.bundle.markdown import Pieces
from trainyard.render.assets import folder
from trainyard.render.node_image import NO_PARENT, NodeImage, image_id, script_key
from trainyard.render.stand_ins import StandIn
from trainyard.spec.cluster import Spec

_PAGE = Pieces(Path(__file__).with_suffix(".md"))


def image_readme(  # noqa: PLR0913  all that the files are made of
    spec: Spec,
    images: Sequence[NodeImage],
    stand_ins: Sequence[StandIn],
    release: str,
    lock: AssetLock,
    *,
    parent_is_known: bool,
) -> str:
    """Return the README. ``release`` is the file name of the release in the bucket, ``lock`` its lock."""
    steps = {image: ", ".join(step.name for step in image.steps) for image in images}
    sections = (
        _PAGE.lines(
            "files",
            cluster=spec.name,
            images=[f"- `{image.name}`, for {', '.join(image.nodes)}: {steps[image]}" for image in images],
        ),
        _ids(spec, stand_ins, images, parent_is_known=parent_is_known),
        _upload(spec, images, release, lock),
        _build(spec, images),
        _use(spec, images),
        _by_hand(spec, images[0]),
    )
    return "\n".join(line for section in sections for line in section)


def _ids(
    spec: Spec, stand_ins: Sequence[StandIn], images: Sequence[NodeImage], *, parent_is_known: bool
) -> Iterator[str]:
    yield from _PAGE.lines("ids")
    for stand_in in stand_ins:
        held_by = ("build-image.yaml", "install.sh") if stand_in.output == "AssetsBucket" else ("build-image.yaml",)
        files = [f"{image.name}/{file}" for image in images for file in held_by]
        commands = [*_looked_up(spec, stand_in), written_in([stand_in], files)]
        yield from _PAGE.lines("id", what=stand_in.what[0].upper() + stand_in.what[1:], commands=commands)
    if not parent_is_known:
        for architecture in dict.fromkeys(image.architecture for image in images):
            commands = list(_parent(spec, images, architecture))
            yield from _PAGE.lines("official-image", architecture=architecture, commands=commands)


def _looked_up(spec: Spec, stand_in: StandIn) -> Iterator[str]:
    if stand_in.output == "AssetsBucket":
        yield assignment(
            "ACCOUNT", aws(spec.region, "sts get-caller-identity", "--query", "Account", "--output", "text")
        )
        yield f'{shell_name("AssetsBucket")}="trainyard-$ACCOUNT-{spec.region}"'
        return
    owner = spec.name if stand_in.stack == "assets" else spec.environment or spec.name
    yield from read_outputs(spec, f"{owner}-{stand_in.stack}", [stand_in.output])


def _parent(spec: Spec, images: Sequence[NodeImage], architecture: str) -> Iterator[str]:
    files = [f"{image.name}/build-image.yaml" for image in images if image.architecture == architecture]
    official = (
        f"{_pcluster(spec)} list-official-images --region {spec.region} --os {spec.image.os} "
        f"--architecture {architecture} --query 'images[0].amiId' | tr -d '\"'"
    )
    yield assignment(shell_name("ParentImage"), official)
    yield written_in([StandIn(NO_PARENT, "ParentImage", "", "")], files)


def _upload(spec: Spec, images: Sequence[NodeImage], release: str, lock: AssetLock) -> Iterator[str]:
    puts = [_put(spec, f"releases/{release}", "release.tar")]
    puts += [_put(spec, script_key(image), f"{image.name}/install.sh") for image in images]
    yield from _PAGE.lines("upload", puts=puts)
    if lock.assets:
        commands = [line for asset in lock.assets for line in _fetched(spec, asset)]
        yield from _PAGE.lines("upload-assets", commands=commands)
    if missing := missing_from_lock(spec, lock):
        yield from _PAGE.lines("not-locked", assets=[f"- {asset}" for asset in missing])


def _put(spec: Spec, key: str, file: str) -> str:
    key = f"{folder(spec)}/{key}"
    return aws(spec.region, "s3api put-object", "--bucket", bucket_of(spec), "--key", key, "--body", file)


def _fetched(spec: Spec, asset: LockedAsset) -> Iterator[str]:
    file = shlex.quote(asset.file)
    yield f"curl --fail --location --output {file} {shlex.quote(asset.url)}"
    check = f"echo {shlex.quote(f'{asset.sha256}  {asset.file}')} | sha256sum --check"
    yield f"{check} && {_put(spec, f'assets/{asset.sha256}/{asset.file}', asset.file)}"


def _build(spec: Spec, images: Sequence[NodeImage]) -> Iterator[str]:
    yield from _PAGE.lines("build", version=spec.parallelcluster.version)
    for image in images:
        yield from _PAGE.lines(
            "build-image",
            image=image.name,
            image_id=image_id(spec, image),
            pcluster=_pcluster(spec),
            region=f"--region {spec.region}",
        )


def _use(spec: Spec, images: Sequence[NodeImage]) -> Iterator[str]:
    queries = [
        f"{_pcluster(spec)} describe-image --region {spec.region} --image-id {image_id(spec, image)} "
        "--query ec2AmiInfo.amiId"
        for image in images
    ]
    return _PAGE.lines("use", queries=queries, version=spec.parallelcluster.version)


def _by_hand(spec: Spec, image: NodeImage) -> Iterator[str]:
    instance = ("--instance-ids", "$INSTANCE")
    name = f"{spec.name}-{image.name}"
    commands = [
        aws(spec.region, "ec2 stop-instances", *instance),
        aws(spec.region, "ec2 wait instance-stopped", *instance),
        aws(spec.region, "ec2 create-image", "--instance-id", "$INSTANCE", "--name", name),
    ]
    return _PAGE.lines("by-hand", commands=commands)


def _pcluster(spec: Spec) -> str:
    return f"~/pcluster-{spec.parallelcluster.version}/bin/pcluster"
