"""The guides are true: their commands exist, their links lead somewhere, and their facts are those of the data."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from guides.pages import filled, guides
from tests.each_case import each_case
from trainyard.api.explain import explanations
from trainyard.bootstrap.steps import STEPS
from trainyard.cli import trainyard as program
from trainyard.document.read import read_yaml
from trainyard.operate.connect.node_user import default_users
from trainyard.spec.parsing import known_keys, parse

DOCS = Path(__file__).parents[2] / "docs"
GUIDES = guides()
EACH = pytest.mark.parametrize("name", GUIDES)
PLACEHOLDERS = {"NAME": "llm", "REGION": "us-east-2", "SPEC": "cluster.yaml", "NODE": "login", "ID": "node-failed"}
SMALLEST = "name: a\nregion: us-east-2\nplatform: parallelcluster\nqueues: [{name: q, instance_type: m5.large}]\n"
CONTINUED = re.compile(r"\\\n\s*")


def anchors(text: str) -> set[str]:
    """Return the anchors of a page, as GitHub makes them."""
    found = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^a-z0-9_ -]", "", one.lower()).replace(" ", "-") for one in found}


def commands() -> Iterator[tuple[str, str]]:
    """Yield every command of ours in the guides, with its guide: a line of an example, or in backquotes."""
    for name, text in GUIDES.items():
        blocks = re.findall(r"```bash\n(.*?)```", text, re.DOTALL)
        lines = [line.strip() for block in blocks for line in CONTINUED.sub(" ", block).splitlines()]
        inline = re.findall(r"(?<!`)`(trainyard [^`]+)`(?!`)", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
        for line in (*lines, *inline):
            if "trainyard " in line:
                yield name, line[line.index("trainyard ") :]


COMMANDS = sorted(set(commands()))


@each_case(("name", "line"), COMMANDS, ids=[line for _, line in COMMANDS])
def test_the_command_line_takes_what_a_guide_writes(name: str, line: str):
    words = [PLACEHOLDERS.get(word, word) for word in shlex.split(line.partition(" >> ")[0])[1:]]
    command: click.Command = program
    # A command keeps the options of the context that first asks for them.
    context = click.Context(program, info_name="trainyard", **program.context_settings)
    while isinstance(command, click.Group):
        found = command.get_command(context, words[0])
        assert found is not None, f"{name}: {line}"
        context = click.Context(found, info_name=words.pop(0), parent=context)
        command = found
    if words and not _names_the_command_alone(line):
        command.parse_args(context, words)


def _names_the_command_alone(line: str) -> bool:
    """Return whether a text speaks of an option, without all that a call of it needs."""
    return line.startswith("trainyard connect --")


@EACH
def test_every_guide_is_in_the_list_of_guides(name: str):
    assert name == "README.md" or f"]({name})" in GUIDES["README.md"]


LINKS = sorted({(name, link) for name, text in GUIDES.items() for link in re.findall(r"\]\(((?!https)[^)]+)\)", text)})


@each_case(("name", "link"), LINKS, ids=[f"{name}: {link}" for name, link in LINKS])
def test_a_link_leads_somewhere(name: str, link: str):
    file, _, anchor = link.partition("#")
    target = (DOCS / "guides" / file).resolve() if file else DOCS / "guides" / name
    assert target.exists()
    assert not anchor or anchor in anchors(target.read_text(encoding="utf-8"))


@EACH
def test_no_fact_is_left_to_be_filled_in(name: str):
    assert "{{" not in GUIDES[name]


@pytest.mark.parametrize(
    "fact",
    [
        "finding no-such-rule",
        "default timeouts.no_such_key",
        "nothing",
        "parallelcluster-minutes 2.11.0",
        "checklist x",
    ],
)
def test_a_fact_that_there_is_not_is_an_error_that_names_the_guide(fact: str):
    with pytest.raises((ValueError, FileNotFoundError), match=r"guide\.md|x_checklist"):
        filled(f"Look: {{{{{fact}}}}}", "guide.md")


def test_timeouts_are_those_of_the_spec_and_of_the_steps():
    page = GUIDES["timeouts.md"]
    spec = parse(SMALLEST, "x").spec
    assert f"| `timeouts.head_node_s` | {spec.timeouts.head_node_s} s |" in page
    assert all(f"[{step.number}-{step.name}](../bootstrap.md#{step.number}-{step.name})" in page for step in STEPS)


def test_what_only_a_new_cluster_can_change_is_told_and_nothing_that_an_update_can():
    page = GUIDES["recreation.md"]
    assert "- `DevSettings.Timeouts.HeadNodeBootstrapTimeout`" in page
    assert "- `HeadNode.InstanceType`" in page
    assert "- `Scheduling`\n" not in page
    assert "ComputeNodeBootstrapTimeout" not in page


def test_every_default_user_is_told():
    assert all(f"| `{user}` |" in GUIDES["access.md"] for user in default_users().values())


PATHS = sorted(
    {
        path
        for text in GUIDES.values()
        for path in re.findall(r"`((?:timeouts|monitoring|software|access|network|iam)\.[a-z_.]+)(?::[^`]*)?`", text)
    }
)


@pytest.mark.parametrize("path", PATHS)
def test_a_key_of_the_spec_is_one(path: str):
    *parents, key = path.split(".")
    assert key in known_keys(tuple(parents))


def test_ids_that_are_explained_exist():
    known = {explanation.id for explanation in explanations()}
    told = {one for text in GUIDES.values() for one in re.findall(r"trainyard explain ([a-z0-9-]+)", text)}
    assert told
    assert told <= known


@pytest.mark.parametrize("part", re.findall(r"`(file_systems: [^`]+)`", GUIDES["recreation.md"]))
def test_a_part_of_a_spec_is_one(part: str):
    assert read_yaml(part, "part").value
    assert parse(f"{SMALLEST}{part}\n", "x").spec.file_systems


@EACH
def test_there_is_one_sentence_on_a_line_of_prose(name: str):
    prose = re.sub(r"```.*?```", "", GUIDES[name], flags=re.DOTALL)
    lines = [line for line in prose.splitlines() if not re.match(r"\s*(\||- |#|<!--|\d+\. )", line)]
    assert [line for line in lines if re.search(r"[.?!] [A-Z]", line)] == []


# Where the documents that these guides take the place of were wrong.
WRONG = {
    "a command that there is not": r"validate-cluster-configuration",
    "a node count that Slurm does not know": r"srun --nodes=ALL",
    "a stream without its instance": r"--log-stream-name (?!\S+\.i-[0-9a-f]+\.)",
    "a group without its minute": r"/aws/parallelcluster/[a-zA-Z0-9-]+(?<!NAME-YYYYMMDDHHMM)`",
    "a password": r"Grafana4PC|admin/",
}


@pytest.mark.parametrize("pattern", WRONG.values(), ids=WRONG)
@EACH
def test_no_error_of_the_former_documents_is_repeated(name: str, pattern: str):
    assert not re.search(pattern, GUIDES[name])
