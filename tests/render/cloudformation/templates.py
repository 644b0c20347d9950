"""The templates, read for tests: as they are deployed, with what is filled in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

import trainyard.render.cloudformation
from trainyard.render.cloudformation.stack import Kind
from trainyard.render.cloudformation.stacks import template

FOLDER = Path(trainyard.render.cloudformation.__file__).parent
STACKS: tuple[Kind, ...] = ("network", "storage", "monitoring", "rules", "assets")
TEXTS: dict[str, str] = {
    **{file.stem: file.read_text(encoding="utf-8") for file in sorted(FOLDER.glob("*.yaml"))},
    **{kind: template(kind) for kind in STACKS},
}
TEMPLATES: dict[str, dict[str, Any]] = {name: yaml.load(text, Loader=yaml.CSafeLoader) for name, text in TEXTS.items()}


def written_to(folder: Path) -> dict[str, Path]:
    """Write the templates into a folder, for programs that read files."""
    files = {name: folder / f"{name}.yaml" for name in TEXTS}
    for name, file in files.items():
        file.write_text(TEXTS[name], encoding="utf-8")
    return files


def of_type(template: dict[str, Any], *types: str) -> dict[str, dict[str, Any]]:
    """Return the resources of some types by name."""
    return {name: one for name, one in template["Resources"].items() if one["Type"] in types}


def names_in(node: Any) -> Iterator[str]:
    """Yield every name that a part of a template refers to, conditions as well."""
    if isinstance(node, list):
        for one in node:
            yield from names_in(one)
    elif isinstance(node, dict):
        for key, value in node.items():
            if key in ("Ref", "Condition") and isinstance(value, str):
                yield value
            elif key == "Fn::GetAtt":
                yield value[0]
            elif key == "Fn::If":
                yield value[0]
                yield from names_in(value[1:])
            elif key == "Fn::Sub":
                text, more = (value, {}) if isinstance(value, str) else value
                yield from (name.split(".")[0] for name in re.findall(r"\$\{([^}]+)\}", text) if name not in more)
                yield from names_in(more)
            else:
                yield from names_in(value)


def reached(template: dict[str, Any], part: str) -> set[str]:
    """Return every name that a part of a template refers to, also through conditions."""
    found = set(names_in(template[part]))
    conditions = template.get("Conditions", {})
    while more := {name for one in found & conditions.keys() for name in names_in(conditions[one])} - found:
        found |= more
    return found
