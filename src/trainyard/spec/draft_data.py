"""Plain data that is to become a spec: what no spec can say is taken out of it, value by value."""

from __future__ import annotations

from typing import Any

from pydantic_core import ValidationError

from trainyard.errors import InputError
from trainyard.finding import Path, path_text
from trainyard.spec.cluster import Spec
from trainyard.spec.fields import broken_groups, written_path
from trainyard.spec.parsing import is_complete, spec_validator

_MOST_TAKEN_OUT = 300
_NODES = frozenset({"queues", "compute_resources"})


def valid_spec(data: dict[str, Any]) -> Spec:
    """Return the spec of plain data, which loses what no spec can say. Raises InputError where too little is left."""
    for _ in range(_MOST_TAKEN_OUT):
        try:
            spec: Spec = spec_validator().validate_python(_with_tuples(data))
        except ValidationError as error:
            problem = error.errors(include_url=False)[0]
            path = written_path(Spec, problem["loc"])
            if not remove(data, path[:-1] if problem["type"] == "missing" else path):
                raise _no_spec(path, problem["msg"]) from None
        else:
            if is_complete(spec):
                return spec
            path, group = next(broken_groups(Spec, _with_tuples(data)))
            if not (remove(data, path) or remove(data, path[:2])):
                raise _no_spec(path, f"has not one of {', '.join(group)}")
    raise _no_spec((), "has too much that is no part of a spec")


def is_valid(data: dict[str, Any]) -> bool:
    """Return whether plain data is a spec."""
    try:
        return is_complete(spec_validator().validate_python(_with_tuples(data)))
    except ValidationError:
        return False


def remove(data: dict[str, Any], path: Path) -> bool:
    """Remove what stands at a path, unless it is nodes; return whether it was there. An empty list goes with it."""
    *above, last = path or ("",)
    holder: Any = data
    for step in above:
        try:
            holder = holder[step]
        except (KeyError, IndexError, TypeError):
            return False
    if isinstance(last, int):
        if above[-1] in _NODES or not isinstance(holder, list) or last >= len(holder):
            return False
        del holder[last]
        return bool(holder) or remove(data, tuple(above))
    if not isinstance(holder, dict) or last in _NODES or last not in holder:
        return False
    del holder[last]
    return True


def _no_spec(path: Path, message: str) -> InputError:
    where = path_text(path)
    return InputError(
        f"this cannot become a spec: {where or 'it'} {message}",
        where=where or None,
        hint="`trainyard check` says what is wrong with the file; give placeholders such as ${VAR} their values first",
    )


def _with_tuples(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _with_tuples(member) for key, member in value.items()}
    return tuple(map(_with_tuples, value)) if isinstance(value, list) else value
