"""A secret, written in the template or generated."""

from __future__ import annotations

import json
from collections.abc import Mapping

from trainyard.rehearsal.emulated.resource import (
    Aws,
    LogicalResource,
    PhysicalResource,
    ResourceType,
    with_tags,
    written_properties,
)

_GENERATED = (
    "ExcludeCharacters",
    "ExcludeLowercase",
    "ExcludeNumbers",
    "ExcludePunctuation",
    "ExcludeUppercase",
    "IncludeSpace",
    "PasswordLength",
    "RequireEachIncludedType",
)


def _create_secret(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Make it. What is generated is known to nobody but the account."""
    answer = aws.client("secretsmanager").create_secret(
        Name=resource.properties.get("Name", resource.name),
        SecretString=_value(aws, resource),
        **written_properties(resource.properties, "Description", "KmsKeyId"),
        **with_tags(resource),
    )
    return PhysicalResource(answer["ARN"], {"Id": answer["ARN"]})


def _update_secret(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Change the description, and the value where its text or its recipe has changed."""
    client = aws.client("secretsmanager")
    former = physical.logical.properties if physical.logical else {}
    client.update_secret(SecretId=physical.id, **written_properties(resource.properties, "Description", "KmsKeyId"))
    if any(former.get(name) != resource.properties.get(name) for name in ("SecretString", "GenerateSecretString")):
        client.put_secret_value(SecretId=physical.id, SecretString=_value(aws, resource))
    return physical


def _delete_secret(aws: Aws, physical: PhysicalResource) -> None:
    """Delete it for good, as CloudFormation does.

    https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-resource-secretsmanager-secret.html
    """
    aws.client("secretsmanager").delete_secret(SecretId=physical.id, ForceDeleteWithoutRecovery=True)


def _value(aws: Aws, resource: LogicalResource) -> str:
    recipe = resource.properties.get("GenerateSecretString")
    if recipe is None:
        return str(resource.properties.get("SecretString", ""))
    password = aws.client("secretsmanager").get_random_password(**written_properties(recipe, *_GENERATED))[
        "RandomPassword"
    ]
    if "GenerateStringKey" not in recipe:
        return str(password)
    return json.dumps({**json.loads(recipe["SecretStringTemplate"]), recipe["GenerateStringKey"]: password})


RESOURCE_TYPES: Mapping[str, ResourceType] = {
    "AWS::SecretsManager::Secret": ResourceType(_create_secret, _delete_secret, _update_secret),
}
