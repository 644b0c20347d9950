"""A node to run the launcher on: a folder for its files, and programs that stand for AWS and the system log."""

from __future__ import annotations

import hashlib
import io
import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path

import trainyard.bootstrap

LAUNCHER = Path(trainyard.bootstrap.__file__).parent / "assets" / "launch.sh"
FOLDER = "s3://mine/trainyard/llm"
NOT_THERE = 'fatal error: An error occurred (404) when calling the HeadObject operation: Key "x" does not exist'

# Copies from a folder, or fails as the file beside the object says, for as many times as it says.
AWS = f"""\
#!/bin/bash
echo "$@" >> "$STUB/calls"
object="$STUB/bucket/${{@: -2:1}}"
if [ -s "$object.fails" ]; then
  read -r times problem < "$object.fails"
  if [ "$times" -gt 0 ]; then
    echo "$((times - 1)) $problem" > "$object.fails"
    echo "$problem" >&2
    exit 1
  fi
fi
[ -e "$object" ] || {{ echo '{NOT_THERE}' >&2; exit 1; }}
cat "$object" > "${{@: -1}}"
"""
LOGGER = '#!/bin/sh\necho "$@" >> "$STUB/log"\n'
RUN = b'#!/bin/sh\necho "ran in $PWD with $*"\n'


@dataclass(frozen=True, slots=True)
class Node:
    """A node, and the bucket that it reads."""

    place: Path

    def __post_init__(self) -> None:
        self.place.joinpath("cfnconfig").write_text('stack_name=llm\ncfn_region=us-east-2\ncfn_args=("$(reboot)")\n')
        self.place.joinpath("bin").mkdir()
        for program, text in {"aws": AWS, "logger": LOGGER}.items():
            file = self.place / "bin" / program
            file.write_text(text)
            file.chmod(0o755)

    def calls(self) -> list[list[str]]:
        file = self.place / "calls"
        return [line.split() for line in file.read_text().splitlines()] if file.exists() else []

    def log(self) -> str:
        return (self.place / "log").read_text()

    def unpacked(self) -> list[str]:
        """Return what lies where releases are unpacked, leftovers too."""
        return sorted(path.name for path in (self.place / "root" / "releases").iterdir())

    def put(self, key: str, content: bytes) -> None:
        file = self.place / "bucket" / FOLDER / key
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)

    def publish(self, archive: bytes, digest: str | None = None) -> str:
        """Publish a release, and return the digest by which it is known."""
        digest = digest or hashlib.sha256(archive).hexdigest()
        self.put("releases/1.tar.gz", archive)
        self.put("release", f"{digest} 1.tar.gz\n".encode())
        return digest

    def fail(self, key: str, problem: str, times: int = 99) -> None:
        """Let the next downloads of an object fail."""
        self.put(f"{key}.fails", f"{times} {problem}\n".encode())

    def launch(self, *arguments: str, largest_file_kib: int | None = None) -> subprocess.CompletedProcess[str]:
        variables = {
            "PATH": f"{self.place / 'bin'}:/usr/bin:/bin",
            "STUB": str(self.place),
            "TRAINYARD_ROOT": str(self.place / "root"),
            "TRAINYARD_CFNCONFIG": str(self.place / "cfnconfig"),
            "TRAINYARD_FIRST_PAUSE_S": "0",
        }
        # Writing past the limit fails, as on a full disk, where the signal for it is ignored.
        limit = "" if largest_file_kib is None else f"trap '' XFSZ; ulimit -f {largest_file_kib}; "
        return subprocess.run(
            ["bash", "-c", f'{limit}exec bash "$@"', "bash", LAUNCHER, *(arguments or (FOLDER,))],
            env=variables, capture_output=True, text=True, check=False, timeout=300,
        )  # fmt: skip


def archive_of(files: dict[str, bytes], mode: int = 0o755) -> bytes:
    """Return a tar archive."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(content), mode
            archive.addfile(member, io.BytesIO(content))
    return stream.getvalue()
