"""A key pair, made by EC2 or imported."""

from __future__ import annotations

from trainyard.rehearsal.emulated.properties import picked, tag_specifications
from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::EC2::KeyPair"


def create(aws: Aws, wanted: Wanted) -> Made:
    """Make it, or import the public key. EC2 keeps the private one in a parameter of Systems Manager."""
    ec2 = aws.client("ec2")
    tags = tag_specifications("key-pair", wanted)
    name = wanted.properties["KeyName"]
    if "PublicKeyMaterial" in wanted.properties:
        answer = ec2.import_key_pair(KeyName=name, PublicKeyMaterial=wanted.properties["PublicKeyMaterial"], **tags)
    else:
        answer = ec2.create_key_pair(**picked(wanted.properties, "KeyName", "KeyType", "KeyFormat"), **tags)
        aws.client("ssm").put_parameter(
            Name=_parameter(answer["KeyPairId"]), Value=answer["KeyMaterial"], Type="SecureString"
        )
    return Made(name, {"KeyPairId": answer["KeyPairId"], "KeyFingerprint": answer["KeyFingerprint"]})


def delete(aws: Aws, made: Made) -> None:
    """Delete it, and the parameter where there is one."""
    aws.client("ec2").delete_key_pair(KeyName=made.id)
    if made.wanted is not None and "PublicKeyMaterial" not in made.wanted.properties:
        aws.client("ssm").delete_parameter(Name=_parameter(made.attributes["KeyPairId"]))


def _parameter(key_pair: str) -> str:
    # https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-resource-ec2-keypair.html
    return f"/ec2/keypair/{key_pair}"
