"""Slurms as new as ParallelCluster's, where this machine's own is older: programs that run in roots of their own.

tools/slurm.sh makes the roots: from Debian 13, which has 24.11, and from sid, which has 26.05 or a later one.
"""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

_MAKE = Path(__file__).parents[2] / ".make"
ROOT = _MAKE / "slurm-root"
SID_ROOT = _MAKE / "slurm-sid-root"
_PROGRAMS = ("munged", "sbatch", "scancel", "scontrol", "sdiag", "sinfo", "slurmctld", "slurmd", "squeue", "sshare")


def write_programs(folder: Path, root: Path = ROOT) -> None:
    """Write programs of these names that run in a root. They see this machine's /tmp, and its other processes."""
    assert (root / "made").exists(), f"{root} is missing: run tools/slurm.sh as root"
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
            ' {root} {name} "$@"
            """)
        )
        program.chmod(0o755)
