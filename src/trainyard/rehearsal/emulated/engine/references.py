"""Which resources of a template depend on which others, and the order that follows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Any

from trainyard.rehearsal.emulated.engine.refusals import InvalidError

_WAIT = "AWS::CloudFormation::WaitCondition"
_VARIABLE = re.compile(r"\$\{([A-Za-z0-9:]+)(?:\.[^}]*)?\}")


def references(value: Any) -> Iterator[str]:
    """Yield every name that Ref, GetAtt and Sub mention."""
    if isinstance(value, list):
        for item in value:
            yield from references(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _mentioned(key, item)


def _mentioned(key: str, item: Any) -> Iterator[str]:
    if key == "Ref" and isinstance(item, str):
        yield item
    elif key == "Fn::GetAtt":
        yield item.split(".")[0] if isinstance(item, str) else item[0]
    elif key == "Fn::Sub":
        text, variables = item if isinstance(item, list) else (item, {})
        yield from (name for name in _VARIABLE.findall(text) if name not in variables)
        yield from references(variables)
    else:
        yield from references(item)


def check_references(template: Mapping[str, Any]) -> None:
    """Refuse a template that mentions what it does not have."""
    resources = template["Resources"]
    names = set(resources) | set(template.get("Parameters") or {})
    for section in ("Resources", "Outputs"):
        for name, body in (template.get(section) or {}).items():
            missing = sorted(
                {name for name in references(_body(body)) if name not in names and not name.startswith("AWS::")}
            )
            missing += [name for name in _after(body) if name not in resources]
            if missing:
                raise InvalidError(
                    f"Template format error: Unresolved resource dependencies [{', '.join(missing)}] "
                    f"in the {section} block of the template ({name})"
                )


def creation_order(resources: Mapping[str, Any]) -> list[str]:
    """Return the logical ids so that each comes after what it depends on."""
    graph = {
        name: ({*references(_body(body)), *_after(body)} & set(resources)) - {name} for name, body in resources.items()
    }
    try:
        for wait in [name for name, body in resources.items() if body["Type"] == _WAIT]:
            graph[wait] |= _all_else(wait, graph)
        return list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        circle = ", ".join(sorted(set(error.args[1])))
        raise InvalidError(f"Circular dependency between resources: [{circle}]") from error


def _all_else(wait: str, graph: Mapping[str, set[str]]) -> set[str]:
    """Return what does not wait for this condition: AWS makes it in the meantime, and here it has to come before."""
    waiting = {wait}
    for name in TopologicalSorter(graph).static_order():
        if graph[name] & waiting:
            waiting.add(name)
    return set(graph) - waiting


def _body(body: Mapping[str, Any]) -> Any:
    return {key: item for key, item in body.items() if key not in ("DependsOn", "Condition", "Type")}


def _after(body: Mapping[str, Any]) -> list[str]:
    after = body.get("DependsOn") or []
    return [after] if isinstance(after, str) else list(after)
