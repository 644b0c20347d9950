"""What the cases are made of: references, resources, and the network that most of them lie in."""

from __future__ import annotations

from typing import Any

from tests.rehearsal.cloud import GROUP, SUBNET, VPC

Cases = dict[str, tuple[dict[str, Any], list[str]]]
"""Resources, of which the one named It is of the type, and the attributes that a template can ask for."""

POLICY = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"}]}
_OTHER_SUBNET = {
    **SUBNET,
    "Properties": {**SUBNET["Properties"], "CidrBlock": "10.7.2.0/24", "AvailabilityZone": "us-east-2b"},
}
NETWORK = {"Vpc": VPC, "Subnet": SUBNET, "Other": _OTHER_SUBNET, "Group": GROUP}


def ref(name: str) -> dict[str, str]:
    return {"Ref": name}


def att(name: str, attribute: str) -> dict[str, list[str]]:
    return {"Fn::GetAtt": [name, attribute]}


def resource(kind: str, **properties: Any) -> dict[str, Any]:
    return {"Type": f"AWS::{kind}", "Properties": properties}
