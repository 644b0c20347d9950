"""An AWS account that answers from a table, without sockets.

The calls are botocore's own: it checks what is asked against the model of the service, and so is every answer here.
A call that nobody foresaw is an error that names it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

import boto3  # type: ignore[import-untyped]  # its stubs are a package for each service
from botocore.validate import ParamValidator

from tests.edge.aws.in_memory import CREDENTIALS, StandingClock
from trainyard.edge.aws.account import Account, Clock

Answer = Mapping[str, Any] | Callable[[Mapping[str, Any]], Any]


class Refusal(NamedTuple):
    """What AWS answers where it does not do what it is asked."""

    code: str
    message: str = "no"
    status: int = 400
    headers: Mapping[str, str] = {}


class _Response(NamedTuple):
    status_code: int


class UnforeseenCallError(Exception):
    """A preflight asked something that the table has no answer for."""


@dataclass(frozen=True, repr=False)
class RecordedAccount(Account):
    """Answers by service and operation: ``ec2.DescribeImages``."""

    credentials: Mapping[str, str] = field(default_factory=lambda: CREDENTIALS)
    clock: Clock = field(default_factory=StandingClock)
    answers: Mapping[str, Answer | Refusal] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)

    def client(self, service: str, region: str | None = None) -> Any:
        """Return a client whose calls never leave this process."""
        made, at_work = _client(service, region or self.region)
        at_work["account"] = self
        return made

    def answer(self, model: Any, context: dict[str, Any], **_: Any) -> tuple[_Response, dict[str, Any]]:
        """Return what the table says, in place of the answer of AWS."""
        name = f"{model.service_model.service_name}.{model.name}"
        self.calls.append(name)
        if name not in self.answers:
            raise UnforeseenCallError(name)
        answer = self.answers[name]
        given = answer(context["asked"]) if callable(answer) else answer
        if isinstance(given, Refusal):
            metadata = {"HTTPStatusCode": given.status, "HTTPHeaders": dict(given.headers)}
            error = {"Code": given.code, "Message": given.message}
            return _Response(given.status), {"Error": error, "ResponseMetadata": metadata}
        wrong = ParamValidator().validate(given, model.output_shape)
        assert not wrong.has_errors(), f"{name} never answers so: {wrong.generate_report()}"
        return _Response(200), {**given, "ResponseMetadata": {"HTTPStatusCode": 200, "HTTPHeaders": {}}}


@cache
def _client(service: str, region: str) -> tuple[Any, dict[str, RecordedAccount]]:
    """Return a client that accounts use one after the other, because making one takes long, and whose turn it is."""
    keys = {"aws_access_key_id": CREDENTIALS["AWS_ACCESS_KEY_ID"], "aws_secret_access_key": "made-up"}
    made = boto3.Session(**keys, region_name=region).client(service)
    at_work: dict[str, RecordedAccount] = {}
    made.meta.events.register("before-parameter-build", _remember)

    def answer(**call: Any) -> tuple[_Response, dict[str, Any]]:
        return at_work["account"].answer(**call)

    made.meta.events.register("before-call", answer)
    return made, at_work


def _remember(params: Mapping[str, Any], context: dict[str, Any], **_: Any) -> None:
    context["asked"] = params


def listening(answer: Mapping[str, Any]) -> tuple[Callable[[Mapping[str, Any]], Any], list[dict[str, Any]]]:
    """Return an answer, and the list of what it was asked."""
    heard: list[dict[str, Any]] = []

    def hear(asked: Mapping[str, Any]) -> Mapping[str, Any]:
        heard.append(dict(asked))
        return answer

    return hear, heard


def listing(key: str, things: list[dict[str, Any]], **by: str) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """Return an answer that lists things below a key, those that the filters let through.

    ``by`` says which member of a thing a filter looks at, with _ for the - in its name.
    """

    def answer(asked: Mapping[str, Any]) -> dict[str, Any]:
        filters = {filter_["Name"]: filter_["Values"] for filter_ in asked.get("Filters", asked.get("Filter", ()))}
        members = {name.replace("_", "-"): member for name, member in by.items()}
        return {
            key: [
                thing
                for thing in things
                if all(thing[members[name]] in values for name, values in filters.items() if name in members)
            ]
        }

    return answer
