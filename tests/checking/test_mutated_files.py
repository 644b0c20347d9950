"""Real files with anything in any place: they are judged without a crash, and every finding names its place."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import example_document
from tests.oracles import PUBLISHED_CONFIGS
from trainyard.checking.any_file import check_any_text
from trainyard.finding import Finding, path_text
from trainyard.rules import SCRIPTS, all_document_rules

GOLDEN = Path(__file__).parents[1] / "bundle" / "golden"
VALUES: tuple[Any, ...] = (
    None, 0, -1, 1.5, 10**30, True, "", "x" * 300, "\x1b[31m\n", "${A}", "²", "9" * 5000, "1e400", "1Gi", "p5.48xlarge",
    [], [[]], [None], [1, "a"], {}, {"a": None}, {"Ref": "A"}, {"Ref": [1]}, {"Fn::If": ["a"]},
    {"Fn::If": [{}, [], {}]}, {"Fn::Sub": ["${A}", [1]]}, {"Fn::GetAtt": 1}, {"Fn::Join": [1, ["a", {"Ref": "A"}]]},
)  # fmt: skip
LINES = (
    "export NCCL_ALGO=", 'export A="', "curl https://a.example/x | ", "#SBATCH --", "cat <<EOF", "EOF", "\\", "$((",
    "srun --nodes=", "RUN [", "FROM ", "\x1b[31m", "²", "${", "awk '{print $", "|| true", "\0",
)  # fmt: skip
COMPLETE = tuple(
    (rule.kinds[0], example_document(rule.kinds[0], part))
    for rule in all_document_rules()
    for part in (rule.bad, rule.good)
)


@cache
def documents() -> list[list[Any]]:
    """Return what files of other tools say, those that rules have as examples and real ones."""
    real = [*GOLDEN.rglob("*.yaml"), *PUBLISHED_CONFIGS.glob("*/cluster*.yaml")]
    texts = [text for kind, text in COMPLETE if kind not in SCRIPTS] + [
        file.read_text("utf-8") for file in sorted(real)
    ]
    read = []
    for text in texts:
        try:
            read.append([value for value in yaml.load_all(text, _AnyTag) if value is not None])
        except yaml.YAMLError:
            continue  # one of the published files is none
    return [values for values in read if values]


@cache
def scripts() -> list[tuple[str, list[str]]]:
    """Return the lines of scripts, each with a name of its kind."""
    return [
        ("Dockerfile" if kind == "dockerfile" else "run.sh", text.splitlines())
        for kind, text in COMPLETE
        if kind in SCRIPTS
    ]


class _AnyTag(yaml.SafeLoader):
    """Reads the short forms of functions of CloudFormation as the long ones."""


def _function(loader: yaml.SafeLoader, suffix: str, node: yaml.Node) -> Any:
    key = suffix if suffix in ("Ref", "Condition") else f"Fn::{suffix}"
    if isinstance(node, yaml.ScalarNode):
        return {key: loader.construct_scalar(node)}
    if isinstance(node, yaml.SequenceNode):
        return {key: loader.construct_sequence(node, deep=True)}
    assert isinstance(node, yaml.MappingNode)
    return {key: loader.construct_mapping(node, deep=True)}


_AnyTag.add_multi_constructor("!", _function)


def paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield every path in plain data."""
    members = value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else ())
    for step, member in members:
        yield (*path, step)
        yield from paths(member, (*path, step))


@st.composite
def mutated_documents(draw: st.DrawFn) -> str:
    """Return a file in which up to three values are gone, other ones, or there twice."""
    documents_ = copy.deepcopy(draw(st.sampled_from(documents())))
    for _ in range(draw(st.integers(1, 3))):
        places = list(paths(documents_))
        if not places:
            break
        *above, last = draw(st.sampled_from(places))
        holder: Any = documents_
        for step in above:
            holder = holder[step]
        match draw(st.sampled_from(("another", "another", "gone", "twice"))):
            case "another":
                holder[last] = copy.deepcopy(draw(st.sampled_from(VALUES)))
            case "gone":
                del holder[last]
            case _ if isinstance(holder, list):
                holder.append(copy.deepcopy(holder[last]))
            case _:
                holder["Novelty"] = copy.deepcopy(holder[last])
    return yaml.dump_all(documents_, Dumper=_WithoutAliases, sort_keys=False, allow_unicode=True)


class _WithoutAliases(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002  as PyYAML calls it
        return True


@st.composite
def mutated_scripts(draw: st.DrawFn) -> tuple[str, str]:
    """Return a script in which lines are gone, cut, or begin with what nobody writes; and its name."""
    name, lines = draw(st.sampled_from(scripts()))
    lines = list(lines)
    for _ in range(draw(st.integers(1, 4))):
        position = draw(st.integers(0, len(lines) - 1))
        odd = draw(st.sampled_from(LINES))
        cut = draw(st.integers(0, len(lines[position])))
        line = lines[position]
        lines[position] = draw(st.sampled_from((odd + line, line + odd, line[:cut], line[:cut] + odd, line[cut:])))
    return name, "\n".join(lines) + draw(st.sampled_from(("", "\n")))


Places = dict[str, set[tuple[int, int]]]


def places_of(text: str) -> list[tuple[int, Places]]:
    """Return the first line of every document of a text, and where its paths stand, by PyYAML itself.

    A path stands at its key, or at its entry of a list.
    """

    def add(places: Places, node: yaml.Node, path: tuple[Any, ...]) -> Places:
        members: list[tuple[yaml.Node, Any, yaml.Node]] = []
        if isinstance(node, yaml.MappingNode):
            members = [(key, key.value, value) for key, value in node.value]
        elif isinstance(node, yaml.SequenceNode):
            members = [(value, index, value) for index, value in enumerate(node.value)]
        for placed, step, member in members:
            if isinstance(step, str | int):
                mark = placed.start_mark
                places.setdefault(path_text((*path, step)), set()).add((mark.line + 1, mark.column + 1))
                add(places, member, (*path, step))
        return places

    return [
        (document.start_mark.line + 1, add({}, document, ()))
        for document in yaml.compose_all(text, yaml.SafeLoader)
        if document is not None
    ]


def misplaced(text: str, findings: tuple[Finding, ...]) -> list[Finding]:
    """Return the findings about a path of their document that stand neither there nor, as within a script, below it."""
    documents_ = places_of(text)

    def places_beside(finding: Finding) -> Places:
        above = [places for first, places in documents_ if first <= (finding.line or 1)]
        return above[-1] if above else {}

    return [
        finding
        for finding in findings
        if finding.path in (places := places_beside(finding))
        and not finding.id.startswith(("script-", "sbatch-", "dockerfile-"))
        and (finding.line, finding.column) not in places[finding.path]
    ]


def test_every_document_of_a_file_has_its_own_places():
    text = "Region: us-east-2\n---\n# The second one.\nImage: {}\nRegion: us-west-2\n"
    assert places_of(text) == [
        (1, {"Region": {(1, 1)}}),
        (4, {"Image": {(4, 1)}, "Region": {(5, 1)}}),
    ]
    finding = Finding(id="made", severity="error", path="Image", message="It is empty.", line=1, column=1)
    assert misplaced(text, (finding, finding._replace(line=4))) == []
    assert misplaced(text, (finding._replace(line=5),)) == [finding._replace(line=5)]


def no_crash_and_every_place(text: str) -> None:
    """Check a mutated file, whatever it is by now."""
    assert misplaced(text, check_any_text(text, "file.yaml").findings) == []


@given(mutated_documents())
def test_every_mutated_document_is_judged_and_every_finding_stands_at_its_value(text):
    no_crash_and_every_place(text)


@given(mutated_scripts())
def test_every_mutated_script_is_judged_and_every_finding_stands_in_it(script):
    name, text = script
    for finding in check_any_text(text, name).findings:
        # An empty file has a first line too, in which an editor stands.
        assert finding.line is None or 1 <= finding.line <= max(1, len(text.splitlines()))


@pytest.mark.exhaustive
@settings(max_examples=3000)
@given(mutated_documents())
def test_very_many_mutated_documents_are_judged_and_every_finding_stands_at_its_value(text):
    no_crash_and_every_place(text)
