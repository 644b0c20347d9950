"""Configurations with mistakes: adopted as they are, or refused with a reason, and never with a difference unsaid."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from trainyard.api.adopt import adopt_file
from trainyard.errors import TrainyardError
from trainyard.finding import path_text
from trainyard.render.overlay import differences, with_lists
from trainyard.render.rendering import render
from trainyard.spec.parsing import parse

TESTS = Path(__file__).parents[3]
CONFIGS = [
    yaml.safe_load(file.read_text(encoding="utf-8"))
    for file in sorted([*TESTS.glob("bundle/golden/[dp]*/cluster.yaml"), *TESTS.glob("oracle/configs/*.yaml")])
]
VALUES: tuple[Any, ...] = (
    None, "", 0, -1, True, False, [], {}, [None], {"a": None}, "${X}", "x" * 300, 1.5, "12", [{"Name": "a"}], "a\nb",
    [[1]], {"Name": {}}, 10**30,
)  # fmt: skip


def paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield every path in plain data."""
    members = value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else ())
    for step, member in members:
        yield (*path, step)
        yield from paths(member, (*path, step))


@st.composite
def mutated(draw: st.DrawFn) -> dict[str, Any]:
    """Return a configuration of which one value is gone, another one, or there twice."""
    config: dict[str, Any] = copy.deepcopy(draw(st.sampled_from(CONFIGS)))
    *above, last = draw(st.sampled_from(list(paths(config))))
    holder: Any = config
    for step in above:
        holder = holder[step]
    match draw(st.sampled_from(("gone", "another", "twice"))):
        case "gone":
            del holder[last]
        case "another":
            holder[last] = copy.deepcopy(draw(st.sampled_from(VALUES)))
        case _ if isinstance(holder, list):
            holder.append(copy.deepcopy(holder[last]))
        case _:
            holder["Novelty"] = copy.deepcopy(holder[last])
    return config


@settings(max_examples=25, derandomize=True)
@given(mutated())
def test_every_difference_is_listed(config):
    with TemporaryDirectory() as folder:
        file = Path(folder) / "mutated.yaml"
        file.write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")
        try:
            adoption = adopt_file(str(file), "mutated", None if isinstance(config.get("Region"), str) else "us-east-2")
        except TrainyardError:
            return
    rendered = with_lists(render(parse(adoption.spec, "spec.yaml").spec, {}).documents["cluster.yaml"])
    listed = {difference.path for difference in adoption.differences}
    unlisted = {path_text(path) for path, *_ in differences(config, rendered)} - listed
    assert {path for path in unlisted if "Subnet" not in path} == set()  # ids stand for what is no subnet
