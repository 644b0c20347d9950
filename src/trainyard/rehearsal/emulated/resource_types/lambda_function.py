"""A Lambda function. It is there, and never runs: see custom_resource.py."""

from __future__ import annotations

from trainyard.rehearsal.emulated.properties import picked
from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::Lambda::Function"
_CONFIGURATION = (
    *("Description", "Environment", "EphemeralStorage", "Handler", "KmsKeyArn", "Layers", "MemorySize", "Role"),
    *("Runtime", "Timeout", "TracingConfig", "VpcConfig"),
)
_CODE = ("S3Bucket", "S3Key", "S3ObjectVersion", "ImageUri")


def create(aws: Aws, wanted: Wanted) -> Made:
    """Make it. Its code has to lie in the bucket that is named."""
    name = wanted.properties.get("FunctionName", wanted.name)
    code = picked(wanted.properties["Code"], *_CODE)
    tags = {tag["Key"]: tag["Value"] for tag in wanted.tags()}
    if "S3Bucket" in code:
        aws.client("s3").head_object(Bucket=code["S3Bucket"], Key=code["S3Key"])
    asked = picked(wanted.properties, *_CONFIGURATION, "Architectures", "PackageType")
    made = aws.client("lambda").create_function(FunctionName=name, Code=code, Tags=tags, **asked)
    return Made(name, {"Arn": made["FunctionArn"]})


def update(aws: Aws, made: Made, wanted: Wanted) -> Made:
    """Change its configuration and its code."""
    functions = aws.client("lambda")
    functions.update_function_configuration(FunctionName=made.id, **picked(wanted.properties, *_CONFIGURATION))
    functions.update_function_code(FunctionName=made.id, **picked(wanted.properties["Code"], *_CODE))
    return made


def delete(aws: Aws, made: Made) -> None:
    """Delete it."""
    aws.client("lambda").delete_function(FunctionName=made.id)
