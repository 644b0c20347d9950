"""What checks a matter by itself: rules and preflights, by their ids, with the title that the code gives them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import yaml

from trainyard.api.explain import Explanation, findings

_CHECKLISTS = Path(__file__).parent


def finding_link(id_: str) -> str:
    """Return a link to a finding. Raises KeyError where there is none of this id."""
    return f"[`{_findings()[id_].id}`](../findings.md#{id_})"


def finding_rows(name: str) -> str:
    """Return the table of a checklist: each item with what checks it. Raises KeyError for an id that there is not."""
    items = yaml.load((_CHECKLISTS / f"{name}_checklist.yaml").read_bytes(), Loader=yaml.CSafeLoader)
    return "\n".join(("| To see to | Checked by | What that is |", "|---|---|---|", *_rows(items)))


def _rows(items: list[Mapping[str, str | list[str]]]) -> Iterator[str]:
    for item in items:
        ids = item.get("findings", ())
        checked = "<br>".join(map(finding_link, ids)) if ids else "nothing"
        what = "<br>".join(_what(_findings()[id_]) for id_ in ids) if ids else item["instead"]
        yield f"| {item['item']} | {checked} | {what} |"


def _what(one: Explanation) -> str:
    by = {"rule": "`trainyard check`", "preflight": "`trainyard deploy`, before it makes anything"}
    return f"{one.title}: {one.severity}, by {by.get(one.kind, one.kind)}"


@cache
def _findings() -> Mapping[str, Explanation]:
    return {finding.id: finding for finding in findings()}
