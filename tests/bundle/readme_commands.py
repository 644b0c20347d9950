"""The AWS commands in a bundle's README, as the calls that the AWS command line would make of them."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

import botocore.session
from botocore import xform_name

from tests.specs import spec_of
from trainyard.bundle.assemble import assemble

if TYPE_CHECKING:
    from botocore.model import OperationModel, Shape

# Options of the aws command itself: https://docs.aws.amazon.com/cli/latest/userguide/cli-configure-options.html
OWN_OPTIONS = {"region", "query", "output"}
# What the command line calls otherwise than its models do.
SERVICES = {"s3api": "s3"}
# https://docs.aws.amazon.com/cli/latest/reference/ec2/run-instances.html: --count is 1 where it is not written.
FILLED_IN = {"run-instances": {"MinCount": 1, "MaxCount": 1}}
ASKED = [
    r"=\$\((aws .*)\)$",
    r"^until (aws .*) \| grep -qE",
    r"^(aws .*?)(?: \|\| aws .*)?$",
    r"^aws .* \|\| (aws .*)$",
]


def readme_of(part: str, outputs: Mapping[str, str] | None = None) -> str:
    return assemble(spec_of(part), outputs).files["README.md"].decode()


def code_lines(readme: str) -> list[str]:
    blocks: list[str] = re.findall(r"```bash\n(.*?)```", readme, re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


def aws_commands(readme: str) -> list[list[str]]:
    """Return the words of every aws command, those inside $(…) and those behind || too."""
    lines = [re.sub(r"   # .*$", "", line) for line in code_lines(readme)]
    found = [match[1] for line in lines for pattern in ASKED if (match := re.search(pattern, line))]
    return [shlex.split(command) for command in found]


def commands_in(part: str, name: str) -> list[dict[str, Any]]:
    """Return what every command of a name asks for, such as fsx create-file-system."""
    commands = [words for words in aws_commands(readme_of(part)) if " ".join(words[1:3]) == name]
    return [arguments(words) for words in commands]


def command_in(part: str, name: str) -> dict[str, Any]:
    """Return what the one command of a name asks for."""
    (found,) = commands_in(part, name)
    return found


def operation(words: list[str]) -> OperationModel:
    """Return the operation that a command calls: of a waiter, the one that it repeats."""
    return _operation(words[1], words[3] if words[2] == "wait" else words[2], repeated=words[2] == "wait")


@cache
def _operation(service: str, command: str, *, repeated: bool) -> OperationModel:
    session = botocore.session.get_session()
    service = SERVICES.get(service, service)
    model = session.get_service_model(service)
    if repeated:
        waiters = session.get_waiter_model(service)
        waiter = next(name for name in waiters.waiter_names if xform_name(name, "-") == command)
        return model.operation_model(waiters.get_waiter(waiter).operation)
    return model.operation_model(next(name for name in model.operation_names if xform_name(name, "-") == command))


def options(words: list[str]) -> dict[str, list[str]]:
    """Return the words behind each option."""
    found: dict[str, list[str]] = {}
    for word in words[4:] if words[2] == "wait" else words[3:]:
        if word.startswith("--"):
            name = word.removeprefix("--")
            assert name not in found, f"{name} is given twice"
            found[name] = []
        else:
            found[name].append(word)
    return found


def arguments(words: list[str]) -> dict[str, Any]:
    """Return the arguments of the call. Raises KeyError for an option that AWS does not know."""
    shape = operation(words).input_shape
    assert shape is not None
    names = {xform_name(name, "-").replace("azfs", "a-zfs"): name for name in shape.members}
    given = {names[name]: texts for name, texts in options(words).items() if name not in OWN_OPTIONS}
    tokens = {name: "x" for name, member in shape.members.items() if member.metadata.get("idempotencyToken")}
    return (
        FILLED_IN.get(words[2], {})
        | tokens
        | {name: _value(shape.members[name], texts) for name, texts in given.items()}
    )


def _value(shape: Shape, texts: list[str]) -> Any:
    if len(texts) == 1 and texts[0].startswith("file://"):
        return _content(shape)
    match shape.type_name:
        case "boolean" if not texts:
            return True
        case "list" if len(texts) != 1 or texts[0][0] not in "[$":
            return [_value(shape.member, [text]) for text in texts]
    (text,) = texts
    if shape.type_name in ("structure", "map", "list") and not text.startswith("$"):
        return _typed(shape, json.loads(text) if text[0] in "{[" else _shorthand(text))
    return _typed(shape, [text] if shape.type_name == "list" else text)


def _content(shape: Shape) -> Any:
    """Return what stands for the content of a file: a parameter, or text."""
    return [{"ParameterKey": "Key", "ParameterValue": "value"}] if shape.type_name == "list" else "text"


def _typed(shape: Shape, value: Any) -> Any:
    match shape.type_name:
        case "structure":
            return {name: _typed(shape.members[name], one) for name, one in value.items()}
        case "list":
            return [_typed(shape.member, one) for one in value]
        case "integer" | "long":
            return int(value)
        case "boolean":
            return {"true": True, "false": False}[str(value).lower()]
        case _:
            return value


def _shorthand(text: str) -> Any:
    """Return what key=value,key={…},key=[…] stands for.

    https://docs.aws.amazon.com/cli/latest/userguide/cli-usage-shorthand.html
    """
    words = re.findall(r"'[^']*'|[^][{}=,']+|[][{}=,]", text)
    as_json = "".join(
        word if word in "[]{}," else ":" if word == "=" else json.dumps(word.strip("'")) for word in words
    )
    return json.loads(f"{{{as_json}}}")
