"""What the tests of the inventory look at: bundles, findings and pages, each made once."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import click
import yaml

from trainyard.api.new import new_spec
from trainyard.bundle.assemble import assemble
from trainyard.checking.spec_file import check_text
from trainyard.cli import trainyard
from trainyard.spec.cluster import Spec
from trainyard.spec.parsing import parse

ROOT = Path(__file__).parents[2]
SELF_HOSTING = ("monitoring.mode=self-hosting", "network.secondary_availability_zone=us-east-2b")


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
