"""The table of platforms is whole, and nobody outside platforms/ tells platforms apart by their names."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from trainyard.platform_entry import Platform
from trainyard.platform_table import PLATFORMS, platform_of
from trainyard.platforms.environment import ENVIRONMENT
from trainyard.spec.parsing import parse

SOURCE = Path(__file__).parents[2] / "src" / "trainyard"
ENTRIES = {**PLATFORMS, ENVIRONMENT.name: ENVIRONMENT}
_TELLS_APART = (ast.Eq, ast.NotEq, ast.In, ast.NotIn)


def is_a_platform(node: ast.expr) -> bool:
    return (isinstance(node, ast.Attribute) and node.attr == "platform") or (
        isinstance(node, ast.Name) and node.id == "platform"
    )


def keys_that_are_platforms(node: ast.Dict) -> set[str]:
    return {key.value for key in node.keys if isinstance(key, ast.Constant) and key.value in PLATFORMS}


def comparisons(tree: ast.AST) -> Iterator[ast.expr | ast.stmt]:
    """Yield whatever chooses by the name of a platform: comparisons, cases, tables."""
    yield from (node for node in ast.walk(tree) if isinstance(node, ast.expr | ast.stmt) and chooses(node))


def chooses(node: ast.AST) -> bool:
    match node:
        case ast.Compare(left=left, ops=[operator, *_], comparators=others):
            return isinstance(operator, _TELLS_APART) and any(map(is_a_platform, (left, *others)))
        case ast.Match(subject=subject):
            return is_a_platform(subject)
        case ast.Dict():
            return len(keys_that_are_platforms(node)) > 1
        case ast.Subscript(slice=key):
            return is_a_platform(key)
        case _:
            return False


@pytest.mark.parametrize(
    "text",
    [
        "if spec.platform == 'eks': pass",
        "if 'eks' != platform: pass",
        "x = spec.platform in ('batch', 'eks')",
        "match spec.platform:\n  case 'eks': pass",
        "T = {'batch': 1, 'eks': 2}",
        "T[spec.platform]",
    ],
)
def test_a_choice_by_name_is_seen(text):
    assert list(comparisons(ast.parse(text)))


def test_nobody_outside_the_rooms_of_platforms_chooses_by_their_names():
    found = {
        f"{file.relative_to(SOURCE)}:{node.lineno}: {ast.unparse(node)[:80]}"
        for file in SOURCE.rglob("*.py")
        if "platforms" not in file.parts and file.name != "platform_table.py"
        for node in comparisons(ast.parse(file.read_text(encoding="utf-8")))
    }
    assert found == set()


@pytest.mark.parametrize("name", ENTRIES)
def test_every_platform_has_every_part(name):
    """A part is a function that takes nothing and imports what it returns; others take what they judge."""
    platform = ENTRIES[name]
    for part, type_ in Platform.__annotations__.items():
        value = getattr(platform, part)
        if callable(value) and type_.startswith("Callable[[],"):
            assert value() is not None, part


@pytest.mark.parametrize("name", PLATFORMS)
def test_a_spec_leads_to_its_platform_and_an_environment_to_its_own_entry(name):
    cluster = f"name: c\nregion: us-east-2\nplatform: {name}\nqueues: [{{name: q, instance_type: p5.48xlarge}}]\n"
    environment = "kind: environment\nname: e\nregion: us-east-2\n"
    assert platform_of(parse(cluster, "cluster.yaml").spec) is PLATFORMS[name]
    assert platform_of(parse(environment, "environment.yaml").spec) is ENVIRONMENT


def test_titles_and_stacks_of_platforms_differ():
    assert len({platform.title for platform in ENTRIES.values()}) == len(ENTRIES)
    assert len({platform.cluster_stack("llm") for platform in PLATFORMS.values()}) == len(PLATFORMS)
