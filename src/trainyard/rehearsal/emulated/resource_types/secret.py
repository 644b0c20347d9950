"""A secret, written in the template or generated."""

from __future__ import annotations

import json

from trainyard.rehearsal.emulated.properties import picked, with_tags
from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::SecretsManager::Secret"
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


def create(aws: Aws, wanted: Wanted) -> Made:
    """Make it. What is generated is known to nobody but the account."""
    answer = aws.client("secretsmanager").create_secret(
        Name=wanted.properties.get("Name", wanted.name),
        SecretString=_value(aws, wanted),
        **picked(wanted.properties, "Description", "KmsKeyId"),
        **with_tags(wanted),
    )
    return Made(answer["ARN"], {"Id": answer["ARN"]})


def update(aws: Aws, made: Made, wanted: Wanted) -> Made:
    """Change the description, and the value where its text or its recipe has changed."""
    client = aws.client("secretsmanager")
    former = made.wanted.properties if made.wanted else {}
    client.update_secret(SecretId=made.id, **picked(wanted.properties, "Description", "KmsKeyId"))
    if any(former.get(name) != wanted.properties.get(name) for name in ("SecretString", "GenerateSecretString")):
        client.put_secret_value(SecretId=made.id, SecretString=_value(aws, wanted))
    return made


def delete(aws: Aws, made: Made) -> None:
    """Delete it for good, as CloudFormation does.

    https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-resource-secretsmanager-secret.html
    """
    aws.client("secretsmanager").delete_secret(SecretId=made.id, ForceDeleteWithoutRecovery=True)


def _value(aws: Aws, wanted: Wanted) -> str:
    recipe = wanted.properties.get("GenerateSecretString")
    if recipe is None:
        return str(wanted.properties.get("SecretString", ""))
    password = aws.client("secretsmanager").get_random_password(**picked(recipe, *_GENERATED))["RandomPassword"]
    if "GenerateStringKey" not in recipe:
        return str(password)
    return json.dumps({**json.loads(recipe["SecretStringTemplate"]), recipe["GenerateStringKey"]: password})
