"""Every field of the spec changes the bundle."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from tests.each_case import each_case
from tests.render.changes import CHANGES, before_and_after, parse_path
from trainyard.bundle.assemble import assemble
from trainyard.document.write import yaml_text
from trainyard.finding import path_text
from trainyard.spec.cluster import Spec
from trainyard.spec.fields import field_hints, record_at
from trainyard.spec.parsing import parse
from trainyard.spec.queue import OneKindOfNodes


def bundle(spec: dict[str, Any]) -> dict[str, bytes]:
    return _bundle(yaml_text(spec))


@cache  # most fields are changed in the same spec
def _bundle(text: str) -> dict[str, bytes]:
    files = assemble(parse(text, "cluster.yaml").spec).files
    # To be listed as not rendered is not to be rendered.
    listed = rb"## In the spec, but not in this bundle\n.*?(?=## 1\.)"
    # Nor is it enough to be drawn.
    del files["architecture.svg"]
    return files | {"README.md": re.sub(listed, b"", files["README.md"], flags=re.DOTALL)}


@each_case("path", CHANGES)
def test_changing_a_field_changes_the_bundle(path: str):
    before, after = before_and_after(path)
    assert bundle(before) != bundle(after)


# Which kind of spec it is, another record says.
OF_ONE_VALUE = {("Spec", "kind")}


def test_every_field_of_the_spec_is_changed_by_one_of_these_tests():
    fields = {
        (record_at(Spec, steps[:-1]), steps[-1])
        for path in CHANGES
        if (steps := tuple(step for step in parse_path(path) if isinstance(step, str)))
    }
    written = {(record.__name__ if record else "", str(name)) for record, name in fields}
    missing = {field for field in _all_fields(Spec) if field not in written} - OF_ONE_VALUE
    assert missing == {("Spec", "platform")}


def _all_fields(record: type[Any]) -> set[tuple[str, str]]:
    from trainyard.spec.fields import records_in  # noqa: PLC0415  only this test walks the records

    found: set[tuple[str, str]] = set()
    for name, hint in field_hints(record).items():
        inner = list(dict.fromkeys(records_in(hint)))
        if not inner or name in ("nodes", "capacity", "compute_resources"):
            found.add((record.__name__, name))
        for one in inner:
            found |= _all_fields(one)
    # Fields that compute resources share with queues are changed in the flat form.
    shared = set(OneKindOfNodes.field_names())
    return {(name, field) for name, field in found if not (name == "ComputeResource" and field in shared)}


def test_the_path_text_of_findings_reads_like_the_paths_here():
    assert path_text(("queues", 0, "capacity", "reservation")) in CHANGES
