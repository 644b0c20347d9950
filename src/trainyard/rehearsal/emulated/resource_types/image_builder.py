"""EC2 Image Builder: an image that is there as soon as it is asked for.

Nothing is built: the machine image has the tags of one that was.
https://docs.aws.amazon.com/imagebuilder/latest/userguide/what-is-image-builder.html
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from moto.ec2.models import ec2_backends

from trainyard.catalog.parallelcluster_images import system_of
from trainyard.rehearsal.emulated.account_clock import now
from trainyard.rehearsal.emulated.apis.image_builder import DEFINITIONS
from trainyard.rehearsal.emulated.resource import Aws, LogicalResource, PhysicalResource, ResourceType

_SYSTEM = "parallelcluster:os"
# What stands for the time of the build in the name of a machine image.
_DATE = "{{ imagebuilder:buildDate }}"


def _create_definition(kind: str, aws: Aws, resource: LogicalResource) -> PhysicalResource:
    written = resource.properties
    version = f"/{written['Version']}" if "Version" in written else ""
    build = "/1" if kind == "component" else ""
    name = str(written["Name"]).lower().replace(" ", "-")
    arn = f"arn:aws:imagebuilder:{aws.region}:{aws.account_id}:{kind}/{name}{version}{build}"
    DEFINITIONS[arn] = written
    return PhysicalResource(arn, {"Arn": arn, "Name": written["Name"]})


def _create_image(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Register the machine image, with the tags that its distribution gives it in this region.

    The last two are what ParallelCluster's function adds, which here never runs; nor does it delete the stack.
    """
    recipe_arn = str(resource.properties["ImageRecipeArn"])
    recipe = DEFINITIONS[recipe_arn]
    distributions = DEFINITIONS[resource.properties["DistributionConfigurationArn"]]["Distributions"]
    here: dict[str, Any] = next((part for part in distributions if part["Region"] == aws.region), {})
    given = here.get("AmiDistributionConfiguration") or {}
    ec2 = aws.client("ec2")
    parent = ec2.describe_images(ImageIds=[recipe["ParentImage"]])["Images"][0]
    date = now().strftime("%Y-%m-%dT%H-%M-%S.000Z")
    device = recipe["BlockDeviceMappings"][0] if recipe.get("BlockDeviceMappings") else {}
    image = ec2.register_image(
        Name=given.get("Name", f"{recipe['Name']} {_DATE}").replace(_DATE, date),
        RootDeviceName=device.get("DeviceName", "/dev/sda1"),
        VirtualizationType="hvm",
    )["ImageId"]
    ec2_backends[aws.account_id][aws.region].amis[image].architecture = parent["Architecture"]  # which moto forgets
    arn = f"{recipe_arn.replace(':image-recipe/', ':image/')}/1"
    tags = {
        **given.get("AmiTags", {}),
        **_system(parent),
        "CreatedBy": "EC2 Image Builder",
        "Ec2ImageBuilderArn": arn,
        "parallelcluster:build_status": "available",
        "parallelcluster:parent_image": parent["ImageId"],
    }
    ec2.create_tags(Resources=[image], Tags=[{"Key": key, "Value": value} for key, value in tags.items()])
    return PhysicalResource(arn, {"Arn": arn, "ImageId": image, "Name": str(recipe["Name"])})


def _system(parent: Mapping[str, Any]) -> dict[str, str]:
    """Return the operating system as ParallelCluster's build finds it on the machine, and writes it down."""
    told = {tag["Key"]: tag["Value"] for tag in parent.get("Tags", [])}
    system = told.get(_SYSTEM) or system_of(parent["Name"])
    return {} if system is None else {_SYSTEM: system}


def _delete_definition(_aws: Aws, physical: PhysicalResource) -> None:
    DEFINITIONS.pop(physical.id, None)


def _delete_image(_aws: Aws, _physical: PhysicalResource) -> None:
    """Delete what Image Builder knows of it; the machine image stays."""


RESOURCE_TYPES: Mapping[str, ResourceType] = {
    "AWS::ImageBuilder::Component": ResourceType(partial(_create_definition, "component"), _delete_definition),
    "AWS::ImageBuilder::DistributionConfiguration": ResourceType(
        partial(_create_definition, "distribution-configuration"), _delete_definition
    ),
    "AWS::ImageBuilder::Image": ResourceType(_create_image, _delete_image),
    "AWS::ImageBuilder::ImageRecipe": ResourceType(partial(_create_definition, "image-recipe"), _delete_definition),
    "AWS::ImageBuilder::InfrastructureConfiguration": ResourceType(
        partial(_create_definition, "infrastructure-configuration"), _delete_definition
    ),
}
