"""A Lambda function. It is there, and never runs: see custom_resource.py."""

from __future__ import annotations

from collections.abc import Mapping

from trainyard.rehearsal.emulated.resource import (
    Aws,
    LogicalResource,
    PhysicalResource,
    ResourceType,
    written_properties,
)

_CONFIGURATION = (
    *("Description", "Environment", "EphemeralStorage", "Handler", "KmsKeyArn", "Layers", "MemorySize", "Role"),
    *("Runtime", "Timeout", "TracingConfig", "VpcConfig"),
)
_CODE = ("S3Bucket", "S3Key", "S3ObjectVersion", "ImageUri")


def _create_lambda_function(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Make it. Its code has to lie in the bucket that is named."""
    name = resource.properties.get("FunctionName", resource.name)
    code = written_properties(resource.properties["Code"], *_CODE)
    tags = {tag["Key"]: tag["Value"] for tag in resource.tags()}
    if "S3Bucket" in code:
        aws.client("s3").head_object(Bucket=code["S3Bucket"], Key=code["S3Key"])
    request = written_properties(resource.properties, *_CONFIGURATION, "Architectures", "PackageType")
    function = aws.client("lambda").create_function(FunctionName=name, Code=code, Tags=tags, **request)
    return PhysicalResource(name, {"Arn": function["FunctionArn"]})


def _update_lambda_function(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Change its configuration and its code."""
    functions = aws.client("lambda")
    functions.update_function_configuration(
        FunctionName=physical.id, **written_properties(resource.properties, *_CONFIGURATION)
    )
    functions.update_function_code(FunctionName=physical.id, **written_properties(resource.properties["Code"], *_CODE))
    return physical


def _delete_lambda_function(aws: Aws, physical: PhysicalResource) -> None:
    aws.client("lambda").delete_function(FunctionName=physical.id)


RESOURCE_TYPES: Mapping[str, ResourceType] = {
    "AWS::Lambda::Function": ResourceType(_create_lambda_function, _delete_lambda_function, _update_lambda_function),
}
