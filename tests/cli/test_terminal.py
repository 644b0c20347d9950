"""The streams of the real command: colours on a terminal only, and ends that nobody reads."""

from __future__ import annotations

import os
import pty
import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import PROGRAM, UNUSUAL
from tests.examples import example_spec

COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def on_a_terminal(folder: Path, *arguments: str, **environment: str) -> str:
    """Return what a command prints whose standard output and standard error are a terminal."""
    master, terminal = pty.openpty()
    variables = {name: value for name, value in os.environ.items() if name not in UNUSUAL} | environment
    with os.fdopen(master, "rb", buffering=0) as screen:
        subprocess.run(
            [*PROGRAM, *arguments], cwd=folder, env=variables, check=False,
            stdin=subprocess.DEVNULL, stdout=terminal, stderr=terminal, timeout=300,
        )  # fmt: skip
        os.close(terminal)
        printed = b""
        try:
            while chunk := screen.read(65536):
                printed += chunk
        except OSError:
            pass  # how Linux tells that the other side of a terminal is closed
    return printed.decode()


@pytest.fixture
def hostile(tmp_path):
    """Return a folder with a spec whose name and values would command a terminal."""
    (tmp_path / "\x1b[2J.yaml").write_text(example_spec('"\\e]0;x\\a": 1\nname: "\\e[31m\\u202e"'))
    return tmp_path


def test_a_terminal_gets_colours_and_no_other_escapes(hostile):
    printed = on_a_terminal(hostile, "check", "\x1b[2J.yaml")
    assert COLOUR.search(printed)
    assert COLOUR.sub("", printed).replace("\r\n", "").isprintable()


@pytest.mark.parametrize(("no_color", "coloured"), [("1", False), ("", True)], ids=["set", "empty"])
def test_no_color_is_honoured_where_it_says_something(hostile, no_color, coloured):
    # https://no-color.org: when present and not an empty string
    printed = on_a_terminal(hostile, "explain", "yaml-tab", NO_COLOR=no_color)
    assert bool(COLOUR.search(printed)) is coloured


def test_what_is_no_terminal_gets_no_colours(process, tmp_path):
    (tmp_path / "cluster.yaml").write_text(example_spec("name: 3"))
    ran = process("check", "cluster.yaml", "missing.yaml")
    assert ran.returncode == 2
    assert ran.stdout.replace("\n", "").isprintable()
    assert ran.stderr == ""


def test_the_real_command_ends_with_1_for_an_error(process, tmp_path):
    (tmp_path / "cluster.yaml").write_text(example_spec("region: us-west-2\nnetwork: {availability_zone: us-east-2a}"))
    assert process("check", "cluster.yaml").returncode == 1


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_reader_that_goes_away_is_no_traceback(process, stream):
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as unread:
        ran = process("explain", *(["nothing"] if stream == "stderr" else []), **{stream: unread})
    assert ran.returncode == 141
    assert not ran.stdout
    assert not ran.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="hardware: this system lacks the device /dev/full")
@pytest.mark.parametrize("arguments", [["explain"], ["explain", "--json"]], ids=["text", "json"])
def test_a_full_disk_below_standard_output_is_told_on_one_line(process, arguments):
    with Path("/dev/full").open("w") as full:
        ran = process(*arguments, stdout=full)
    assert (ran.returncode, ran.stderr) == (1, "error: could not write to standard output: No space left on device\n")


@pytest.mark.parametrize(
    ("closed", "status", "said"),
    [
        ("<&-", 2, "-: error: - cannot be read: standard input is closed; "),
        (">&-", 2, ""),
        ("2>&-", 2, "-:1:1: error: "),
    ],
    ids=["input", "output", "errors"],
)
def test_a_closed_stream_is_no_traceback(tmp_path, closed, status, said):
    shell = ["sh", "-c", f'printf a | "$@" {closed}', "sh", *PROGRAM, "check", "-"]
    ran = subprocess.run(shell, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300)
    assert ran.returncode == status
    assert ran.stdout.startswith(said)
    assert "Traceback" not in ran.stderr


def test_an_encoding_that_lacks_a_character_is_no_traceback(process):
    ran = process(
        "new",
        "p5-observability",
        "--set",
        "tags.a=\u0142",
        environment={"PYTHONIOENCODING": "latin-1"},
        encoding="latin-1",
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "\\u0142" in ran.stdout


@pytest.mark.parametrize("unbuffered", ["", "1"], ids=["buffered", "unbuffered"])
def test_a_result_that_could_not_be_written_whole_is_an_error(tmp_path, unbuffered):
    # A file that may not grow takes what still fits, which only a second attempt finds out.
    # Python writes bytecode under the same limit, and would leave half a file that the next import trips over.
    limit = 8192
    with (tmp_path / "schema.json").open("w") as file:
        ran = subprocess.run(
            [sys.executable, "-m", "trainyard", "schema"],
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered, "PYTHONDONTWRITEBYTECODE": "1"},
            stdout=file,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
        )
    assert ran.returncode == 1
    assert ran.stderr.startswith("error: could not write to standard output: ")
