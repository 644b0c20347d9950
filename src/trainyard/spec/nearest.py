"""Makes a spec of plain data that others wrote: what is no part of a spec is left out, not complained about."""

from __future__ import annotations

from typing import Any

from pydantic_core import ValidationError

from trainyard.finding import Path
from trainyard.spec.cluster import Spec
from trainyard.spec.fields import written_path
from trainyard.spec.parsing import is_complete, spec_validator

# A file with more of them is so unlike a spec that nothing follows.
_MOST_LEFT_OUT = 50


def nearest_spec(data: dict[str, Any]) -> Spec | None:
    """Return the spec of plain data without the parts of it that are none; None where too little is left.

    The data loses these parts. A list that has one goes as a whole, so that positions stay what they are.
    """
    for _ in range(_MOST_LEFT_OUT):
        try:
            spec: Spec = spec_validator().validate_python(_with_tuples(data))
        except ValidationError as error:
            problem = error.errors(include_url=False)[0]
            path = written_path(Spec, problem["loc"])
            if not _leave_out(data, path[:-1] if problem["type"] == "missing" else path):
                return None
        else:
            return spec if is_complete(spec) else None
    return None


def _with_tuples(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _with_tuples(member) for key, member in value.items()}
    return tuple(map(_with_tuples, value)) if isinstance(value, list) else value


def _leave_out(data: dict[str, Any], path: Path) -> bool:
    """Remove the last key of a path, and return whether there was one."""
    keys = [index for index, step in enumerate(path) if isinstance(step, str)]
    if not keys:
        return False
    *above, last = path[: keys[-1] + 1]
    holder: Any = data
    for step in above:
        holder = holder[step]
    return holder.pop(last, None) is not None
