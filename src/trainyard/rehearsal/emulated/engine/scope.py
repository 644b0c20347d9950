"""What functions of a template can see: parameters, resources that exist, exports of other stacks, the account."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from trainyard.rehearsal.emulated.engine.refusals import InvalidError
from trainyard.rehearsal.emulated.in_process_account import InProcessAccount
from trainyard.rehearsal.emulated.resource import PhysicalResource

# What moto's models raise. By name: to import the last would import all of moto's CloudFormation.
_UNKNOWN_ATTRIBUTE = ("AttributeError", "NotImplementedError", "UnformattedGetAttTemplateException")


@dataclass(slots=True)
class Scope:
    """One stack's template while it is resolved."""

    template: Mapping[str, Any]
    parameters: Mapping[str, Any]
    resources: Mapping[str, PhysicalResource]
    exports: Mapping[str, str]
    stack_name: str
    stack_id: str
    aws: InProcessAccount
    tags: Mapping[str, str] = field(default_factory=dict)
    """Tags of the stack, which its resources take on."""
    planned: frozenset[str] = frozenset()
    """Resources that a change set would make: they have no ids yet."""
    used_exports: set[str] = field(default_factory=set)
    """The names of exports that were imported."""

    def ref(self, name: str) -> Any:
        """Return a parameter, the id of a resource, or a pseudo parameter."""
        pseudo = self._pseudo()
        if name in pseudo:
            return pseudo[name]
        if name in self.parameters:
            return self.parameters[name]
        if name in self.planned:
            return f"{{{name}}}"
        if name not in self.resources:
            raise InvalidError(f"Unresolved resource dependencies [{name}] in the Resources block of the template")
        return self.resources[name].id

    def is_planned(self, value: Any) -> bool:
        """Return whether a value holds the id of a resource that there is not yet."""
        return any(f"{{{name}" in str(value) for name in self.planned)

    def attribute(self, logical_id: str, attribute: str) -> Any:
        """Return an attribute of a resource that exists."""
        if logical_id in self.planned:
            return f"{{{logical_id}.{attribute}}}"
        if logical_id not in self.resources:
            raise InvalidError(f"Template error: instance of Fn::GetAtt references undefined resource {logical_id}")
        physical = self.resources[logical_id]
        if attribute in physical.attributes:
            return physical.attributes[attribute]
        if physical.model is not None:
            return self._modelled(physical, attribute)
        kind = physical.logical.type if physical.logical else logical_id
        raise InvalidError(
            f"Template error: resource {logical_id} ({kind}) does not support attribute type {attribute} in Fn::GetAtt"
        )

    def imported(self, name: str) -> str:
        """Return what another stack exports."""
        if name not in self.exports:
            raise InvalidError(f"No export named {name} found.")
        self.used_exports.add(name)
        return self.exports[name]

    def zones(self, region: str) -> list[str]:
        """Return the availability zones of the region."""
        answer = self.aws.client("ec2").describe_availability_zones()["AvailabilityZones"]
        return sorted(zone["ZoneName"] for zone in answer if zone["RegionName"] == (region or self.aws.region))

    def _modelled(self, physical: PhysicalResource, attribute: str) -> Any:
        try:
            return physical.model.get_cfn_attribute(attribute)
        except Exception as error:
            if type(error).__name__ not in _UNKNOWN_ATTRIBUTE:
                raise
            kind = physical.logical.type if physical.logical else "resource"
            message = f"Template error: {kind} has no attribute {attribute} in the emulated account"
            raise InvalidError(message) from error

    def _pseudo(self) -> dict[str, Any]:
        return {
            "AWS::AccountId": self.aws.account_id,
            "AWS::NotificationARNs": [],
            "AWS::Partition": "aws",
            "AWS::Region": self.aws.region,
            "AWS::StackId": self.stack_id,
            "AWS::StackName": self.stack_name,
            "AWS::URLSuffix": "amazonaws.com",
        }
