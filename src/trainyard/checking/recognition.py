"""Tells by its content whose file a text is, before anybody complains about its form."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import PurePath
from types import MappingProxyType
from typing import Any, NamedTuple

from trainyard.document.node import Document, Place, YamlNode
from trainyard.document.read import read_yaml_stream
from trainyard.errors import FindingsError
from trainyard.finding import Finding
from trainyard.rules import DocumentKind
from trainyard.rules.cloudformation.terraform_plan import template_of_plan
from trainyard.spec.cluster import Spec

# The short forms of intrinsic functions, those of rules among them, and what each stands for. Ref and Condition have
# no prefix.
# https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference.html
_FUNCTIONS = (
    "And", "Base64", "Cidr", "Contains", "EachMemberEquals", "EachMemberIn", "Equals", "FindInMap", "GetAtt", "GetAZs",
    "If", "ImportValue", "Join", "Length", "Not", "Or", "RefAll", "Select", "Split", "Sub", "ToJsonString",
    "Transform", "ValueOf", "ValueOfAll",
)  # fmt: skip
FUNCTIONS = MappingProxyType(
    {"!Ref": "Ref", "!Condition": "Condition", **{f"!{name}": f"Fn::{name}" for name in _FUNCTIONS}}
)
# https://docs.aws.amazon.com/eks/latest/eksctl/schema.html
_EKSCTL = "eksctl.io/"
# What plainly marks a text, also where it cannot be read as YAML; the first that is there counts.
_MARKS: tuple[tuple[re.Pattern[str], DocumentKind], ...] = (
    (re.compile(r"^\s*\"?apiVersion\"?:\s*\"?eksctl\.io/", re.MULTILINE), "eksctl"),
    (
        re.compile(r"(?:^\s*|[\"'])AWSTemplateFormatVersion[\"']?\s*:|\bType\"?:\s*[\"']?AWS::\w+::\w+", re.MULTILINE),
        "cloudformation",
    ),
)
_YAML_SUFFIXES = frozenset({".yaml", ".yml", ".json", ".template", ".cfn", ""})
# https://slurm.schedmd.com/sbatch.html#SECTION_DESCRIPTION
_SBATCH = re.compile(r"^#SBATCH\s", re.MULTILINE)
_SHELL = re.compile(r"#!\s*(?:\S*/env\s+(?:-S\s+)?)?(?:\S*/)?(?:ba|da|k|z)?sh\b")
# https://docs.docker.com/reference/dockerfile/#from
_FROM = re.compile(r"^\s*FROM\s+\S", re.MULTILINE | re.IGNORECASE)
_UNKNOWN = "no file of a tool that trainyard knows, and no spec"
# https://github.com/aws-cloudformation/rain has tags of its own, which it replaces before CloudFormation sees them.
_TEMPLATE_ENGINE = re.compile(r"\{\{(?!resolve:)|\{%|!Rain::")


class Recognition(NamedTuple):
    """What a text is: documents with the kind of each, or why it is not judged. All empty where it is a spec."""

    documents: tuple[tuple[DocumentKind, Document], ...] = ()
    problems: tuple[Finding, ...] = ()
    """Why a file of the kind that it plainly is cannot be read."""
    kind: DocumentKind | None = None
    """Of its first document, or of the text where it cannot be read."""
    reason: str | None = None
    """Why it is not judged."""
    may_be_spec: bool = False
    """Whether it may be meant as a spec all the same, by who names it."""


def recognise(text: str, file: str) -> Recognition:
    """Return whose file a text is. Names count only where content says too little, as for a Dockerfile."""
    if kind := _kind_of_script(text, file):
        return Recognition(((kind, script(text, file)),), kind=kind)
    if PurePath(file).suffix.lower() not in _YAML_SUFFIXES:
        return Recognition(reason=_UNKNOWN)
    try:
        documents = read_yaml_stream(text, file, FUNCTIONS)
    except FindingsError as error:
        return _unread(text, error)
    kinds = tuple((kind, document) for document in documents if (kind := document_kind(document.value)) is not None)
    if kinds:
        kinds = tuple((kind, template_of_plan(one) if kind == "terraform" else one) for kind, one in kinds)
        return Recognition(kinds, kind=kinds[0][0])
    return _of_no_tool(documents)


def _of_no_tool(documents: tuple[Document, ...]) -> Recognition:
    value = documents[0].value if len(documents) == 1 else None
    if not isinstance(value, dict):
        return Recognition(reason=_UNKNOWN if documents else "it is empty", may_be_spec=True)
    known = value.keys() & frozenset(Spec.field_names())
    # Other tools have a platform, too, beside keys of their own.
    if "queues" in value or ("platform" in value and 2 * len(known) > len(value)):
        return Recognition()
    return Recognition(reason=_UNKNOWN, may_be_spec=len(known) == len(value))


def document_kind(value: Any) -> DocumentKind | None:
    """Return the kind of a document by its keys, or None where it is no file of a tool that trainyard knows."""
    if not isinstance(value, dict):
        return None
    return next((kind for kind, is_one in _BY_KEYS.items() if is_one(value)), None)


def _is_eksctl(value: dict[str, Any]) -> bool:
    api = value.get("apiVersion")
    return isinstance(api, str) and api.startswith(_EKSCTL) and value.get("kind") in ("ClusterConfig", None)


def _is_cloudformation(value: dict[str, Any]) -> bool:
    resources = value.get("Resources")
    if not isinstance(resources, dict):
        return False
    types = [resource.get("Type") for resource in resources.values() if isinstance(resource, dict)]
    return "AWSTemplateFormatVersion" in value or any(isinstance(name, str) and "::" in name for name in types)


def _is_kubernetes(value: dict[str, Any]) -> bool:
    return isinstance(value.get("apiVersion"), str) and isinstance(value.get("kind"), str)


def _is_hyperpod(value: dict[str, Any]) -> bool:
    # What `aws sagemaker create-cluster --cli-input-json` takes, and what its lifecycle scripts read.
    if isinstance(value.get("InstanceGroups"), tuple) and "ClusterName" in value:
        return True
    return isinstance(value.get("worker_groups"), tuple) and (
        "controller_group" in value or "workload_manager" in value
    )


def _is_terraform(value: dict[str, Any]) -> bool:
    return "format_version" in value and isinstance(value.get("planned_values"), dict)


def _is_parallelcluster(value: dict[str, Any]) -> bool:
    return "HeadNode" in value or "Scheduling" in value


_BY_KEYS: MappingProxyType[DocumentKind, Callable[[dict[str, Any]], bool]] = MappingProxyType(
    {
        "parallelcluster": _is_parallelcluster,
        "eksctl": _is_eksctl,
        "cloudformation": _is_cloudformation,
        "kubernetes": _is_kubernetes,
        "hyperpod": _is_hyperpod,
        "terraform": _is_terraform,
    }
)


def _kind_of_script(text: str, file: str) -> DocumentKind | None:
    name = PurePath(file).name.lower()
    if text.startswith("#!"):
        return "sbatch" if _SBATCH.search(text) else "shell" if _SHELL.match(text) else None
    if name.startswith(("dockerfile", "containerfile")) or name.endswith((".dockerfile", ".containerfile")):
        return "dockerfile" if _FROM.search(text) else None
    return "shell" if name.endswith((".sh", ".bash")) else None


def script(text: str, file: str) -> Document:
    """Return a script as a document: the list of its lines."""
    lines = text.removeprefix("\ufeff").splitlines()
    members = [YamlNode(line, Place(number, 1)) for number, line in enumerate(lines, 1)]
    return Document(file, YamlNode(tuple(lines), Place(1, 1), len(lines) + 1, members))


def _unread(text: str, error: FindingsError) -> Recognition:
    """Return what is wrong with a text that cannot be read, where it plainly is a tool's file."""
    if _TEMPLATE_ENGINE.search(text):
        return Recognition(reason="a template with {{, {% or !Rain::; fill it in first")
    kind = next((kind for mark, kind in _MARKS if mark.search(text)), None)
    if kind is not None:
        return Recognition(problems=error.findings, kind=kind)
    first = error.findings[0]
    where = f"line {first.line}: " if first.line else ""
    return Recognition(reason=f"no kind of file can be told: {where}{first.message}", may_be_spec=True)
