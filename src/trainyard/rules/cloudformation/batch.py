"""What a template says to AWS Batch: launch templates, compute environments, containers of job definitions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from trainyard.catalog.instance_type import InstanceType
from trainyard.catalog.instances import find
from trainyard.document.node import Document
from trainyard.finding import Path
from trainyard.rules.cloudformation.template import (
    TemplateResource,
    mappings,
    members,
    references_in,
    resources,
    values,
)
from trainyard.rules.documents import mapping_at

EFA_KINDS = ("efa", "efa-only")
INFINIBAND, NEURON = "/dev/infiniband", "/dev/neuron"


class Part(NamedTuple):
    """A mapping below a resource: its place, what is written, and the resource's name."""

    path: Path
    written: Mapping[str, Any]
    resource: str


def launch_templates(document: Document) -> Iterator[Part]:
    """Yield the LaunchTemplateData of every launch template."""
    for resource in resources(document, "AWS::EC2::LaunchTemplate"):
        data, path = resource.properties.get("LaunchTemplateData"), (*resource.path, "Properties", "LaunchTemplateData")
        yield from (Part(place, written, resource.name) for place, written in mappings(document, data, path))


def compute_environments(document: Document) -> Iterator[Part]:
    """Yield the ComputeResources of every compute environment."""
    for resource in resources(document, "AWS::Batch::ComputeEnvironment"):
        compute, path = resource.properties.get("ComputeResources"), (*resource.path, "Properties", "ComputeResources")
        yield from (Part(place, written, resource.name) for place, written in mappings(document, compute, path))


def multi_node_containers(document: Document) -> Iterator[Part]:
    """Yield the containers of multi-node job definitions, one for each range of nodes."""
    for resource in resources(document, "AWS::Batch::JobDefinition"):
        written_nodes, path = (
            resource.properties.get("NodeProperties"),
            (*resource.path, "Properties", "NodeProperties"),
        )
        for place, nodes in mappings(document, written_nodes, path):
            ranges = members(document, nodes.get("NodeRangeProperties"), (*place, "NodeRangeProperties"))
            for at, node_range in ranges:
                container = node_range.get("Container") if isinstance(node_range, dict) else None
                containers = mappings(document, container, (*at, "Container"))
                yield from (Part(within, written, resource.name) for within, written in containers)


def job_containers(document: Document) -> Iterator[Part]:
    """Yield the containers of all job definitions, of one node or of several."""
    yield from multi_node_containers(document)
    for resource in resources(document, "AWS::Batch::JobDefinition"):
        written, path = (
            resource.properties.get("ContainerProperties"),
            (*resource.path, "Properties", "ContainerProperties"),
        )
        yield from (Part(place, container, resource.name) for place, container in mappings(document, written, path))


def containers_for_efa(document: Document) -> Iterator[Part]:
    """Yield those containers that are to use EFA: with accelerators or a device of EFA, or all where none has one.

    A job beside others that only keeps processors busy needs none. Without EFA in a launch template there are none.
    """
    if not has_efa(document):
        return
    containers = tuple(multi_node_containers(document))
    seeing = [container for container in containers if sees(document, container, INFINIBAND)]
    for container in containers:
        if not seeing or container in seeing or _has_accelerators(document, container):
            yield container


def sees(document: Document, container: Part, device: str) -> bool:
    """Return whether a container gets a device whose path begins so. What a function makes counts as seen."""
    linux, path = container.written.get("LinuxParameters"), (*container.path, "LinuxParameters")
    for place, parameters in mappings(document, linux, path):
        devices = parameters.get("Devices")
        if devices is not None and not isinstance(devices, tuple):
            return True
        mapped = members(document, devices, (*place, "Devices"))
        if any(isinstance(mapping, dict) and str(mapping.get("HostPath")).startswith(device) for _, mapping in mapped):
            return True
    return False


def _has_accelerators(document: Document, container: Part) -> bool:
    written, path = container.written.get("ResourceRequirements"), (*container.path, "ResourceRequirements")
    requirements = members(document, written, path)
    has_gpu = any(isinstance(requirement, dict) and requirement.get("Type") == "GPU" for _, requirement in requirements)
    return has_gpu or sees(document, container, NEURON)


def interfaces(document: Document, template: Part) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """Yield the network interfaces of a launch template, in every branch."""
    path = (*template.path, "NetworkInterfaces")
    for place, interface in members(document, template.written.get("NetworkInterfaces"), path):
        if isinstance(interface, dict):
            yield place, interface


class InterfaceList(NamedTuple):
    """A list of interfaces, and the instance type that it is for, where the template says so."""

    template: str
    path: Path
    interfaces: tuple[Mapping[str, Any], ...]
    instance_type: InstanceType | None


def interface_lists(document: Document) -> Iterator[InterfaceList]:
    """Yield the lists of interfaces. One in a branch of Fn::If is for the type that its condition compares with."""
    used_with = _types_of_environments(document)
    for template in launch_templates(document):
        types = {**_own_types(document, template), **used_with.get(template.resource, {})}
        only = next(iter(types.values())) if len(types) == 1 else None
        value, path = template.written.get("NetworkInterfaces"), (*template.path, "NetworkInterfaces")
        for place, listed, facts in _lists(document, value, path, only):
            yield InterfaceList(template.resource, place, listed, facts)


def _own_types(document: Document, template: Part) -> dict[str, InstanceType]:
    own = values(document, template.written.get("InstanceType"), (*template.path, "InstanceType"))
    return {name: facts for _, name in own if isinstance(name, str) and (facts := find(name)) is not None}


def _types_of_environments(document: Document) -> dict[str, dict[str, InstanceType]]:
    """Return the known types of compute environments and node groups by the launch templates that they use."""
    by_template: dict[str, dict[str, InstanceType]] = {}
    for environment in compute_environments(document):
        types = {facts.name: facts for _, facts in instance_types(document, environment)}
        for name in references_in(environment.written.get("LaunchTemplate")):
            by_template.setdefault(name, {}).update(types)
    for group in resources(document, "AWS::EKS::Nodegroup", "AWS::PCS::ComputeNodeGroup"):
        types = {facts.name: facts for facts in _types_of_group(document, group)}
        for key in ("LaunchTemplate", "CustomLaunchTemplate"):
            for name in references_in(group.properties.get(key)):
                by_template.setdefault(name, {}).update(types)
    return by_template


def _types_of_group(document: Document, group: TemplateResource) -> Iterator[InstanceType]:
    path = (*group.path, "Properties")
    for key in ("InstanceTypes", "InstanceConfigs"):
        for place, member in members(document, group.properties.get(key), (*path, key)):
            named = member.get("InstanceType") if isinstance(member, dict) else member
            for _, name in values(document, named, place):
                if isinstance(name, str) and (facts := find(name)) is not None:
                    yield facts


def _lists(
    document: Document, value: Any, path: Path, facts: InstanceType | None
) -> Iterator[tuple[Path, tuple[Mapping[str, Any], ...], InstanceType | None]]:
    match value:
        case {"Fn::If": (str(condition), yes, no)}:
            yield from _lists(document, yes, (*path, "Fn::If", 1), _compared_with(document, condition))
            yield from _lists(document, no, (*path, "Fn::If", 2), None)
        case tuple():
            written = tuple(member for member in value if isinstance(member, dict) and "DeviceIndex" in member)
            # Where a function makes one of them, nobody knows how many there are.
            if written and len(written) == len(value):
                yield path, written, facts


def _compared_with(document: Document, condition: str) -> InstanceType | None:
    match mapping_at(document, "Conditions").get(condition):
        case {"Fn::Equals": (dict(), str(name)) | (str(name), dict())}:
            return find(name)
        case _:
            return None


def has_efa(document: Document) -> bool:
    """Return whether some launch template of the template carries EFA interfaces."""
    return bool(templates_with_efa(document))


def templates_with_efa(document: Document) -> frozenset[str]:
    """Return the names of the launch templates that carry EFA interfaces."""
    return frozenset(
        template.resource
        for template in launch_templates(document)
        for _, interface in interfaces(document, template)
        if interface.get("InterfaceType") in EFA_KINDS
    )


def instance_types(document: Document, environment: Part) -> Iterator[tuple[Path, InstanceType]]:
    """Yield the instance types of a compute environment that the catalog knows."""
    path = (*environment.path, "InstanceTypes")
    for place, name in members(document, environment.written.get("InstanceTypes"), path):
        facts = find(name) if isinstance(name, str) else None
        if facts is not None:
            yield place, facts
