"""A key pair, made by EC2 or imported."""

from __future__ import annotations

from trainyard.rehearsal.emulated.properties import picked, tag_specifications
from trainyard.rehearsal.emulated.resource import Aws, LogicalResource, PhysicalResource

TYPE = "AWS::EC2::KeyPair"


def create(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Make it, or import the public key. EC2 keeps the private one in a parameter of Systems Manager."""
    ec2 = aws.client("ec2")
    tags = tag_specifications("key-pair", resource)
    name = resource.properties["KeyName"]
    if "PublicKeyMaterial" in resource.properties:
        answer = ec2.import_key_pair(KeyName=name, PublicKeyMaterial=resource.properties["PublicKeyMaterial"], **tags)
    else:
        answer = ec2.create_key_pair(**picked(resource.properties, "KeyName", "KeyType", "KeyFormat"), **tags)
        aws.client("ssm").put_parameter(
            Name=_parameter(answer["KeyPairId"]), Value=answer["KeyMaterial"], Type="SecureString"
        )
    return PhysicalResource(name, {"KeyPairId": answer["KeyPairId"], "KeyFingerprint": answer["KeyFingerprint"]})


def delete(aws: Aws, physical: PhysicalResource) -> None:
    """Delete it, and the parameter where there is one."""
    aws.client("ec2").delete_key_pair(KeyName=physical.id)
    if physical.logical is not None and "PublicKeyMaterial" not in physical.logical.properties:
        aws.client("ssm").delete_parameter(Name=_parameter(physical.attributes["KeyPairId"]))


def _parameter(key_pair: str) -> str:
    # https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-resource-ec2-keypair.html
    return f"/ec2/keypair/{key_pair}"
