"""Files that were made to hang, fill or fool who reads them, with each way in which they are read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.each_case import each_case
from trainyard.checking.any_file import check_any_text
from trainyard.checking.recognition import script
from trainyard.rules.parallelcluster.placeholders import placeholder_in
from trainyard.rules.scripts.statements import assignments, statements

# Each took from 8 seconds to minutes while a search went over a whole line again and again.
LONG = {
    "variables in a line": ("export ", "A=1 "),
    "variables before a command": ("", "NCCL_PROTO=simple "),
    "variables within variables": ("", "export NCCL_PROTO="),
    "variables of containers": ("", "docker run -e A=password "),
    "addresses in a line": ("", "curl https://a.example/c.tar.gz "),
    "quotes that are open": ("", 'export A="'),
    "downloads and pipes": ("", "curl a | "),
    "lines of a command": ("", "a \\\n"),
    "empty lines": ("", "\t\n"),
    "documents that do not end": ("", "cat <<EOF\n"),
    "substitutions that do not end": ("echo ", "$("),
}
STARTS = {"run.sh": "#!/bin/bash\n", "job": "#!/bin/bash\n#SBATCH -N 2\n", "Dockerfile": "FROM a\nRUN "}


def judged(name: str, file: str, characters: int) -> bool:
    """Return whether a script is judged that goes on and on."""
    first, again = LONG[name]
    text = STARTS[file] + first + again * (characters // len(again))
    return check_any_text(text, file).not_judged is None


@each_case("name", LONG)
def test_a_long_script_is_judged(name: str):
    assert judged(name, "run.sh", 30_000)


@pytest.mark.exhaustive
@pytest.mark.parametrize("file", STARTS)
@pytest.mark.parametrize("name", LONG)
def test_a_script_of_a_million_characters_is_judged_in_no_time(name: str, file: str):
    assert judged(name, file, 1_000_000)


@each_case("text", ["${A" * 50_000, "{{" * 50_000, "<A " * 50_000, "$" * 50_000, "subnet-" * 50_000])
def test_a_long_value_has_no_placeholder(text: str):
    assert placeholder_in(text) is None


def test_a_statement_that_does_not_end_is_read_as_far_as_anybody_reads():
    (statement,) = statements(script("echo " + "a \\\n" * 100_000, "run.sh"))
    assert len(statement.text) == 20_000


def test_each_variable_of_a_line_is_told_once():
    told = assignments(script("export A=export B=2 C=3; D=4 run\n\n# E=5\nenv F=6 G=7 run", "run.sh"))
    assert [(one.line, one.name, one.value) for one in told] == [
        (0, "A", "export"), (0, "B", "2"), (0, "C", "3"), (0, "D", "4"), (3, "F", "6"), (3, "G", "7"),
    ]  # fmt: skip


NAMES = ("\x1b[31mred\n.sh", "a::error file=x,line=1::b%0A.sh", "\udcff.sh", "\u202egnp.sh", "Dockerfile\r")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with files whose names are meant for terminals and for the programs that read findings."""
    folder = tmp_path / "files"
    folder.mkdir()
    for name in NAMES:
        (folder / name).write_text("FROM a\nRUN curl https://a.example | bash\n", errors="surrogateescape")
    return folder


@pytest.mark.parametrize("form", ["text", "json", "sarif", "github", "gitlab"])
def test_no_name_of_a_file_reaches_a_terminal_as_it_is(trainyard, folder, form):
    ran = trainyard("check", "--format", form, str(folder))
    assert ran.status == 0
    assert all(character.isprintable() for character in ran.out.replace("\n", ""))
    assert ran.out.count("script-download-run") >= len(NAMES)
    assert "\n::error" not in ran.out


def test_a_baseline_holds_files_of_any_name(trainyard, folder):
    assert trainyard("check", "--write-baseline", "known.json", str(folder)).status == 0
    assert len(json.loads(Path("known.json").read_text())["findings"]) == len(NAMES)
    assert "warning" not in trainyard("check", "--baseline", "known.json", str(folder)).out


NO_BASELINES = {
    "nothing": b"",
    "a list": b"[]",
    "nesting": b"[" * 100_000,
    "bytes": bytes(range(256)),
    "a mapping of findings": b'{"schema": 1, "findings": {"a": 1}}',
    "no number": b'{"schema": NaN}',
    "a long number": b'{"schema": ' + b"1" * 5000 + b"}",
    "other findings": b'{"schema": 1, "findings": [{"file": [], "id": 1, "path": {}, "message": null}]}',
    "five megabytes": b" " * 5_000_000,
}


@pytest.mark.parametrize("name", NO_BASELINES)
def test_what_is_no_baseline_is_refused_on_one_line(trainyard, tmp_path, name):
    (tmp_path / "known.json").write_bytes(NO_BASELINES[name])
    ran = trainyard("check", "--baseline", "known.json", ".")
    assert (ran.status, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert "--write-baseline" in ran.err


@pytest.mark.parametrize("value", ["9" * 5000, "2.28.3\x1b[31m", "٢.٣"], ids=["long", "escape", "digits"])
def test_a_version_that_is_none_is_refused_on_one_line(trainyard, value):
    Path("image.json").write_text(json.dumps([{"Config": {"Env": [f"NCCL_VERSION={value}"]}}]))
    ran = trainyard("versions", "check", "image.json")
    assert (ran.status, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert "is no version of NCCL" in ran.err
    assert ran.err.rstrip("\n").isprintable()
    assert len(ran.err) < 300


def test_the_former_file_of_an_update_is_no_bomb(trainyard):
    bomb = ", ".join(["a0: &a0 [x]", *(f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9))])
    Path("old.yaml").write_text(
        f"HeadNode: {{}}\nScheduling: {{SlurmSettings: {{CustomSlurmSettings: [{{{bomb}}}]}}}}\n"
    )
    Path("new.yaml").write_text("HeadNode: {}\nScheduling: {}\n")
    ran = trainyard("check", "--update-from", "old.yaml", "new.yaml")
    assert (ran.status, ran.out) == (2, "")
    assert "yaml-alias-bomb" in ran.err
