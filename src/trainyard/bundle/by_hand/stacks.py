"""Making a stack, reading its outputs, and writing them into the files of the bundle that wait for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainyard.bundle.by_hand.aws_command import assignment, aws, shell_name
from trainyard.catalog.partition import partition_of
from trainyard.render.assets import folder
from trainyard.render.cloudformation.stack import Stack
from trainyard.render.stand_ins import StandIn
from trainyard.spec.cluster import Spec


def create_commands(spec: Spec, stack: Stack) -> Iterator[str]:
    """Yield how to make a stack, and to wait until it is there."""
    yield from _create_stack(spec, stack, "--template-body", f"file://{stack.template_file}")


def create_from_s3_commands(spec: Spec, stack: Stack) -> Iterator[str]:
    """Yield the same for a template that is too long for a request: it goes to the bucket of all clusters before."""
    bucket, key = f"${shell_name('AssetsBucket')}", f"{folder(spec)}/{stack.template_file}"
    yield aws(spec.region, "s3api put-object", "--bucket", bucket, "--key", key, "--body", stack.template_file)
    # https://docs.aws.amazon.com/general/latest/gr/s3.html
    suffix = "com.cn" if partition_of(spec.region) == "aws-cn" else "com"
    yield from _create_stack(
        spec, stack, "--template-url", f"https://s3.{spec.region}.amazonaws.{suffix}/{bucket}/{key}"
    )


def _create_stack(spec: Spec, stack: Stack, *template: str) -> Iterator[str]:
    tags = [f"Key={key},Value={value}" for key, value in stack.tags.items()]
    yield aws(
        spec.region, "cloudformation create-stack", "--stack-name", stack.name,
        *template, "--parameters", f"file://{stack.parameters_file}",
        *(("--capabilities", *stack.capabilities) if stack.capabilities else ()), "--tags", *tags,
    )  # fmt: skip
    yield aws(spec.region, "cloudformation wait stack-create-complete", "--stack-name", stack.name)


def read_outputs(spec: Spec, stack_name: str, outputs: Sequence[str]) -> Iterator[str]:
    """Yield how to leave each output of a stack in the variable ``shell_name(output)``."""
    for output in outputs:
        yield assignment(shell_name(output), _shown(spec, stack_name, output))


def monitoring_commands(spec: Spec, stack: Stack) -> Iterator[str]:
    """Yield how to see whether monitoring is up, and how people reach it."""
    mode = spec.monitoring.mode
    if mode != "self-hosting":
        yield from read_outputs(spec, stack.name, ["AMPWorkspaceId", "AMPPrometheusEndpoint"])
        yield aws(
            spec.region, "amp describe-workspace", "--workspace-id", f"${shell_name('AMPWorkspaceId')}",
            "--query", "workspace.status.statusCode", "--output", "text",
        ) + "   # ACTIVE; a browser finds nothing at $AMP_PROMETHEUS_ENDPOINT, which takes signed calls"  # fmt: skip
    if mode != "amp-only":
        yield _shown(spec, stack.name, "GrafanaAccessInstructions")
    if mode == "amp+amg":
        # https://docs.aws.amazon.com/grafana/latest/userguide/AMP-adding-AWS-config.html
        yield "# There, as an administrator: add data source Prometheus with $AMP_PROMETHEUS_ENDPOINT and SigV4"
        yield f"# auth by the workspace's role for {spec.region}; then import each file of monitoring/grafana/"
    if mode == "amp-only":
        yield "# For a Grafana of your own: add a data source with $AMP_PROMETHEUS_ENDPOINT and SigV4 auth, then import"
        yield "# each file of monitoring/grafana/"
    if mode == "self-hosting":
        yield from read_outputs(spec, stack.name, ["MonitoringInstanceId"])
        yield "# http://localhost:3000 for as long as this runs, once the release is uploaded and the instance runs it:"
        yield "# " + aws(
            spec.region, "ssm start-session", "--target", f"${shell_name('MonitoringInstanceId')}",
            "--document-name", "AWS-StartPortForwardingSession",
            "--parameters", "portNumber=3000,localPortNumber=3000",
        )  # fmt: skip


def written_in(stand_ins: Sequence[StandIn], files: Sequence[str]) -> str:
    """Return how to put values in the place of stand-ins, in every file that holds one of them."""
    replaced = [f"-e 's#{stand_in.value}#'\"${shell_name(stand_in.output)}\"'#g'" for stand_in in stand_ins]
    copies = " ".join(f"{file}.bak" for file in files)
    return " \\\n  ".join(["sed -i.bak", *replaced, f"{' '.join(files)} && rm {copies}"])


def delete_stack_commands(spec: Spec, stacks: Sequence[Stack]) -> Iterator[str]:
    """Yield how to delete the stacks, the last one first."""
    for stack in reversed(stacks):
        yield aws(spec.region, "cloudformation delete-stack", "--stack-name", stack.name)
        yield aws(spec.region, "cloudformation wait stack-delete-complete", "--stack-name", stack.name)


def _shown(spec: Spec, stack_name: str, output: str) -> str:
    query = f"Stacks[0].Outputs[?OutputKey==`{output}`].OutputValue"
    return aws(
        spec.region, "cloudformation describe-stacks", "--stack-name", stack_name, "--query", query, "--output", "text"
    )
