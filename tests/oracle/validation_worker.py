"""Validates configs with ParallelCluster itself. Run as a module by the Python of its environment; Python 3.9 syntax.

It takes the way of ``pcluster create-cluster``, but every call to AWS is answered by an account made up to fit the
config, and every https address is taken for one that exists.

Standard input: ``{"configs": [{"text", "cluster_name", "region"}], "zones", "instance_types", "managed_policies"}``.
Standard output: a list with, for each config, what was found: ``[["ERROR", "EfaValidator", "message"]]``.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import boto3  # type: ignore[import-untyped]  # it comes with moto and with pcluster, without types
import boto3.session  # type: ignore[import-untyped]  # as above
import yaml
from botocore.client import BaseClient
from botocore.exceptions import ParamValidationError
from botocore.validate import ParamValidator

from tests.oracle.account import Account, Facts
from tests.oracle.mentions import Mentions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_NETWORK_EVENTS = frozenset({"socket.connect", "socket.getaddrinfo", "socket.sendto", "socket.sendmsg"})


def main() -> None:
    """Answer one request."""
    request = json.load(sys.stdin)
    sys.addaudithook(refuse_network)
    with contextlib.redirect_stdout(sys.stderr):  # pcluster.utils.warn prints
        find_every_address()
        make_sessions_and_clients_once()
        answer = [sorted(found(request, config)) for config in request["configs"]]
    json.dump(answer, sys.stdout)


def refuse_network(event: str, _arguments: tuple[object, ...]) -> None:
    """Stop whatever would leave this machine: what the account does not answer has to be seen."""
    if event in _NETWORK_EVENTS:
        message = "a validation makes no connection"
        raise PermissionError(message)


def found(request: dict[str, Any], config: dict[str, str]) -> Iterator[tuple[str, str, str]]:
    """Validate one config in an account of its own."""
    os.environ["AWS_DEFAULT_REGION"] = config["region"]  # pcluster has it from there
    account = account_for(request, config)
    ask_this(account.answer)
    forget_former_answers()
    yield from failures(config)
    for name in account.unanswered:
        yield "ERROR", "UnansweredError", f"{name} has no answer in tests/oracle/answers"


def account_for(request: dict[str, Any], config: dict[str, str]) -> Account:
    """Make up the account."""
    facts = {key: request[key] for key in ("zones", "instance_types", "managed_policies")}
    try:
        parsed = yaml.load(config["text"], Loader=yaml.CSafeLoader)
    except yaml.YAMLError:  # pcluster says so
        parsed = {}
    return Account(Mentions(parsed), Facts(version("aws-parallelcluster"), config["region"], **facts))


def failures(config: dict[str, str]) -> Iterator[tuple[str, str, str]]:
    """Load and validate the way ``pcluster create-cluster`` does."""
    # The other functions of this file are tested where there is no pcluster, nor can mypy see it.
    from pcluster.models.cluster import (  # type: ignore[import-not-found]  # noqa: PLC0415 - as above
        Cluster,
        ConfigValidationError,
    )
    from pcluster.models.common import BadRequest  # type: ignore[import-not-found]  # noqa: PLC0415 - as above
    from pcluster.validators.common import (  # type: ignore[import-not-found]  # noqa: PLC0415 - as above
        FailureLevel,
        ValidatorContext,
    )

    try:
        _, results = Cluster(config["cluster_name"], config["text"])._validate_and_parse_config(
            validator_suppressors=set(), validation_failure_level=FailureLevel.ERROR, context=ValidatorContext()
        )
    except (BadRequest, ConfigValidationError) as error:
        results = getattr(error, "validation_failures", None)
        if not results:
            yield "ERROR", type(error).__name__, str(error)
    for result in results or ():
        yield str(result.level), result.validator_type, result.message


def ask_this(answer: Callable[..., dict[str, Any]]) -> None:
    """Put an account in the place of AWS, behind what botocore knows of each call and of its answer."""

    def call(client: Any, operation: str, parameters: dict[str, Any]) -> dict[str, Any]:
        model = client.meta.service_model
        shapes = model.operation_model(operation)
        if wrong := misfits(parameters, shapes.input_shape):
            raise ParamValidationError(report="\n".join(wrong))  # as botocore does before it sends anything
        answered = answer(model.service_name, operation, parameters)
        wrong = [line for line in misfits(answered, shapes.output_shape) if not line.startswith("Missing required")]
        assert not wrong, f"AWS would not answer {operation} so: {wrong}"
        return answered

    BaseClient._make_api_call = call


def misfits(value: dict[str, Any], shape: Any) -> list[str]:
    """Return what botocore finds wrong with parameters or an answer: unknown names, wrong types, what is missing."""
    report: str = ParamValidator().validate(value, shape).generate_report() if shape else ""
    return report.splitlines()


def forget_former_answers() -> None:
    """Empty pcluster's caches: the next config has another account."""
    from pcluster.aws.aws_api import AWSApi  # type: ignore[import-not-found]  # noqa: PLC0415 - as above
    from pcluster.aws.common import Cache  # type: ignore[import-not-found]  # noqa: PLC0415 - as above

    AWSApi.reset()
    Cache.clear_all()


def find_every_address() -> None:
    """Take every https address for one that exists, and judge each config anew.

    UrlValidator remembers an address for 10 s, and then finds nothing wrong with it in the next config.
    """
    from pcluster.validators import s3_validators  # type: ignore[import-not-found]  # noqa: PLC0415 - as above

    s3_validators.urlopen = contextlib.nullcontext
    validate = s3_validators.UrlValidator._validate_async
    s3_validators.UrlValidator._validate_async = validate.__wrapped__


def make_sessions_and_clients_once() -> None:
    """Save three quarters of the time: pcluster makes a session whenever it wants to know the region."""
    create, clients = boto3.client, {}

    def client(service: str, **settings: Any) -> Any:
        key = service, os.environ["AWS_DEFAULT_REGION"]
        if key not in clients:
            clients[key] = create(service, **settings)
        return clients[key]

    boto3.client = client
    boto3.session.Session = boto3._get_default_session


if __name__ == "__main__":
    main()
