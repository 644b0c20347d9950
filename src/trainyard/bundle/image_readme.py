"""The README beside the files that build images: what each file is, and how to build and use an image by hand."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from trainyard.bundle.asset_lock import AssetLock, LockedAsset
from trainyard.bundle.by_hand.assets import bucket_of
from trainyard.bundle.by_hand.aws_command import assigned, aws, shell_name
from trainyard.bundle.by_hand.stacks import read_outputs, written_in
from trainyard.bundle.contents import unlocked
from trainyard.bundle.markdown import block
from trainyard.platforms.parallelcluster.rendering.image import NO_PARENT, NodeImage, image_id, script_key
from trainyard.render.assets import folder
from trainyard.render.stand_ins import StandIn
from trainyard.spec.cluster import Spec


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
    sections = (
        _files(spec, images),
        _ids(spec, stand_ins, images, parent_is_known=parent_is_known),
        _upload(spec, images, release, lock),
        _build(spec, images),
        _use(spec, images),
        _by_hand(spec, images),
    )
    return "\n".join(line for section in sections for line in section)


def _files(spec: Spec, images: Sequence[NodeImage]) -> Iterator[str]:
    yield f"# Images of {spec.name}"
    yield ""
    yield "Nodes that boot such an image find in place what they would install otherwise."
    yield "What depends on the single node, such as the checks of its devices, happens at boot all the same."
    yield ""
    for image in images:
        steps = ", ".join(step.name for step in image.steps)
        yield f"- `{image.name}`, for {', '.join(image.nodes)}: {steps}"
    yield ""
    yield "| File | What it is |"
    yield "|---|---|"
    yield "| `IMAGE/build-image.yaml` | configuration for `pcluster build-image` |"
    yield "| `IMAGE/install.sh` | what is run on the machine that becomes the image, with what to bake at its end |"
    yield "| `release.tar` | the release of the cluster: its steps |"
    yield ""


def _ids(
    spec: Spec, stand_ins: Sequence[StandIn], images: Sequence[NodeImage], *, parent_is_known: bool
) -> Iterator[str]:
    yield "## 1. Fill in what the files lack"
    yield ""
    yield "The network, the bucket and the policy of the nodes have to be there."
    yield "`trainyard deploy --before-cluster` makes them and uploads release and assets; then it says the ids."
    yield "By hand, that is step 1 in the README of `trainyard render`."
    yield ""
    for one in stand_ins:
        held_by = ("build-image.yaml", "install.sh") if one.output == "AssetsBucket" else ("build-image.yaml",)
        files = [f"{image.name}/{file}" for image in images for file in held_by]
        yield from block(f"{one.what[0].upper()}{one.what[1:]}:", [*_looked_up(spec, one), written_in([one], files)])
    if not parent_is_known:
        for architecture in dict.fromkeys(image.architecture for image in images):
            yield from block(f"The official image, for {architecture}:", list(_parent(spec, images, architecture)))


def _looked_up(spec: Spec, one: StandIn) -> Iterator[str]:
    if one.output == "AssetsBucket":
        yield assigned("ACCOUNT", aws(spec.region, "sts get-caller-identity", "--query", "Account", "--output", "text"))
        yield f'{shell_name("AssetsBucket")}="trainyard-$ACCOUNT-{spec.region}"'
        return
    owner = spec.name if one.stack == "assets" else spec.environment or spec.name
    yield from read_outputs(spec, f"{owner}-{one.stack}", [one.output])


def _parent(spec: Spec, images: Sequence[NodeImage], architecture: str) -> Iterator[str]:
    files = [f"{image.name}/build-image.yaml" for image in images if image.architecture == architecture]
    official = (
        f"{_pcluster(spec)} list-official-images --region {spec.region} --os {spec.image.os} "
        f"--architecture {architecture} --query 'images[0].amiId' | tr -d '\"'"
    )
    yield assigned(shell_name("ParentImage"), official)
    yield written_in([StandIn(NO_PARENT, "ParentImage", "", "")], files)


def _upload(spec: Spec, images: Sequence[NodeImage], release: str, lock: AssetLock) -> Iterator[str]:
    yield "## 2. Upload"
    yield ""
    puts = [_put(spec, f"releases/{release}", "release.tar")]
    puts += [_put(spec, script_key(image), f"{image.name}/install.sh") for image in images]
    yield from block("What the build fetches:", puts)
    if lock.assets:
        lines = [line for one in lock.assets for line in _fetched(spec, one)]
        yield from block("What the steps install, unless `trainyard deploy` has mirrored it already:", lines)
    if missing := unlocked(spec, lock):
        yield "The lock of the assets does not hold all that the nodes install, and a step without its asset fails:"
        yield ""
        yield from (f"- {one}" for one in missing)
        yield ""
        yield "Run `trainyard assets lock` and `trainyard image` again."
        yield ""


def _put(spec: Spec, key: str, file: str) -> str:
    key = f"{folder(spec)}/{key}"
    return aws(spec.region, "s3api put-object", "--bucket", bucket_of(spec), "--key", key, "--body", file)


def _fetched(spec: Spec, one: LockedAsset) -> Iterator[str]:
    file = shlex.quote(one.file)
    yield f"curl --fail --location --output {file} {shlex.quote(one.url)}"
    check = f"echo {shlex.quote(f'{one.sha256}  {one.file}')} | sha256sum --check"
    yield f"{check} && {_put(spec, f'assets/{one.sha256}/{one.file}', one.file)}"


def _build(spec: Spec, images: Sequence[NodeImage]) -> Iterator[str]:
    pcluster, place = _pcluster(spec), f"--region {spec.region}"
    yield "## 3. Build"
    yield ""
    version = spec.parallelcluster.version
    yield f"With ParallelCluster {version}: an image is good for the version that built it, and for no other."
    yield ""
    for image in images:
        name = image_id(spec, image)
        yield from block(
            f"`{image.name}`, on an instance that costs money while it builds:",
            [f"{pcluster} build-image {place} --image-id {name} --image-configuration {image.name}/build-image.yaml"],
        )
        yield from block(
            "Until it says `BUILD_COMPLETE`. After `BUILD_FAILED`, `get-image-log-events` of these streams says why:",
            [
                f"{pcluster} describe-image {place} --image-id {name} --query imageBuildStatus",
                f"{pcluster} list-image-log-streams {place} --image-id {name}",
            ],
        )


def _use(spec: Spec, images: Sequence[NodeImage]) -> Iterator[str]:
    yield "## 4. Use"
    yield ""
    queries = [
        f"{_pcluster(spec)} describe-image --region {spec.region} --image-id {image_id(spec, image)} "
        "--query ec2AmiInfo.amiId"
        for image in images
    ]
    yield from block("The ids of the images:", queries)
    yield "They go into the spec: `image.ami` for the head node and the login nodes, `ami` for a queue."
    yield f"Beside them, `image.built_for: {spec.parallelcluster.version}` lets a check compare the versions."
    yield "On a node, `/opt/trainyard/image-inventory.json` says what its image holds."
    yield ""


def _by_hand(spec: Spec, images: Sequence[NodeImage]) -> Iterator[str]:
    name = images[0].name
    yield "## Without Image Builder"
    yield ""
    yield "Start an instance from the official image, of the type in `build-image.yaml`."
    yield "It has to be allowed to read the cluster's folder in the bucket."
    yield ""
    yield from block(
        "On it, as root, with `install.sh` and `release.tar` copied there:", ["sudo bash install.sh release.tar"]
    )
    yield from block(
        "Then, from here, with the id of the instance in INSTANCE:",
        [
            aws(spec.region, "ec2 stop-instances", "--instance-ids", "$INSTANCE"),
            aws(spec.region, "ec2 wait instance-stopped", "--instance-ids", "$INSTANCE"),
            aws(spec.region, "ec2 create-image", "--instance-id", "$INSTANCE", "--name", f"{spec.name}-{name}"),
        ],
    )


def _pcluster(spec: Spec) -> str:
    return f"~/pcluster-{spec.parallelcluster.version}/bin/pcluster"
