from __future__ import annotations

from typing import Any

import pytest

from trainyard.edge.uv import UvError, run_uv, uv_program


def run(fake_uv: Any, **more: Any) -> list[str]:
    told: list[str] = []
    with fake_uv.program.open() as stream:
        run_uv(fake_uv.program, ["pip", "install"], report=told.append, keep_open=stream.fileno(), **more)
    return told


def test_every_line_of_uv_is_reported(fake_uv):
    fake_uv.will_end(0, saying="Downloading a (1.0MiB)\nInstalled 1 package in 1ms\n")
    assert run(fake_uv) == ["Downloading a (1.0MiB)", "Installed 1 package in 1ms"]


def test_uv_reads_no_config_of_the_project(fake_uv):
    run(fake_uv)
    assert fake_uv.calls == ["pip install --no-config --color never"]


def test_index_settings_reach_uv_and_what_would_change_the_lock_does_not(fake_uv):
    given = {"UV_DEFAULT_INDEX": "https://mirror.example/simple", "UV_CONSTRAINT": "pins.txt", "PYTHONPATH": "src"}
    run(fake_uv, variables={"PATH": "/usr/bin:/bin", **given})
    assert {name: value for name, value in fake_uv.variables.items() if name in given} == {
        "UV_DEFAULT_INDEX": "https://mirror.example/simple"
    }


def test_uv_inherits_the_descriptor_that_it_is_to_keep_open(tmp_path):
    program = tmp_path / "uv"
    program.write_text('#!/bin/sh\necho inherited > "/dev/fd/$DESCRIPTOR"\n')
    program.chmod(0o755)
    with (tmp_path / "kept").open("w") as kept:
        variables = {"PATH": "/usr/bin:/bin", "DESCRIPTOR": str(kept.fileno())}
        run_uv(program, [], report=print, keep_open=kept.fileno(), variables=variables)
    assert (tmp_path / "kept").read_text() == "inherited\n"


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (
            "Resolved 1 package\nerror: Failed to fetch: `x`\n  cause: tcp connect error\n",
            "Failed to fetch: `x`: tcp connect error",
        ),
        ("killed by the kernel\n", "killed by the kernel"),
        ("", "uv ended with status 2"),
    ],
    ids=["an error with its cause", "no error line", "silence"],
)
def test_a_failure_carries_the_words_of_uv(fake_uv, said, words):
    fake_uv.will_end(2, saying=said)
    with pytest.raises(UvError) as raised:
        run(fake_uv)
    assert str(raised.value) == words


def test_what_uv_prints_is_read_line_by_line_and_kept_in_bounds(tmp_path):
    program = tmp_path / "uv"
    program.write_text("#!/bin/sh\nhead --bytes=8000000 /dev/zero | tr '\\0' '%' >&2\necho end >&2\nexit 2\n")
    program.chmod(0o755)
    told: list[str] = []
    with program.open() as stream, pytest.raises(UvError) as raised:
        run_uv(program, [], report=told.append, keep_open=stream.fileno())
    assert max(map(len, told)) <= 65_536
    assert len(str(raised.value)) < 100_000


def test_the_uv_that_belongs_to_trainyard_is_found():
    assert uv_program().is_file()
