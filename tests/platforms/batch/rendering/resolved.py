"""What CloudFormation makes of the stack's template with its parameters, before it makes any resource.

https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference.html
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import yaml

from tests.specs import spec_of
from trainyard.render.cloudformation.stack import Stack
from trainyard.render.cloudformation.stacks import stacks
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec

PSEUDO = {
    "AWS::AccountId": "123456789012",
    "AWS::Partition": "aws",
    "AWS::Region": "us-east-2",
    "AWS::StackName": "batch-distributed-training",
    "AWS::URLSuffix": "amazonaws.com",
}
NOTHING = object()


def stack_of(part: str | Spec) -> Stack:
    """Return the stack of Batch of a spec, of which a part may be written out."""
    spec = spec_of(f"platform: batch\n{part}") if isinstance(part, str) else part
    return next(stack for stack in stacks(spec, Ids({})) if stack.kind == "batch")


def resources_of(stack: Stack) -> dict[str, dict[str, Any]]:
    """Return the properties of its resources by their logical ids."""
    return resolved(stack.template, stack.parameters)


def resolved(text: str, parameters: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """Return the same of a template. A parameter that it has not is an error, as it is for CloudFormation."""
    template = yaml.load(text, Loader=yaml.CSafeLoader)
    unknown = parameters.keys() - template["Parameters"].keys()
    assert not unknown, f"Parameters: {sorted(unknown)} do not exist in the template"
    values = {name: str(one["Default"]) for name, one in template["Parameters"].items() if "Default" in one}
    for name, value in {**values, **parameters}.items():
        pattern = template["Parameters"][name].get("AllowedPattern", ".*")
        assert re.fullmatch(pattern, value), f"{name} {value!r} does not match {pattern}"
        assert value in template["Parameters"][name].get("AllowedValues", [value])
    made = _Resolver(template, {**PSEUDO, **values, **parameters})
    made.obey_rules()
    return {
        name: made.value(one.get("Properties", {}))
        for name, one in template["Resources"].items()
        if "Condition" not in one or made.holds(one["Condition"])
    }


class _Resolver:
    def __init__(self, template: dict[str, Any], values: dict[str, str]) -> None:
        self.template, self.values = template, values

    def obey_rules(self) -> None:
        for rule in self.template.get("Rules", {}).values():
            if self.value(rule.get("RuleCondition", True)) in (True, "true"):
                for assertion in rule["Assertions"]:
                    assert self.value(assertion["Assert"]), assertion["AssertDescription"]

    def holds(self, condition: str) -> bool:
        return bool(self.value(self.template["Conditions"][condition]))

    def value(self, node: Any) -> Any:
        if isinstance(node, list):
            return [one for item in node if (one := self.value(item)) is not NOTHING]
        if not isinstance(node, dict):
            return node
        if len(node) == 1:
            ((key, inner),) = node.items()
            if key == "Condition" and isinstance(inner, str):
                return self.holds(inner)
            if key == "Ref":
                return NOTHING if inner == "AWS::NoValue" else self.values.get(inner, f"{inner}-id")
            if key.startswith("Fn::"):
                return getattr(self, f"_{key.removeprefix('Fn::').lower()}")(inner)
        return {key: one for key, inner in node.items() if (one := self.value(inner)) is not NOTHING}

    def _if(self, parts: list[Any]) -> Any:
        return self.value(parts[1] if self.holds(parts[0]) else parts[2])

    def _equals(self, parts: list[Any]) -> bool:
        return bool(self.value(parts[0]) == self.value(parts[1]))

    def _not(self, parts: list[Any]) -> bool:
        return not self.value(parts[0])

    def _and(self, parts: list[Any]) -> bool:
        return all(self.value(part) for part in parts)

    def _or(self, parts: list[Any]) -> bool:
        return any(self.value(part) for part in parts)

    def _getatt(self, parts: list[str]) -> str:
        return "7" if parts[1] == "LatestVersionNumber" else f"arn:aws:made:us-east-2:123456789012:{'/'.join(parts)}"

    def _findinmap(self, parts: list[str]) -> Any:
        return self.template["Mappings"][parts[0]][parts[1]][parts[2]]

    def _importvalue(self, name: Any) -> str:
        return f"import of {self.value(name)}"

    def _split(self, parts: list[Any]) -> list[str]:
        return list(self.value(parts[1]).split(parts[0]))

    def _join(self, parts: list[Any]) -> str:
        return str(parts[0].join(self.value(parts[1])))

    def _select(self, parts: list[Any]) -> Any:
        found = self.value(parts[1])
        return found[parts[0]] if len(found) > parts[0] else "selected"

    def _getazs(self, region: Any) -> list[str]:
        return [f"{self.value(region) or PSEUDO['AWS::Region']}{letter}" for letter in "abc"]

    def _base64(self, text: Any) -> str:
        return str(self.value(text))

    def _sub(self, inner: Any) -> str:
        text, more = (inner, {}) if isinstance(inner, str) else inner
        own = {name: self.value(one) for name, one in more.items()}

        def found(match: re.Match[str]) -> str:
            name = match[1]
            if "." in name:
                return self._getatt(name.split(".", 1))
            return str(own.get(name, self.values.get(name, f"{name}-id")))

        return re.sub(r"\$\{([A-Za-z0-9:.]+)\}", found, text)
