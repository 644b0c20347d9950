from __future__ import annotations

import resource

import pytest

from trainyard.architectures import all_architectures
from trainyard.document.read import read_yaml
from trainyard.edge.new_file import write_new_file
from trainyard.spec.parsing import parse

SETTINGS = ["--set", "name=llm-p5", "--set", "region=us-east-2", "--set", "network.availability_zone=us-east-2a"]
NAMES = [architecture.name for architecture in all_architectures()]


@pytest.mark.parametrize("name", NAMES)
def test_an_architecture_is_printed_as_it_is(trainyard, name):
    ran = trainyard("new", name)
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == next(architecture.text for architecture in all_architectures() if architecture.name == name)


def comments(text: str) -> list[str]:
    return [comment for line in text.splitlines() if (comment := line.partition("#")[2])]


@pytest.mark.parametrize("name", NAMES)
def test_settings_change_their_values_and_leave_every_comment(trainyard, name):
    before, after = trainyard("new", name).out, trainyard("new", name, *SETTINGS).out
    spec = parse(after, "f").spec
    assert (spec.name, spec.region, spec.network.availability_zone) == ("llm-p5", "us-east-2", "us-east-2a")
    assert comments(after) == comments(before)


@pytest.mark.parametrize(
    ("settings", "value_of", "value"),
    [
        (["queues[0].nodes={min: 0, max: 8}"], lambda spec: spec["queues"][0]["nodes"], {"min": 0, "max": 8}),
        (["queues[0].capacity=on-demand"], lambda spec: spec["queues"][0]["capacity"], "on-demand"),
        (
            ["queues[0].capacity.capacity_block=cr-01234567", "queues[0].capacity.reservation="],
            lambda spec: spec["queues"][0]["capacity"],
            {"reservation": None, "capacity_block": "cr-01234567"},
        ),
        (["queues[1].name=b", "queues[1].instance_type=g5.xlarge"], lambda spec: len(spec["queues"]), 2),
        (["access.allow_from=[1.2.3.4/32, 5.6.7.8/32]"], lambda spec: len(spec["access"]["allow_from"]), 2),
        (["access.allow_from[0]=1.2.3.4/32"], lambda spec: spec["access"]["allow_from"], ("1.2.3.4/32",)),
        (["tags.team=llm", 'tags.year="2024"'], lambda spec: spec["tags"], {"team": "llm", "year": "2024"}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_settings_of_many_forms_give_a_spec(trainyard, settings, value_of, value):
    ran = trainyard("new", "p5-observability", *(word for setting in settings for word in ("--set", setting)))
    assert (ran.status, ran.err) == (0, "")
    parse(ran.out, "f")
    assert value_of(read_yaml(ran.out, "f").value) == value


@pytest.mark.parametrize(
    "setting",
    ["x", "queues.name=a", "queues[5].name=a", "name=[", "name=a: b: c", "name=\x1b[31m", "\x1b[31m=a", "name=\udcff",
     f"name={'[' * 5000}", "name=!!python/object/apply:os.system ['touch made']", 'tags."a.b"=c', f"{'x' * 5000}=1",
     "name=a/b", "name=..", "nmae=a", "name=", "queues=[]", "tags.a=\u202e"],
    ids=lambda setting: ascii(setting)[:30],
)  # fmt: skip
def test_a_setting_that_gives_no_spec_is_refused_on_one_line_and_nothing_is_written(trainyard, tmp_path, setting):
    ran = trainyard("new", "p5-observability", "-o", "cluster.yaml", "--set", setting)
    assert (ran.status, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert ": error: " in ran.err
    assert "; " in ran.err
    assert ran.err.rstrip("\n").isprintable()
    assert len(ran.err) < 500
    assert list(tmp_path.iterdir()) == []


def test_the_spec_is_written_with_its_folders_and_what_comes_next_is_said(trainyard, tmp_path):
    ran = trainyard("new", "p5-observability", "-o", "specs/a b.yaml")
    assert ran == (0, "specs/a b.yaml written; next: trainyard check specs/a b.yaml\n", "")
    assert (tmp_path / "specs/a b.yaml").read_text() == trainyard("new", "p5-observability").out
    assert [file.name for file in (tmp_path / "specs").iterdir()] == ["a b.yaml"]
    assert "[stand-in-left]" in trainyard("check", "specs/a b.yaml").out


@pytest.mark.parametrize("kind", ["file", "dangling link"])
def test_a_file_that_exists_is_refused_unless_it_is_to_be_replaced(trainyard, tmp_path, kind):
    file = tmp_path / "cluster.yaml"
    if kind == "file":
        file.write_text("precious")
    else:
        file.symlink_to("nowhere")
    ran = trainyard("new", "p5-observability", "-o", "cluster.yaml")
    assert ran == (2, "", "error: cluster.yaml exists already; choose another name, or --force to replace it\n")
    assert file.is_symlink() or file.read_text() == "precious"
    assert trainyard("new", "p5-observability", "-o", "cluster.yaml", "--force").status == 0
    assert file.read_text().startswith("# Observability")
    assert [one.name for one in tmp_path.iterdir()] == ["cluster.yaml"]


@pytest.mark.parametrize(
    ("name", "status", "problem"),
    [
        (".", 2, "Invalid value for '-o' / '--output': File '.' is a directory"),
        ("file/new.yaml", 1, "could not write file/new.yaml: "),
        ("/proc/new.yaml", 1, "could not write /proc/new.yaml: "),
        ("x" * 300, 1, f"could not write {'x' * 300}: File name too long"),
        ("\x1b[31m\n/\0".rstrip("\0") + "y" * 300, 1, r"could not write \x1b[31m\n/yyy"),
    ],
    ids=["a folder", "below a file", "where nobody may write", "a long name", "terminal escapes"],
)
def test_what_cannot_be_written_is_told_on_one_line(trainyard, tmp_path, name, status, problem):
    (tmp_path / "file").touch()
    ran = trainyard("new", "p5-observability", "-o", name)
    assert (ran.status, ran.out, ran.err.count("\n")) == (status, "", 1)
    assert problem in ran.err
    assert "; " in ran.err
    assert ran.err.rstrip("\n").isprintable()


def _with_files_of_1_kb() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))


def test_a_full_disk_leaves_the_former_file_whole(process, tmp_path):
    (tmp_path / "cluster.yaml").write_text("precious")
    # Like a full disk, this limit fails a write in its middle.
    ran = process("new", "p5-observability", "-o", "cluster.yaml", "--force", preexec_fn=_with_files_of_1_kb)
    assert (ran.returncode, ran.stderr.count("\n")) == (1, 1)
    assert ran.stderr.startswith("error: could not write cluster.yaml: File too large; ")
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("cluster.yaml", "precious")]


def test_the_file_is_as_open_as_any_other(tmp_path):
    write_new_file(tmp_path / "made", "é\n")
    (tmp_path / "other").touch()
    assert (tmp_path / "made").stat().st_mode == (tmp_path / "other").stat().st_mode
    assert (tmp_path / "made").read_bytes() == b"\xc3\xa9\n"
