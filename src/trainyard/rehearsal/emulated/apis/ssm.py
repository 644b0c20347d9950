"""Systems Manager: sessions, which moto lacks, and which parameters there are.

An instance that runs and has a role is connected. On a head node the commands of Slurm that ../slurm.py has answer in
the form of edge/remote/run.sh; other commands answer nothing.

https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_StartSession.html
https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_DescribeInstanceInformation.html
"""

from __future__ import annotations

import base64
import binascii
import gzip
import json
import sys
import uuid
from collections.abc import Callable, Iterator
from typing import Any

from moto.backends import get_backend
from moto.ssm.exceptions import SSMException
from moto.ssm.models import Command
from moto.ssm.responses import SimpleSystemManagerResponse

from trainyard.rehearsal.emulated import head_node
from trainyard.rehearsal.emulated.actions import add, wrap
from trainyard.rehearsal.emulated.in_process_account import InProcessAccount
from trainyard.rehearsal.emulated.slurm import Answer

_TOKEN = "emulated-token"  # noqa: S105  it opens nothing


def install() -> None:
    """Add the actions."""
    add(SimpleSystemManagerResponse, describe_instance_information, start_session, terminate_session)
    wrap(Command, "_get_instance_ids_from_targets", _targeted)
    wrap(Command, "invocation_response", _invocation)


def inventory(account_id: str, region: str) -> dict[str, list[str]]:
    """Return the parameters that somebody made: with AWS's own, page by page, they would take a minute."""
    if "moto.ssm.models" not in sys.modules:
        return {}
    backend: Any = get_backend("ssm")
    regions = dict.get(backend, account_id, {})
    names = regions[region]._parameters if region in regions else ()  # noqa: SLF001  moto lists them with its own
    return {"SSM parameters": [name for name in names if not name.startswith("/aws/")]}


def describe_instance_information(self: Any) -> str:
    """Answer DescribeInstanceInformation: what Systems Manager has, or what of that is asked for."""
    filters = json.loads(self.body).get("Filters", [])
    ids = [value for filter_ in filters if filter_["Key"] == "InstanceIds" for value in filter_["Values"]]
    connected = [id_ for id_ in _connected(self.region) if not ids or id_ in ids]
    return json.dumps({"InstanceInformationList": [{"InstanceId": id_, "PingStatus": "Online"} for id_ in connected]})


def start_session(self: Any) -> str:
    """Answer StartSession."""
    target = json.loads(self.body)["Target"]
    if target not in _connected(self.region):
        raise SSMException("TargetNotConnected", f"{target} is not connected.")
    session = f"emulated-{uuid.uuid4().hex[:17]}"
    url = f"wss://ssmmessages.{self.region}.amazonaws.com/v1/data-channel/{session}?role=publish_subscribe"
    return json.dumps({"SessionId": session, "TokenValue": _TOKEN, "StreamUrl": url})


def terminate_session(self: Any) -> str:
    """Answer TerminateSession, which does not mind a session that has ended."""
    return json.dumps({"SessionId": json.loads(self.body)["SessionId"]})


def _targeted(former: Callable[[Any], list[str]], command: Any) -> list[str]:
    """Return the instances that targets name: without any, moto takes all that there are."""
    return former(command) if command.targets else []


def _invocation(former: Callable[..., dict[str, Any]], command: Any, instance: str, *arguments: Any) -> dict[str, Any]:
    """Run a command, which moto does when it is sent: later it only says what came of it."""
    invocation = former(command, instance, *arguments)
    lines = command.parameters.get("commands", [])
    passed = [decoded for line in lines for word in line.split() if (decoded := _decoded(word))]
    words = next((text.decode("utf-8", "replace").split("\0")[:-1] for text in passed if text.endswith(b"\0")), [])
    answer = head_node.slurm_answer(InProcessAccount(command.backend_region), instance, words) if words else None
    if answer is None and not any(b"squeue" in text for text in passed):
        return invocation
    if answer is None:  # a script, of which edge/remote/slurm_state.sh is the only one
        text = head_node.slurm_report(InProcessAccount(command.backend_region), instance, words[-1])
        printed, answer = gzip.compress(text.encode()), Answer()
    else:
        printed = answer.output.encode()
    output, error = (base64.b64encode(content).decode() or "-" for content in (printed, answer.error.encode()))
    text = f"trainyard-answer {answer.status} {len(printed)} {output} {error}\n"
    return {**invocation, "StandardOutputContent": text}


def _decoded(word: str) -> bytes:
    """Return what a word of a command is base64 of: another command, whose words end with zero bytes, or a script."""
    try:
        return base64.b64decode(word, validate=True)
    except (binascii.Error, ValueError):
        return b""


def _connected(region: str) -> Iterator[str]:
    running = [{"Name": "instance-state-name", "Values": ["running"]}]
    pages = InProcessAccount(region).client("ec2").get_paginator("describe_instances").paginate(Filters=running)
    for reservation in (reservation for page in pages for reservation in page["Reservations"]):
        yield from (
            instance["InstanceId"] for instance in reservation["Instances"] if instance.get("IamInstanceProfile")
        )
