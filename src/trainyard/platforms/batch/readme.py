"""The README of a bundle for AWS Batch: how to make, use and remove a cluster that is one more stack."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from trainyard.bundle.by_hand.assets import bucket
from trainyard.bundle.by_hand.aws_command import aws, shell_name
from trainyard.bundle.by_hand.stacks import (
    create_commands,
    create_from_s3_commands,
    delete_stack_commands,
    read_outputs,
)
from trainyard.bundle.markdown import Pieces
from trainyard.bundle.readme_contents import ReadmeContents, removal_commands
from trainyard.platforms.batch.rendering.collection import NEEDED_ACTIONS
from trainyard.platforms.batch.rendering.container_images import platform_for, pushed_images
from trainyard.platforms.batch.rendering.names import job_definition, job_queue
from trainyard.render.bench.gpu_nodes import gpu_nodes
from trainyard.render.cloudformation.stack import fits_inline
from trainyard.render.rendering import Rendering
from trainyard.spec.cluster import Spec

CREATE_COMMAND = None
BENCH_FILES = ("| `bench/*.json` | NCCL bandwidth tests, as `aws batch submit-job --cli-input-json` takes them |",)
_PAGE = Pieces(Path(__file__).with_suffix(".md"))


def version_note(spec: Spec) -> str:
    """Return what runs the jobs of the cluster."""
    del spec
    return "on AWS Batch"


def steps(spec: Spec, contents: ReadmeContents) -> Iterator[str]:
    """Yield the lines of the steps from the second on."""
    yield from _deploy(spec, contents.rendering)
    yield from _use(spec)
    yield from _remove(spec, contents.rendering)


def _deploy(spec: Spec, rendering: Rendering) -> Iterator[str]:
    """Yield the lines of step 2."""
    stack = next(stack for stack in rendering.stacks if stack.kind == "batch")
    if fits_inline(stack.template):
        yield from _PAGE.lines("deploy", commands=list(create_commands(spec, stack)))
    else:
        yield from _PAGE.lines("deploy-from-s3", commands=[*bucket(spec), *create_from_s3_commands(spec, stack)])
    if images := pushed_images(spec):
        yield from _PAGE.lines(
            "images",
            commands=list(_images_pushed(spec, stack.name)),
            same=[f"trainyard batch image {spec.name} {image.name} --region {spec.region}" for image in images],
        )


def _images_pushed(spec: Spec, stack_name: str) -> Iterator[str]:
    url, platform = f"${shell_name('ECRRepositoryUrl')}", platform_for(next(iter(spec.node_groups())).instance_type)
    yield from read_outputs(spec, stack_name, ["ECRRepositoryUrl"])
    yield aws(spec.region, "ecr get-login-password") + f' | docker login --username AWS --password-stdin "{url}"'
    for image in pushed_images(spec):
        yield f'docker build --platform {platform} --tag "{url}:{image.tag}" images/{image.name}/'
        yield f'docker push "{url}:{image.tag}"'


def _use(spec: Spec) -> Iterator[str]:
    """Yield the lines of step 3."""
    queue = spec.queues[0].name
    smoke_test = aws(
        spec.region, "batch submit-job", "--job-name", f"{spec.name}-smoke-test",
        "--job-queue", job_queue(spec, queue), "--job-definition", job_definition(spec, queue, "stress"),
        "--node-overrides", "numNodes=2",
    )  # fmt: skip
    place = {"cluster": spec.name, "region": spec.region}
    yield from _PAGE.lines("use", smoke_test=smoke_test, **place)
    if gpu_nodes(spec):
        submitted = aws(spec.region, "batch submit-job", "--cli-input-json", "file://bench/JOB.json")
        yield from _PAGE.lines("bandwidth", submitted=submitted, **place)
    listed = aws(spec.region, "batch list-jobs", "--job-queue", job_queue(spec, queue), "--job-status", "RUNNABLE")
    yield from _PAGE.lines("runnable", listed=listed, **place)
    if spec.monitoring.mode != "none":
        yield from _PAGE.lines("agent", actions=" and ".join(f"`{action}`" for action in NEEDED_ACTIONS))


def _remove(spec: Spec, rendering: Rendering) -> Iterator[str]:
    """Yield the lines of step 4."""
    cluster = [stack for stack in rendering.stacks if stack.kind == "batch"]
    others = [stack for stack in rendering.stacks if stack.kind != "batch"]
    registry = f"${shell_name('ECRRepository')}"
    commands = [
        *read_outputs(spec, cluster[0].name, ["ECRRepository"]),
        *delete_stack_commands(spec, cluster),
        aws(spec.region, "ecr delete-repository", "--repository-name", registry, "--force"),
    ]
    yield from _PAGE.lines("remove", commands=commands)
    yield from removal_commands(spec, others)
