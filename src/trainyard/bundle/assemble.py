"""Puts the files of a bundle together. Pure: the same spec and outputs give the same bytes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import yaml
from pydantic_core import from_json, to_json

from trainyard.bundle.asset_lock import FILE_NAME, parse_lock
from trainyard.bundle.assets import PLAN, assets, release_of
from trainyard.bundle.config_text import config_text, with_heading
from trainyard.bundle.contents import missing_from_lock
from trainyard.bundle.monitoring_files import bundle_files
from trainyard.bundle.readme import readme
from trainyard.bundle.readme_contents import ReadmeContents
from trainyard.bundle.release import Release
from trainyard.finding import Path, path_text
from trainyard.platform_table import platform_of
from trainyard.render.bench.plan import bench_files
from trainyard.render.cloudformation.stack import Stack
from trainyard.render.diagram.architecture import architecture_svg
from trainyard.render.rendering import Rendering, render
from trainyard.render.stand_ins import Ids, StandIn
from trainyard.spec.cluster import Spec


class Bundle(NamedTuple):
    """The files of a bundle by name, and the ids in them that are stand-ins."""

    files: dict[str, bytes]
    stand_ins: tuple[StandIn, ...]
    outputs: frozenset[str]
    """Names of the stack outputs that it uses, known or not."""
    unlocked: tuple[str, ...] = ()
    """What nodes install that the lock does not name."""


def assemble(spec: Spec, outputs: Mapping[str, str] | None = None, lock: bytes | None = None) -> Bundle:
    """Return the bundle of a spec.

    ``outputs`` are the outputs of its stacks by name, as far as they are known; ``lock`` is its assets.lock.json.
    """
    known_outputs = outputs or {}
    rendering = render(spec, known_outputs)
    node_release, locked = release_of(spec, lock, known_outputs), parse_lock(lock, FILE_NAME)
    ids = Ids(known_outputs)
    collecting = bundle_files(spec, ids)
    texts = {
        "README.md": readme(spec, ReadmeContents(rendering, node_release, collecting, known_outputs, locked)),
        **_configs(spec, rendering, collecting),
        **stack_files(rendering.stacks),
        "architecture.svg": architecture_svg(spec),
        "stand-ins.json": _stand_ins_text(rendering, node_release, collecting, ids.in_order()),
    }
    files = {name: text.encode() for name, text in texts.items()}
    files |= assets(node_release) | collecting
    files |= {f"bench/{name}": content for name, content in bench_files(spec).items()}
    files |= {
        f"images/{name}": content for name, content in platform_of(spec).rendering().container_images(spec).items()
    }
    return Bundle(files, rendering.stand_ins, rendering.outputs | ids.used, missing_from_lock(spec, locked))


def _configs(spec: Spec, rendering: Rendering, collecting: Mapping[str, bytes]) -> dict[str, str]:
    """Return the documents as text, which ``collecting`` has of some; manifests as they lie in the package."""
    manifests = {name: with_heading(spec, text) for name, text in rendering.manifests.items()}
    others = {name: document for name, document in rendering.documents.items() if name not in manifests}
    configs = {
        name: collecting[name].decode() if name in collecting else config_text(spec, document)
        for name, document in others.items()
    }
    return configs | manifests


def _stand_ins_text(
    rendering: Rendering, node_release: Release | None, collecting: Mapping[str, bytes], later: tuple[StandIn, ...]
) -> str:
    """Return where stand-ins stand. ``later`` are those of the folder monitoring/, some of which the cluster fills."""
    parameters = {stack.parameters_file: parameters_list(stack) for stack in rendering.stacks}
    plan = {} if node_release is None else {PLAN: from_json(node_release.plan)}
    all_stand_ins = dict.fromkeys((*rendering.stand_ins, *later))
    monitoring = {  # thousands of texts each, and few have any
        name: from_json(content) if name.endswith(".json") else yaml.load(content, Loader=yaml.CSafeLoader)
        for name, content in collecting.items()
        if name not in rendering.documents
        and name.endswith((".json", ".yml"))
        and any(stand_in.value.encode() in content for stand_in in all_stand_ins)
    }
    documents: dict[str, Any] = {**rendering.documents, **parameters, **plan, **monitoring}
    strings = [(name, *string) for name, document in documents.items() for string in _strings(document, ())]
    stand_ins = [
        {
            "value": stand_in.value,
            "output": stand_in.output,
            "stack": stand_in.stack,
            "what": stand_in.what,
            "where": [
                {"file": name, "path": path_text(path)}
                for name, path, text in strings
                if stand_in.value in text  # alone, or as a part of a URL
            ],
        }
        for stand_in in all_stand_ins
    ]
    return to_json({"schema": 1, "stand_ins": stand_ins}, indent=2).decode() + "\n"


def _strings(node: object, path: Path) -> Iterator[tuple[Path, str]]:
    """Yield every text in a document, with its path."""
    if isinstance(node, dict):
        for key, member in node.items():
            yield from _strings(member, (*path, key))
    elif isinstance(node, list):
        for index, member in enumerate(node):
            yield from _strings(member, (*path, index))
    elif isinstance(node, str):
        yield path, node


def stack_files(stacks: Sequence[Stack]) -> dict[str, str]:
    """Return the texts of all files by name."""
    files = {}
    for stack in stacks:
        files[stack.template_file] = stack.template
        files[stack.parameters_file] = to_json(parameters_list(stack), indent=2).decode() + "\n"
    return files


def parameters_list(stack: Stack) -> list[dict[str, str]]:
    """Return the parameters in the form that `aws cloudformation create-stack` reads.

    https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_Parameter.html
    """
    return [{"ParameterKey": name, "ParameterValue": value} for name, value in stack.parameters.items()]
