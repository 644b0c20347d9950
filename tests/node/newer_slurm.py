"""A Slurm as new as ParallelCluster's, where this machine's own is older: programs that run in a root of their own.

tools/slurm.sh makes the root, from Debian 13.
"""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

ROOT = Path(__file__).parents[2] / ".make" / "slurm-root"
_PROGRAMS = ("munged", "sbatch", "scontrol", "sinfo", "slurmctld", "slurmd", "squeue")


def write_programs(folder: Path) -> None:
    """Write programs of these names that run in the root. They see this machine's /tmp, and its other processes."""
    assert (ROOT / "made").exists(), f"{ROOT} is missing: run tools/slurm.sh as root"
    for name in _PROGRAMS:
        program = folder / name
        program.write_text(
            dedent(f"""\
            #!/usr/bin/env bash
            # Without the folder of this file, which is in /tmp: inside, the name is the real program's.
            export PATH=/usr/sbin:/usr/bin:/sbin:/bin
            exec unshare --mount bash -c '
            set -e
            mount -t proc proc "$0/proc"
            mount --bind /tmp "$0/tmp"
            mount --bind /etc/hosts "$0/etc/hosts"
            exec chroot "$0" "$@"
            ' {ROOT} {name} "$@"
            """)
        )
        program.chmod(0o755)
