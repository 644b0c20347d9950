from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainyard.document.edit import with_settings
from trainyard.document.read import read_yaml
from trainyard.errors import DocumentError, InputError

TEXT = """\
# a cluster
name: a # its name
count: "012"
queues:
  - name: one # the first
    nodes: 4
    capacity: on-demand
tags: {}
"""


def value_of(*settings: str) -> Any:
    return read_yaml(with_settings(TEXT, settings), "f").value


@pytest.mark.parametrize(
    ("setting", "path", "value"),
    [
        pytest.param("name=b", ("name",), "b", id="text"),
        pytest.param("name=8", ("name",), 8, id="a number"),
        pytest.param('name="8"', ("name",), "8", id="a number in quotes"),
        pytest.param('name="yes"', ("name",), "yes", id="a word that YAML 1.1 takes for true, in quotes"),
        pytest.param("name=yes", ("name",), True, id="a word that YAML 1.1 takes for true"),
        pytest.param("name=1:30", ("name",), 90, id="a number to base 60"),
        pytest.param("name=010", ("name",), 8, id="an octal number"),
        pytest.param("name=", ("name",), None, id="nothing"),
        pytest.param("name=a=b", ("name",), "a=b", id="an equals sign"),
        pytest.param("name='a: b # c'", ("name",), "a: b # c", id="characters that mean something in YAML"),
        pytest.param("name=a # b", ("name",), "a", id="a comment"),
        pytest.param("name=[a, {b: c}]", ("name",), ("a", {"b": "c"}), id="a list"),
        pytest.param("name=é😀", ("name",), "é😀", id="other scripts"),
        pytest.param("queues[0].nodes=8", ("queues", 0, "nodes"), 8, id="inside a list"),
        pytest.param("queues[0]={name: b}", ("queues", 0), {"name": "b"}, id="a whole member of a list"),
        pytest.param("queues[1].name=two", ("queues", 1, "name"), "two", id="a member that is appended"),
        pytest.param("queues[1]=two", ("queues", 1), "two", id="a value that is appended"),
        pytest.param("queues[0].capacity.reservation=x", ("queues", 0, "capacity"), {"reservation": "x"}, id="deeper"),
        pytest.param("tags.team=llm", ("tags",), {"team": "llm"}, id="into an empty mapping"),
        pytest.param("tags.2024=llm", ("tags",), {"2024": "llm"}, id="a key of digits"),
        pytest.param("tags.yes=llm", ("tags",), {"yes": "llm"}, id="a key that YAML 1.1 takes for true"),
        pytest.param(
            "name={'yes': 1}", ("name",), {"yes": 1}, id="a key inside of the value that YAML 1.1 takes for true"
        ),
        pytest.param("tags.²=llm", ("tags",), {"²": "llm"}, id="a key of another script's digits"),
        pytest.param("tags.aws:x/y@z+1-2=llm", ("tags",), {"aws:x/y@z+1-2": "llm"}, id="a key of many characters"),
        pytest.param("a.b[0].c[0][0]=1", ("a",), {"b": ({"c": ((1,),)},)}, id="all of its parents"),
    ],
)
def test_a_setting_is_read_as_yaml_and_put_where_its_path_says(setting, path, value):
    node = read_yaml(with_settings(TEXT, [setting]), "f").root.at(path)
    assert node.value == value
    assert type(node.value) is type(value)


def test_settings_are_applied_in_order():
    assert value_of("queues[1].name=b", "queues[2].name=c", "queues[1].name=d")["queues"][1:] == (
        {"name": "d"},
        {"name": "c"},
    )


def test_everything_else_stays_as_it_was_written():
    assert with_settings(TEXT, ["name=b", "queues[0].nodes=8"]) == TEXT.replace(": a ", ": b ").replace("4", "8")


@pytest.mark.parametrize(
    ("setting", "problem"),
    [
        pytest.param("name", "'name' is not of the form path=value", id="no equals sign"),
        pytest.param("=b", "'=b' is not of the form path=value", id="no path"),
        pytest.param("name.=b", "'name.=b' is not of the form path=value", id="an empty key"),
        pytest.param("[0]=b", "'[0]=b' is not of the form path=value", id="a position of nothing"),
        pytest.param("queues[-1]=b", "'queues[-1]=b' is not of the form path=value", id="a negative position"),
        pytest.param("queues[x]=b", "'queues[x]=b' is not of the form path=value", id="a position that is no number"),
        pytest.param("queues[²]=b", "'queues[²]=b' is not of the form path=value", id="another script's digits"),
        pytest.param("queues[99999]=b", "'queues[99999]=b' is not of the form path=value", id="a large position"),
        pytest.param('tags."a.b"=c', "'tags.\"a.b\"=c' is not of the form path=value", id="a key in quotes"),
        pytest.param("a\x1b[31m\n=b", r"'a\x1b[31m\n=b' is not of the form path=value", id="control characters"),
        pytest.param("queues.name=b", "key 'name' in 'queues.name=b' stands in a list of 1", id="a key of a list"),
        pytest.param("queues[2]=b", "[2] in 'queues[2]=b' stands in a list of 1", id="a gap at the end"),
        pytest.param("queues[2].name=b", "[2] in 'queues[2].name=b' stands in a list of 1", id="a gap on the way"),
        pytest.param("tags[0]=b", "[0] in 'tags[0]=b' stands in a mapping", id="a position in a mapping"),
    ],
)
def test_a_path_that_cannot_be_reached_is_an_error_that_quotes_it(setting, problem):
    with pytest.raises(InputError) as raised:
        with_settings(TEXT, [setting])
    assert (raised.value.problem, raised.value.where) == (problem, "--set")
    assert raised.value.hint


@pytest.mark.parametrize(
    "value",
    ["[a", "a: b: c", "*a", "!!python/object/apply:os.system [ls]", "{a: 1, a: 2}", "a\n---\nb", "[" * 20_000, "\0",
     "\x1b[31m", "\udcff", "&a [*a]"],
    ids=["a bracket", "colons", "an alias", "a tag", "a key twice", "two documents", "depth", "a null character",
         "an escape", "a byte that is not UTF-8", "itself"],
)  # fmt: skip
def test_a_value_that_is_no_plain_yaml_is_an_error_on_one_short_line(value):
    with pytest.raises(InputError) as raised:
        with_settings(TEXT, [f"name={value}"])
    assert raised.value.problem.startswith("the value in 'name=")
    assert raised.value.problem.isprintable()
    assert len(raised.value.problem) < 200


@given(st.text("ab01:-?[]{},&*!|>'\"%#<=~._ \n\té²") | st.from_type(str))
def test_whatever_is_set_reads_as_it_would_read_by_itself(value):
    try:
        alone = read_yaml(value, "f").value
        settled = with_settings(TEXT, [f"name={value}"])
    except (DocumentError, InputError):
        return
    assert repr(read_yaml(settled, "f").value["name"]) == repr(alone)


@given(st.text("ab.[]01=\"' -_²\n"))
def test_any_setting_is_applied_or_is_an_input_error(setting):
    try:
        with_settings(TEXT, [setting])
    except InputError as error:
        assert error.hint  # noqa: PT017  either is right
