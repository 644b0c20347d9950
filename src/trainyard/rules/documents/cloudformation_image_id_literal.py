"""The path of an SSM parameter where an image's id belongs, in a CloudFormation template."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.finding import Path
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.cloudformation.batch import compute_environments, launch_templates
from trainyard.rules.cloudformation.template import members, values
from trainyard.rules.documents import mapping_at


def check(document: Document) -> Iterator[Problem]:
    """Yield image ids that come out as the text of a path. {{resolve:ssm:…}} and typed parameters are looked up."""
    for path, value in _image_ids(document):
        if isinstance(value, str) and value.startswith("/aws/service/") and not _is_looked_up(document, path):
            yield Problem(path, f"ImageId is the text {value} and no id of an image")


def _image_ids(document: Document) -> Iterator[tuple[Path, object]]:
    for template in launch_templates(document):
        yield from values(document, template.written.get("ImageId"), (*template.path, "ImageId"))
    for environment in compute_environments(document):
        yield from values(document, environment.written.get("ImageId"), (*environment.path, "ImageId"))
        configurations = environment.written.get("Ec2Configuration")
        for place, configuration in members(document, configurations, (*environment.path, "Ec2Configuration")):
            if isinstance(configuration, dict):
                yield from values(document, configuration.get("ImageIdOverride"), (*place, "ImageIdOverride"))


def _is_looked_up(document: Document, path: Path) -> bool:
    """Return whether a parameter whose type makes CloudFormation look the path up stands at a place."""
    match document.root.at(path).value:
        case {"Ref": str(name)}:
            type_ = mapping_at(document, "Parameters", name).get("Type")
            return str(type_).startswith("AWS::SSM::Parameter::Value<")
        case _:
            return False


RULE = DocumentRule(
    severity="error",
    title="Path of a parameter in place of an image",
    rationale=(
        "CloudFormation looks the path of an SSM parameter up only where the type of the template's parameter says so. "
        "As plain text EC2 takes it for an id, and refuses to launch."
    ),
    remedy="give the parameter Type: AWS::SSM::Parameter::Value<AWS::EC2::Image::Id>, or write {{resolve:ssm:…}}",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-supplied-parameter-types.html",
    bad="""\
Parameters:
  AMI: {Type: String, Default: /aws/service/ecs/optimized-ami/amazon-linux-2023/gpu/recommended/image_id}
Resources:
  Nodes:
    Type: AWS::Batch::ComputeEnvironment
    Properties:
      ComputeResources: {Type: EC2, InstanceTypes: [p4d.24xlarge], ImageId: !Ref AMI}
""",
    good="""\
Parameters:
  AMI:
    Type: AWS::SSM::Parameter::Value<AWS::EC2::Image::Id>
    Default: /aws/service/ecs/optimized-ami/amazon-linux-2023/gpu/recommended/image_id
Resources:
  Nodes:
    Type: AWS::Batch::ComputeEnvironment
    Properties:
      ComputeResources: {Type: EC2, InstanceTypes: [p4d.24xlarge], ImageId: !Ref AMI}
""",
    check=check,
)
