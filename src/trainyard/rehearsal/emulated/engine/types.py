"""Makes, changes and deletes a resource of each type: as our table or module says, else by moto's model."""

from __future__ import annotations

import importlib
import json
import re
import traceback
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from types import ModuleType
from typing import Any, TypeVar

from botocore.exceptions import ClientError
from moto.core.common_models import CloudFormationModel
from moto.core.exceptions import ServiceException
from werkzeug.exceptions import HTTPException

from trainyard.rehearsal.emulated.engine.refusals import InvalidError
from trainyard.rehearsal.emulated.extensions import resource_type_handlers
from trainyard.rehearsal.emulated.in_process_account import InProcessAccount
from trainyard.rehearsal.emulated.model_changes import CHANGES_OF_MODELS
from trainyard.rehearsal.emulated.planted_refusals import refuse_planted
from trainyard.rehearsal.emulated.resource import Aws, LogicalResource, PhysicalResource, ResourceError, ResourceType

_CUSTOM = "AWS::CloudFormation::CustomResource"
_Result = TypeVar("_Result")
# InvalidVpcID.NotFound of EC2, NoSuchEntity of IAM, ResourceNotFoundException of most others.
_GONE = re.compile("NotFound|NoSuch|DoesNotExist|NonExistent")
# Where moto's folder is not the lower-case name of the service. https://github.com/getmoto/moto/tree/5.2.5/moto
_FOLDERS = {"Lambda": "awslambda", "ApplicationAutoScaling": "applicationautoscaling", "ElasticLoadBalancing": "elb"}
_REFERENCE = re.compile(r"\{\{resolve:(ssm|ssm-secure|secretsmanager):([^}]+)\}\}")
_SECRET = re.compile(r"(?P<id>arn:[^:]+:[^:]+:[^:]*:[^:]*:secret:[^:]+|[^:]+)(:SecretString(:(?P<key>[^:]*))?.*)?")


def reader(resource_type: str) -> Callable[[Aws, PhysicalResource], Mapping[str, Any] | None] | None:
    """Return what reads the properties of a resource as they are; None where nothing can."""
    own = _own_type(resource_type)
    return None if own is None else own.read


def is_modelled(resource_type: str) -> bool:
    """Return whether anybody has modelled this type."""
    return _own_type(resource_type) is not None or _model(resource_type) is not None


def create(aws: InProcessAccount, resource: LogicalResource) -> PhysicalResource:
    """Make a resource. Raises ResourceError, with the reason, where the account refuses."""
    refuse_planted(resource, aws.account_id)
    physical = _with_aws_errors(lambda: _create(aws, _with_references_followed(aws, resource)))
    physical.logical = resource
    return physical


def update(aws: InProcessAccount, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Change a resource in place. Raises ResourceError where that is not possible."""
    physical = _with_aws_errors(lambda: _update(aws, physical, _with_references_followed(aws, resource)))
    physical.logical = resource
    return physical


def delete(aws: InProcessAccount, physical: PhysicalResource) -> None:
    """Delete a resource; one that is gone counts as deleted. Raises ResourceError where the account refuses.

    https://docs.aws.amazon.com/cloudformation-cli/latest/userguide/resource-type-test-contract-errors.html (NotFound)
    """
    try:
        _with_aws_errors(lambda: _delete(aws, physical))
    except ResourceError as error:
        if not _says_gone(error.__cause__):
            raise


def snapshot(aws: InProcessAccount, physical: PhysicalResource) -> None:
    """Make the snapshot that outlives a resource. Raises ResourceError for a type that has none."""
    assert physical.logical is not None  # noqa: S101  # the engine fills it in
    own_type = _own_type(physical.logical.type)
    if own_type is None or own_type.snapshot is None:
        raise ResourceError(f"the emulated account makes no snapshots of {physical.logical.type}")
    make_snapshot = own_type.snapshot
    _with_aws_errors(lambda: make_snapshot(aws, physical))


def _with_references_followed(aws: InProcessAccount, resource: LogicalResource) -> LogicalResource:
    return replace(resource, properties=follow_references(resource.properties, aws))


def _create(aws: InProcessAccount, resource: LogicalResource) -> PhysicalResource:
    own_type = _own_type(resource.type)
    if own_type is not None:
        physical = own_type.create(aws, resource)
    elif (model := _model(resource.type)) is not None:
        physical = _created_by_moto(aws, model, resource)
    else:
        raise ResourceError(f"the emulated account has no model of {resource.type}: add it to resource_types.yaml")
    return physical


def _created_by_moto(aws: InProcessAccount, model: Any, logical: LogicalResource) -> PhysicalResource:
    body = {"Type": logical.type, "Properties": dict(logical.properties)}
    names = {"LogicalId": logical.logical_id, "StackId": logical.stack_id, "ResourceType": logical.type}
    resource = model.create_from_cloudformation_json(_name(model, logical), body, aws.account_id, aws.region, **names)
    return PhysicalResource(resource.physical_resource_id, model=resource)


def _update(aws: InProcessAccount, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    own_type = _own_type(resource.type)
    model = _model(resource.type)
    if own_type is not None and own_type.update is not None:
        physical = own_type.update(aws, physical, resource)
    elif physical.model is not None and _implements(model, "update_from_cloudformation_json"):
        physical = _updated_by_moto(aws, model, physical, resource)
    elif resource.type in CHANGES_OF_MODELS:
        CHANGES_OF_MODELS[resource.type](physical.model, resource.properties)
    elif not _only_tags_differ(physical, resource):  # tags of stacks change with the spec; what they are on does not
        raise ResourceError(f"the emulated account cannot change a resource of type {resource.type} in place")
    return physical


def _updated_by_moto(
    aws: InProcessAccount, model: Any, physical: PhysicalResource, logical: LogicalResource
) -> PhysicalResource:
    resource = model.update_from_cloudformation_json(
        original_resource=physical.model,
        new_resource_name=_name(model, logical),
        cloudformation_json={"Type": logical.type, "Properties": dict(logical.properties)},
        account_id=aws.account_id,
        region_name=aws.region,
    )
    resource = resource or physical.model
    return PhysicalResource(resource.physical_resource_id, model=resource)


def _only_tags_differ(physical: PhysicalResource, resource: LogicalResource) -> bool:
    former = physical.logical.properties if physical.logical else {}
    names = {name for name in {*former, *resource.properties} if former.get(name) != resource.properties.get(name)}
    return all(name.endswith("Tags") for name in names)


def _delete(aws: InProcessAccount, physical: PhysicalResource) -> None:
    assert physical.logical is not None  # noqa: S101  # the engine fills it in
    own_type = _own_type(physical.logical.type)
    if own_type is not None:
        own_type.delete(aws, physical)
    elif hasattr(physical.model, "delete"):
        physical.model.delete(aws.account_id, aws.region)
    elif (model := _model(physical.logical.type)) and _implements(model, "delete_from_cloudformation_json"):
        body = {"Type": physical.logical.type, "Properties": dict(physical.logical.properties)}
        model.delete_from_cloudformation_json(physical.id, body, aws.account_id, aws.region)
    else:
        raise ResourceError(f"the emulated account cannot delete a resource of type {physical.logical.type}")


def _with_aws_errors(work: Callable[[], _Result]) -> _Result:
    try:
        return work()
    except ClientError as error:
        raise ResourceError(_words(error.response["Error"])) from error
    except (HTTPException, ServiceException, InvalidError) as error:
        raise ResourceError(_error_text(error)) from error
    except ResourceError:
        raise
    except Exception as error:
        # Moto's models read properties without looking: what they raise is about the template as often as about moto.
        traceback.print_exc()
        raise ResourceError(f"the emulated account failed: {type(error).__name__}: {error}") from error


def _says_gone(error: BaseException | None) -> bool:
    """Return whether this is how a service says that it has no such thing."""
    answer = error.response["Error"] if isinstance(error, ClientError) else {}
    code = answer.get("Code", "") or getattr(error, "code", None) or getattr(error, "error_type", "")
    return _GONE.search(str(code)) is not None


def _words(error: dict[str, Any]) -> str:
    return f"{error.get('Message', '')} (Code: {error.get('Code', '')})"


def _error_text(error: Exception) -> str:
    message = str(getattr(error, "message", "") or getattr(error, "description", "") or error)
    return " ".join(message.split())


def _name(model: Any, resource: LogicalResource) -> str:
    name_property = model.cloudformation_name_type()
    return str(resource.properties.get(name_property) or resource.name) if name_property else resource.name


def _own_type(resource_type: str) -> ResourceType | None:
    name = _CUSTOM if resource_type.startswith("Custom::") else resource_type
    return resource_type_handlers().get(name)


def _implements(model: Any, method: str) -> bool:
    return model is not None and not getattr(getattr(model, method), "__isabstractmethod__", False)


@cache
def _model(resource_type: str) -> type[CloudFormationModel] | None:
    service = resource_type.split("::")[1] if resource_type.startswith("AWS::") else ""
    if not _import(service):
        return None
    return {model.cloudformation_type(): model for model in _subclasses(CloudFormationModel)}.get(resource_type)


def _import(service: str) -> ModuleType | None:
    """Import moto's models of one service: those of all services take three seconds and 100 MB."""
    folder = _FOLDERS.get(service, service.lower())
    try:
        return importlib.import_module(f"moto.{folder}.models")
    except ModuleNotFoundError:
        return None


def _subclasses(parent: type) -> list[Any]:
    """Return moto's classes first and ours last, so that ours win."""
    children: list[Any] = parent.__subclasses__()
    subclasses = [subclass for child in children for subclass in (child, *_subclasses(child))]
    return sorted(subclasses, key=lambda subclass: subclass.__module__.startswith("trainyard."))


def follow_references(value: Any, aws: Aws) -> Any:
    """Return properties with every reference in them replaced by what it names."""
    if isinstance(value, dict):
        return {name: follow_references(item, aws) for name, item in value.items()}
    if isinstance(value, list):
        return [follow_references(item, aws) for item in value]
    if not isinstance(value, str) or "{{resolve:" not in value:
        return value
    return _REFERENCE.sub(lambda match: _looked_up(match[1], match[2], aws), value)


def _looked_up(service: str, name: str, aws: Aws) -> str:
    try:
        return _secret(name, aws) if service == "secretsmanager" else _parameter(name, aws)
    except (ClientError, KeyError, ValueError) as error:
        raise InvalidError(f"Could not resolve the dynamic reference to {name} in {service}") from error


def _parameter(name: str, aws: Aws) -> str:
    answer = aws.client("ssm").get_parameter(Name=name, WithDecryption=True)
    return str(answer["Parameter"]["Value"])


def _secret(name: str, aws: Aws) -> str:
    match = _SECRET.fullmatch(name)
    if match is None:
        raise ValueError(name)
    value = str(aws.client("secretsmanager").get_secret_value(SecretId=match["id"])["SecretString"])
    return str(json.loads(value)[match["key"]]) if match["key"] else value
