"""A stand-in for the program uv: it records how it was called and says what a test wants to hear."""

from __future__ import annotations

from pathlib import Path

import pytest

SCRIPT = """\
#!/bin/sh
printf '%s\\n' "$*" >> "$0.calls"
env > "$0.variables"
cat "$0.says" >&2
[ "$1" = venv ] && mkdir -p "$5/bin" && : > "$5/bin/python" && exit
exit "$(cat "$0.status")"
"""


class FakeUv:
    """``venv`` makes a folder with a Python in it; ``pip install`` ends with the status that was set."""

    def __init__(self, folder: Path) -> None:
        self.program = folder / "uv"
        self.program.write_text(SCRIPT)
        self.program.chmod(0o755)
        self.will_end()

    def will_end(self, status: int = 0, *, saying: str = "") -> None:
        self.program.with_suffix(".status").write_text(str(status))
        self.program.with_suffix(".says").write_text(saying)

    @property
    def calls(self) -> list[str]:
        recorded = self.program.with_suffix(".calls")
        return recorded.read_text().splitlines() if recorded.exists() else []

    @property
    def variables(self) -> dict[str, str]:
        lines = self.program.with_suffix(".variables").read_text().splitlines()
        return dict(line.split("=", 1) for line in lines if "=" in line)


@pytest.fixture
def fake_uv(tmp_path):
    folder = tmp_path / "fake"
    folder.mkdir()
    return FakeUv(folder)
