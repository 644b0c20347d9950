"""Programs that are carried within a command do what the files do that they are made of."""

from __future__ import annotations

import base64
import json
import lzma
import subprocess
import sys
from pathlib import Path

import pytest

from trainyard.training import programs
from trainyard.training.carried_programs import packed

PROGRAMS = Path(str(programs.__file__)).parent


def unpacked(*names: str) -> dict[str, str]:
    word = packed({name: (PROGRAMS / name).read_text(encoding="utf-8") for name in names})
    files: dict[str, str] = json.loads(lzma.decompress(base64.b85decode(word)))
    return files


@pytest.mark.integration
def test_the_carried_line_of_a_step_is_written_as_ever(tmp_path: Path):
    for name, text in unpacked("trainyard_progress.py").items():
        (tmp_path / name).write_text(text)
    code = """
from trainyard_progress import Progress, gpu_names
progress = Progress("progress", rank=3, node="q-1", stage=1)
progress.step(step=7, step_seconds=0.25, loss=2.5, tokens=1024, flops=6e9, compute_seconds=0.125)
with progress.save(7):
    pass
progress.end(reason="done")
"""
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    lines = [json.loads(line) for line in (tmp_path / "progress" / "rank-3.jsonl").read_text().splitlines()]
    assert [line.get("event", "step") for line in lines] == ["start", "step", "save_begin", "save_end", "end"]
    assert lines[1].items() >= {"step": 7, "loss": 2.5, "tokens": 1024, "compute_seconds": 0.125}.items()


@pytest.mark.parametrize("name", ["trainyard_progress.py", "transformer.py"])
def test_a_carried_program_is_shorter_and_compiles(name: str):
    text = unpacked(name)[name]
    compile(text, name, "exec", dont_inherit=True)
    assert len(text) < len((PROGRAMS / name).read_text(encoding="utf-8")) * 0.6
