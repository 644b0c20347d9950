"""How a dashboard says that trainyard made it, for whom, and whether it still is what trainyard wrote.

The mark stands in the text at its top, so that it goes where the dashboard goes: nothing has to be remembered
elsewhere, and a call that is killed leaves nothing half done.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

_NO_DIGEST = "0" * 64
_MARK = re.compile(r"trainyard/(?P<region>[a-z0-9-]+)/(?P<cluster>[A-Za-z0-9-]+) sha256:(?P<digest>[0-9a-f]{64})")


class DashboardMark(NamedTuple):
    """Whose dashboard it is."""

    region: str
    """CloudWatch has dashboards by account, not by region, so that a name alone does not tell."""
    cluster: str
    intact: bool
    """Whether nobody has changed it since trainyard wrote it."""


def unmarked(region: str, cluster: str) -> str:
    """Return the mark as it stands before the digest is known."""
    return f"trainyard/{region}/{cluster} sha256:{_NO_DIGEST}"


def marked(body: dict[str, Any]) -> dict[str, Any]:
    """Return a body whose mark has the digest of everything else in it."""
    text = json.dumps(body)
    made: dict[str, Any] = json.loads(text.replace(f"sha256:{_NO_DIGEST}", f"sha256:{_digest(body)}"))
    return made


def mark_of(body: Any) -> DashboardMark | None:
    """Return the mark of a body that an account has, None where trainyard did not make it."""
    found = next((match for text in _texts(body) if (match := _MARK.search(text))), None)
    if found is None:
        return None
    text = json.dumps(body).replace(f"sha256:{found['digest']}", f"sha256:{_NO_DIGEST}")
    return DashboardMark(found["region"], found["cluster"], intact=_digest(json.loads(text)) == found["digest"])


def same(one: Any, other: Any) -> bool:
    """Return whether two bodies say the same, in whatever order of keys."""
    return _digest(one) == _digest(other)


def differences(there: Any, wanted: dict[str, Any]) -> Iterator[str]:
    """Yield in what a dashboard differs from what trainyard would write, by the titles of its widgets."""
    ours, theirs = _by_title(wanted), _by_title(there)
    yield from (f"{title!r} added" for title in theirs if title not in ours)
    yield from (f"{title!r} removed" for title in ours if title not in theirs)
    for title in (title for title in ours if title in theirs):
        if not same(ours[title].get("properties"), theirs[title].get("properties")):
            yield f"{title!r} changed"
        elif not same(ours[title], theirs[title]):
            yield f"{title!r} moved or resized"
    if not same(_around(there), _around(wanted)):
        yield "period or variables changed"


def _digest(value: Any) -> str:
    text = json.dumps(_plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _plain(value: Any) -> Any:
    """Return a value in which 1.0 is 1, as another JSON library may have written it."""
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _widgets(body: Any) -> list[dict[str, Any]]:
    widgets = body.get("widgets") if isinstance(body, dict) else None
    return [widget for widget in widgets if isinstance(widget, dict)] if isinstance(widgets, list) else []


def _properties(widget: dict[str, Any]) -> dict[str, Any]:
    properties = widget.get("properties")
    return properties if isinstance(properties, dict) else {}


def _texts(body: Any) -> Iterator[str]:
    yield from (
        str(_properties(widget).get("markdown", "")) for widget in _widgets(body) if widget.get("type") == "text"
    )


def _by_title(body: Any) -> dict[str, dict[str, Any]]:
    """Return the widgets by their titles; of a text its first line. The mark is other in every body."""
    found: dict[str, dict[str, Any]] = {}
    for widget in _widgets(body):
        text = str(_properties(widget).get("markdown", "")).strip()
        title = str(_properties(widget).get("title") or text.split("\n")[0].lstrip("# ") or "untitled")
        number = sum(key.split(" (")[0] == title for key in found)
        found[f"{title} ({number + 1})" if number else title] = _without_digest(widget)
    return found


def _without_digest(widget: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(re.sub(r"sha256:[0-9a-f]{64}", "", json.dumps(widget)))
    return made


def _around(body: Any) -> Any:
    return {key: value for key, value in body.items() if key != "widgets"} if isinstance(body, dict) else body
