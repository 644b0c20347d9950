"""The README of a bundle for AWS Batch: how to make, use and remove a cluster that is one more stack."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.bundle.by_hand.assets import bucket
from trainyard.bundle.by_hand.aws_command import aws, shell_name
from trainyard.bundle.by_hand.reservations import ungrouped
from trainyard.bundle.by_hand.stacks import made, made_from_s3, read_outputs, removed
from trainyard.bundle.markdown import block
from trainyard.platforms.batch.rendering.collection import NEEDED_ACTIONS
from trainyard.platforms.batch.rendering.container_images import platform_for, pushed_images
from trainyard.platforms.batch.rendering.names import job_definition, job_queue
from trainyard.platforms.batch.rendering.template import fits_inline
from trainyard.render.bench.gpu_nodes import gpu_nodes
from trainyard.render.rendering import Rendering
from trainyard.spec.cluster import Spec


def deploy(spec: Spec, rendering: Rendering) -> Iterator[str]:
    """Yield the lines of step 2."""
    stack = next(one for one in rendering.stacks if one.kind == "batch")
    yield "## 2. Deploy"
    yield ""
    if fits_inline(stack.template):
        yield from block("The cluster is a stack. About three minutes:", [*made(spec, stack)])
    else:
        text = "The cluster is a stack. Its template is too long for a request, so it goes to a bucket first:"
        yield from block(text, [*bucket(spec), *made_from_s3(spec, stack)])
    if pushed_images(spec):
        yield from _images(spec, stack.name)


def _images(spec: Spec, stack_name: str) -> Iterator[str]:
    url, platform = f"${shell_name('ECRRepositoryUrl')}", platform_for(next(iter(spec.node_groups())).instance_type)
    login = aws(spec.region, "ecr get-login-password") + f' | docker login --username AWS --password-stdin "{url}"'
    pushed = [
        command
        for image in pushed_images(spec)
        for command in (
            f'docker build --platform {platform} --tag "{url}:{image.tag}" images/{image.name}/',
            f'docker push "{url}:{image.tag}"',
        )
    ]
    yield from block(
        "The images of job definitions that the spec names none for. A tag stays what it is: to change an image, push "
        "another tag and name it in the spec.",
        [*read_outputs(spec, stack_name, ["ECRRepositoryUrl"]), login, *pushed],
    )
    yield from block(
        "Or, the same:",
        [f"trainyard batch image {spec.name} {one.name} --region {spec.region}" for one in pushed_images(spec)],
    )


def use(spec: Spec) -> Iterator[str]:
    """Yield the lines of step 3."""
    queue = spec.queues[0].name
    yield "## 3. Use"
    yield ""
    name = f"{spec.name}-smoke-test"
    submitted = aws(
        spec.region, "batch submit-job", "--job-name", name, "--job-queue", job_queue(spec, queue),
        "--job-definition", job_definition(spec, queue, "stress"), "--node-overrides", "numNodes=2",
    )  # fmt: skip
    yield from block("Whether nodes come up and containers start, on as many nodes as numNodes says:", [submitted])
    followed = f"trainyard batch submit {spec.name} --region {spec.region} --nodes 2"
    yield from block("Or with the log of the main node, and the exit status of the job:", [followed])
    if gpu_nodes(spec):
        one = aws(spec.region, "batch submit-job", "--cli-input-json", "file://bench/JOB.json")
        yield from block("What the network reaches; JOB is any of the files:", [one])
        judged = f"trainyard bench submit {spec.name} --region {spec.region}"
        yield from block("Or all of them one after the other, fetched and judged:", [judged])
    listed = aws(spec.region, "batch list-jobs", "--job-queue", job_queue(spec, queue), "--job-status", "RUNNABLE")
    yield from block(
        "A job that stays RUNNABLE waits for instances: for capacity, for vCPUs that the queue may not have, or for "
        "nodes that did not come up, which their console output explains. The second command looks for the reason.",
        [listed, f"trainyard diagnose {spec.name} --region {spec.region}"],
    )
    if spec.monitoring.mode != "none":
        actions = " and ".join(f"`{action}`" for action in NEEDED_ACTIONS)
        yield "`monitoring/agent.yml` is for a Prometheus agent that you run in the security group of the nodes."
        yield f"Its role needs {actions}, and the policy `AMPRemoteWritePolicyArn` of the monitoring stack."
        yield "The exporters have to be in your image."
        yield ""


def _registry_deleted(spec: Spec) -> str:
    name = f"${shell_name('ECRRepository')}"
    return aws(spec.region, "ecr delete-repository", "--repository-name", name, "--force")


def remove(spec: Spec, rendering: Rendering, stay: str) -> Iterator[str]:
    """Yield the lines of step 4. ``stay`` says what outlives its stack."""
    yield "## 4. Remove"
    yield ""
    stack = [one for one in rendering.stacks if one.kind == "batch"]
    others = [one for one in rendering.stacks if one.kind != "batch"]
    yield from block(
        "Jobs that run are ended. What was made in step 1 stays, and so does the registry until you delete it with its "
        "images.",
        [*read_outputs(spec, stack[0].name, ["ECRRepository"]), *removed(spec, stack), _registry_deleted(spec)],
    )
    if groups := list(ungrouped(spec)):
        yield from block("The groups of reservations; the reservations themselves stay:", groups)
    if others:
        text = f"Once the cluster is gone and nothing else needs them, the stacks, the last one first. {stay}"
        yield from block(text, list(removed(spec, others)))
