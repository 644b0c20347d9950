"""Whatever a user hands in: one line with place and remedy, exit status 2, no traceback, nothing written."""

from __future__ import annotations

import json
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.examples import example_spec
from trainyard.edge.text_file import read_text
from trainyard.errors import DocumentError

BOMB = "\n".join(["a0: &a0 [x]", *(f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12))])
CONTENTS = {
    "a syntax error": ("yaml-syntax", b"name: [a\nregion: b"),
    "a tab": ("yaml-tab", b"network:\n\tinternet: nat"),
    "a key twice": ("yaml-duplicate-key", b"name: a\nname: b"),
    "a wrong type": ("spec-wrong-type", example_spec("head_node: 3").encode()),
    "an unknown key": ("spec-unknown-key", example_spec("nmae: a").encode()),
    "a foreign tag": ("yaml-foreign-tag", b"name: !Ref a"),
    "a tag that runs code": ("yaml-foreign-tag", b"name: !!python/object/apply:os.system ['touch made']"),
    "an alias bomb": ("yaml-alias-bomb", BOMB.encode()),
    "text in Latin-1": ("file-not-utf8", "name: caf\xe9".encode("latin-1")),
    "text in UTF-16": ("file-not-utf8", "name: a".encode("utf-16")),
    "a picture": ("file-not-utf8", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
    "a program": ("yaml-unprintable", b"\x7fELF\x02\x01\x01\0\0\0\0"),
    "nothing": ("spec-empty", b""),
    "a list": ("spec-not-a-mapping", b"- name: a"),
    "a slash in the name": ("spec-bad-value", example_spec("name: ../../made").encode()),
    "the folder above as name": ("spec-bad-value", example_spec("name: ..").encode()),
    "terminal escapes in a key": ("spec-unknown-key", example_spec('"\\e]0;title\\a\\e[2Jx\\n": 1').encode()),
    "terminal escapes in a tag": ("spec-bad-value", example_spec('tags: {"\\e[31m\\n": 1}').encode()),
    "reversed text": ("spec-bad-value", example_spec("name: \u202eabc\u2066").encode()),
    "two megabytes": ("file-too-large", b"a: b\n" * 400_000),
}


@pytest.fixture(params=["check", "render"])
def command(request):
    return request.param


@pytest.fixture
def refused(trainyard, command, tmp_path):
    """Return a function that runs a command on a bad file and gives the line for each finding."""

    def run(*files: str, standard_input: str = "") -> list[str]:
        before = sorted(tmp_path.rglob("*"))
        ran = trainyard(command, *files, standard_input=standard_input)
        assert ran.status == 2
        assert sorted(tmp_path.rglob("*")) == before
        printed = (
            ran.out.removesuffix("\n").split("\n")[:-1] if command == "check" else ran.err.rstrip("\n").split("\n")
        )
        assert all(line.isprintable() for line in printed)
        return list(printed)

    return run


@pytest.mark.parametrize("what", CONTENTS)
def test_a_file_that_holds_no_spec_is_refused_on_one_line(refused, tmp_path, what):
    id_, content = CONTENTS[what]
    (tmp_path / "cluster.yaml").write_bytes(content)
    lines = refused("cluster.yaml")
    assert f"[{id_}]" in lines[0]
    assert all(line.startswith("cluster.yaml") and ": error: " in line and "; " in line for line in lines)
    assert len(lines) <= 2
    assert all(len(line) < 500 for line in lines)


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("missing.yaml", "missing.yaml does not exist"),
        ("dangling.yaml", "dangling.yaml is a link to a file that does not exist"),
        ("loop.yaml", "loop.yaml cannot be read: Too many levels of symbolic links"),
        ("file/below", "file/below cannot be read: Not a directory"),
        ("x" * 300, "x cannot be read: File name too long"),
        ("", "the empty name names no file"),
        ("\x1b[31mred\n.yaml", r"\x1b[31mred\n.yaml does not exist"),
        ("\udcff.yaml", r"\udcff.yaml does not exist"),
    ],
    ids=["missing", "a dangling link", "a link to itself", "below a file", "a long name", "no name",
         "terminal escapes", "a name that is not UTF-8"],
)  # fmt: skip
def test_a_path_that_leads_to_no_file_is_refused_on_one_line(refused, tmp_path, name, what):
    (tmp_path / "file").touch()
    (tmp_path / "dangling.yaml").symlink_to("nowhere")
    (tmp_path / "loop.yaml").symlink_to("loop.yaml")
    (line,) = refused(name)
    assert f"{what}; " in line
    assert line.endswith("[file-unreadable]")


def test_a_folder_is_no_spec_and_an_empty_one_holds_nothing_to_check(trainyard, tmp_path):
    (tmp_path / "folder").mkdir()
    rendered, checked = trainyard("render", "folder"), trainyard("check", "folder")
    assert "folder is a folder; " in rendered.err
    assert (checked.status, checked.out) == (2, "folder: not judged: there is no file below it\n")


def test_standard_input_that_holds_no_spec_is_refused_like_a_file(refused):
    (line,) = refused("-", standard_input="- a")
    assert line.startswith("-:1:1: error: a spec is a mapping of keys to values, this is a list; ")


def test_a_file_that_may_not_be_read_is_refused(tmp_path):
    file = tmp_path / "cluster.yaml"
    file.write_text("name: a")
    # Only the reading itself runs as another user, who may not be able to read this program either.
    with without_privileges(file), pytest.raises(DocumentError, match="may not be read by this user"):
        read_text(str(file))


@contextmanager
def without_privileges(unreadable: Path) -> Iterator[None]:
    """Make a file unreadable, and be another user for a while if this one is root, who may read every file."""
    unreadable.chmod(0)
    user = os.geteuid()
    if user == 0:
        unreadable.parent.chmod(0o755)
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(user)


def test_the_column_of_a_byte_that_is_not_utf8_counts_characters(refused, tmp_path):
    (tmp_path / "cluster.yaml").write_bytes("\ufeffa: 1\n# éé".encode() + b"\xff")
    (line,) = refused("cluster.yaml")
    assert line.startswith("cluster.yaml:2:5: error: byte 0xff is not UTF-8 text")


def _with_100_mb() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (100_000_000, 100_000_000))


@pytest.mark.parametrize("what", ["an alias bomb", "a file of 100 MB"])
def test_100_mb_of_memory_are_enough_to_refuse(process, command, tmp_path, what):
    if what == "an alias bomb":
        (tmp_path / "cluster.yaml").write_text(BOMB)
    else:
        (tmp_path / "cluster.yaml").touch()
        os.truncate(tmp_path / "cluster.yaml", 100_000_000)
    ran = process(command, "cluster.yaml", preexec_fn=_with_100_mb)
    assert ran.returncode == 2
    said = "more than 50,000 values" if "bomb" in what else "100.0 MB is larger than any spec (at most 1 MB)"
    assert said in ran.stdout + ran.stderr
    assert "Traceback" not in ran.stderr


def test_check_goes_on_after_a_file_that_it_cannot_read(trainyard):
    Path("wrong.yaml").write_text(
        example_spec("queues: [{name: a, instance_type: p5.48xlarge, nodes: {min: 8, max: 4}}]")
    )
    Path("right.yaml").write_text(example_spec(""))
    assert trainyard("check", "right.yaml").status == 0
    assert trainyard("check", "right.yaml", "wrong.yaml").status == 1
    ran = trainyard("check", "--json", "missing.yaml", "wrong.yaml", "right.yaml")
    assert ran.status == 2
    assert [finding["file"] for finding in json.loads(ran.out)["findings"]] == ["missing.yaml", "wrong.yaml"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["chek"], "trainyard: error: No such command 'chek'; `trainyard --help` shows how it is used"),
        (["check"], "trainyard check: error: Missing argument 'PATH…'; `trainyard check --help` shows how it is used"),
        (["check", "--\x1b[31m\n"], r"trainyard check: error: No such option '--\x1b[31m\n'; "),
        (["check", "--format", "xml", "a"], "trainyard check: error: Invalid value for '--format': 'xml' is not"),
        (["render", "a", "--stack-output", "x"], "Invalid value for --stack-output: 'x' is not of the form"),
        (["explain", "yaml-tabs"], "ID: error: nothing is called 'yaml-tabs'; did you mean yaml-tab?"),
        (["explain", "\x1b[31m"], r"ID: error: nothing is called '\x1b[31m'; `trainyard explain --list`"),
        (["instances", "p5.48xlage"], "nothing is known about instance type 'p5.48xlage'; did you mean p5.48xlarge?"),
        (["new", "p5"], "no architecture is called 'p5'; "),
        (["completion", "csh"], "trainyard completion: error: Invalid value for '{bash|zsh|fish}': 'csh'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)  # fmt: skip
def test_a_wrong_command_line_is_told_on_one_line(trainyard, arguments, said):
    ran = trainyard(*arguments)
    assert (ran.status, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert said in ran.err
    assert ran.err.rstrip("\n").isprintable()


def test_without_a_command_the_help_is_shown(trainyard):
    ran = trainyard()
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("Usage: trainyard")
    assert "\n  The way of a spec:\n" in ran.err
