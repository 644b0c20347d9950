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


def mark_without_digest(region: str, cluster: str) -> str:
    """Return the mark as it stands before the digest is known."""
    return f"trainyard/{region}/{cluster} sha256:{_NO_DIGEST}"


def with_mark(body: dict[str, Any]) -> dict[str, Any]:
    """Return a body whose mark has the digest of everything else in it."""
    text = json.dumps(body)
    marked_body: dict[str, Any] = json.loads(text.replace(f"sha256:{_NO_DIGEST}", f"sha256:{_digest(body)}"))
    return marked_body


def mark_of(body: Any) -> DashboardMark | None:
    """Return the mark of a body that an account has, None where trainyard did not make it."""
    mark_match = next((match for text in _texts(body) if (match := _MARK.search(text))), None)
    if mark_match is None:
        return None
    text = json.dumps(body).replace(f"sha256:{mark_match['digest']}", f"sha256:{_NO_DIGEST}")
    return DashboardMark(
        mark_match["region"], mark_match["cluster"], intact=_digest(json.loads(text)) == mark_match["digest"]
    )


def same(first: Any, other: Any) -> bool:
    """Return whether two bodies say the same, in whatever order of keys."""
    return _digest(first) == _digest(other)


def differences(existing: Any, expected: dict[str, Any]) -> Iterator[str]:
    """Yield in what a dashboard differs from what trainyard would write, by the titles of its widgets."""
    expected_widgets, existing_widgets = _by_title(expected), _by_title(existing)
    yield from (f"{title!r} added" for title in existing_widgets if title not in expected_widgets)
    yield from (f"{title!r} removed" for title in expected_widgets if title not in existing_widgets)
    for title in (title for title in expected_widgets if title in existing_widgets):
        if not same(expected_widgets[title].get("properties"), existing_widgets[title].get("properties")):
            yield f"{title!r} changed"
        elif not same(expected_widgets[title], existing_widgets[title]):
            yield f"{title!r} moved or resized"
    if not same(_around(existing), _around(expected)):
        yield "period or variables changed"


def _digest(value: Any) -> str:
    text = json.dumps(_plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _plain(value: Any) -> Any:
    """Return a value in which 1.0 is 1, as another JSON library may have written it."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
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
    by_title: dict[str, dict[str, Any]] = {}
    for widget in _widgets(body):
        text = str(_properties(widget).get("markdown", "")).strip()
        title = str(_properties(widget).get("title") or text.split("\n")[0].lstrip("# ") or "untitled")
        number = sum(key.split(" (")[0] == title for key in by_title)
        by_title[f"{title} ({number + 1})" if number else title] = _without_digest(widget)
    return by_title


def _without_digest(widget: dict[str, Any]) -> dict[str, Any]:
    widget_without_digest: dict[str, Any] = json.loads(re.sub(r"sha256:[0-9a-f]{64}", "", json.dumps(widget)))
    return widget_without_digest


def _around(body: Any) -> Any:
    return {key: value for key, value in body.items() if key != "widgets"} if isinstance(body, dict) else body
