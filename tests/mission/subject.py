"""What the tests of the inventory look at: bundles, findings and pages, each made once."""

from __future__ import annotations

import io
import re
import tarfile
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import botocore.session
import click
import yaml
from botocore import xform_name

from trainyard.api.new import new_spec
from trainyard.bundle.assemble import assemble
from trainyard.checking.spec_file import check_text
from trainyard.cli import trainyard
from trainyard.spec.cluster import Spec
from trainyard.spec.parsing import parse

ROOT = Path(__file__).parents[2]
SELF_HOSTING = ("monitoring.mode=self-hosting", "network.secondary_availability_zone=us-east-2b")

# What the AWS CLI has beyond the operations and parameters of AWS.
OF_THE_CLI = {"wait", "update-kubeconfig", "get-login-password", "tail"}
OPTIONS_OF_THE_CLI = {
    "notification-endpoint",
    "region",
    "query",
    "output",
    "profile",
    "cli-input-json",
    "no-cli-pager",
    "max-items",
}


def spec(architecture: str, *settings: str) -> Spec:
    """Return the spec of an architecture with settings."""
    return parse(new_spec(architecture, settings), architecture).spec


@cache
def files(architecture: str, *settings: str) -> Mapping[str, str]:
    """Return the bundle of a spec, its files as text by their names."""
    bundle = assemble(spec(architecture, *settings)).files
    return {name: content.decode("utf-8", "replace") for name, content in bundle.items()}


@cache
def released(architecture: str, *settings: str) -> Mapping[str, str]:
    """Return what nodes of a spec fetch, as text by name."""
    content = assemble(spec(architecture, *settings)).files["assets/release.tar"]
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        members = {member.name: archive.extractfile(member) for member in archive if member.isfile()}
        return {name: file.read().decode("utf-8", "replace") for name, file in members.items() if file}


def document(architecture: str, name: str, *settings: str) -> Any:
    """Return a YAML file of a bundle."""
    return yaml.safe_load(files(architecture, *settings)[name])


def cluster(architecture: str, *settings: str) -> Any:
    """Return the cluster.yaml of a bundle."""
    return document(architecture, "cluster.yaml", *settings)


def queue(architecture: str, *settings: str) -> Any:
    """Return the first queue of ParallelCluster."""
    return cluster(architecture, *settings)["Scheduling"]["SlurmQueues"][0]


def resources(template: Any, kind: str) -> dict[str, Any]:
    """Return the resources of a kind in a template of CloudFormation."""
    return {name: entry for name, entry in template["Resources"].items() if entry["Type"] == kind}


def findings(architecture: str, *settings: str) -> dict[str, str]:
    """Return severity by id of what is wrong with a spec, stand-ins left out."""
    checked = check_text(new_spec(architecture, settings), "cluster.yaml").findings
    return {finding.id: finding.severity for finding in checked if finding.id != "stand-in-left"}


def page(name: str) -> str:
    """Return a page of docs/, or the README."""
    return (ROOT / name if name == "README.md" else ROOT / "docs" / name).read_text(encoding="utf-8")


def options(*command: str) -> set[str]:
    """Return the options of a command."""
    found: click.Command = trainyard
    context = click.Context(trainyard, info_name="trainyard", **trainyard.context_settings)
    for word in command:
        assert isinstance(found, click.Group)
        inner = found.get_command(context, word)
        assert inner is not None, command
        found = inner
    return {option for parameter in found.params for option in parameter.opts}


def unknown_aws_options(text: str) -> list[str]:
    """Return what AWS's own models do not know of the commands of the AWS CLI in a text."""
    return list(_unknown_aws_options(re.sub(r"\\\n\s*", "", text)))


def _unknown_aws_options(text: str) -> Iterator[str]:
    session = botocore.session.get_session()
    # These belong to the program itself, and have no model.
    for service, operation, rest in re.findall(
        r"\baws (?!s3 |configure|sso )([a-z][a-z0-9-]+) ([a-z][a-z0-9-]+)([^\n`]*)", text
    ):
        model = session.get_service_model("s3" if service == "s3api" else service)
        operations = {xform_name(name, "-"): name for name in model.operation_names}
        if operation not in operations:
            if operation not in OF_THE_CLI:
                yield f"{service} {operation}"
            continue
        shape = model.operation_model(operations[operation]).input_shape
        known = {xform_name(name, "-") for name in shape.members} if shape else set()
        options = re.findall(r" --([a-z][a-z-]+)", re.split(r"[|>;]|&&", rest)[0])
        yield from (
            f"{service} {operation} --{option}"
            for option in options
            if option.removeprefix("no-") not in known and option not in OPTIONS_OF_THE_CLI
        )


def unknown_options(text: str) -> list[str]:
    """Return the commands of trainyard in blocks of a page that it does not have, and their options."""
    lines = [
        line
        for block in re.findall(r"^```\w+\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
        for line in block.splitlines()
    ]
    return [
        unknown
        for line in lines
        if (match := re.match(r"(?:\$ )?trainyard ([^|>#]*)", line))
        for unknown in _unknown(match[1])
    ]


def _unknown(arguments: str) -> Iterator[str]:
    words = arguments.split()
    command: click.Command = trainyard
    path: list[str] = []
    while isinstance(command, click.Group) and words:
        inner = command.get_command(click.Context(command), words[0])
        if inner is None:
            yield arguments
            return
        path.append(words.pop(0))
        command = inner
    known = options(*path)
    yield from (
        f"{arguments}: {word}" for word in words if word.startswith("--") and word.partition("=")[0] not in known
    )
