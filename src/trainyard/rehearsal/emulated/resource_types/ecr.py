"""A registry for images. With images in it, it is only deleted where the template says that they may go."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trainyard.rehearsal.emulated.resource import Aws, LogicalResource, PhysicalResource, ResourceType, with_tags


def _create_ecr_repository(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Make it. Names are in lower case."""
    name = str(resource.properties.get("RepositoryName", resource.name)).lower()
    request: dict[str, Any] = {
        "repositoryName": name,
        **{key.lower(): value for key, value in with_tags(resource).items()},
    }
    if encryption := resource.properties.get("EncryptionConfiguration"):
        request["encryptionConfiguration"] = {key[0].lower() + key[1:]: value for key, value in encryption.items()}
    repository = aws.client("ecr").create_repository(**request)["repository"]
    _set(aws, name, resource)
    return PhysicalResource(name, {"Arn": repository["repositoryArn"], "RepositoryUri": repository["repositoryUri"]})


def _update_ecr_repository(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Change what can be changed."""
    _set(aws, physical.id, resource)
    if tags := resource.tags():
        aws.client("ecr").tag_resource(resourceArn=physical.attributes["Arn"], tags=tags)
    return physical


def _delete_ecr_repository(aws: Aws, physical: PhysicalResource) -> None:
    """Delete it, with its images only where it says so.

    https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-ecr-repository.html
    """
    force = bool(physical.logical and str(physical.logical.properties.get("EmptyOnDelete", False)).lower() == "true")
    aws.client("ecr").delete_repository(repositoryName=physical.id, force=force)


def _set(aws: Aws, name: str, resource: LogicalResource) -> None:
    client, properties = aws.client("ecr"), resource.properties
    if "ImageTagMutability" in properties:
        client.put_image_tag_mutability(repositoryName=name, imageTagMutability=properties["ImageTagMutability"])
    if scanning := properties.get("ImageScanningConfiguration"):
        scan = {"scanOnPush": str(scanning["ScanOnPush"]).lower() == "true"}
        client.put_image_scanning_configuration(repositoryName=name, imageScanningConfiguration=scan)
    if policy := properties.get("LifecyclePolicy"):
        client.put_lifecycle_policy(repositoryName=name, lifecyclePolicyText=policy["LifecyclePolicyText"])


RESOURCE_TYPES: Mapping[str, ResourceType] = {
    "AWS::ECR::Repository": ResourceType(_create_ecr_repository, _delete_ecr_repository, _update_ecr_repository),
}
