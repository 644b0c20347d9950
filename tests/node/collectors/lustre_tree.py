"""The counters of a Lustre client as the kernel shows them, in the form of two versions."""

from __future__ import annotations

from pathlib import Path

DEBUGFS = "sys/kernel/debug/lustre/llite"
PROC = "proc/fs/lustre/llite"
# In the form of 2.10, and of a newer one, which counts time too; the numbers are ours.
# https://github.com/HewlettPackard/lustre_exporter/tree/master/proc/fs/lustre/llite
# https://github.com/lustre/lustre-release/blob/master/lustre/llite/lproc_llite.c
STATS_2_10 = """\
snapshot_time             1795805109.772792457 secs.nsecs
dirty_pages_hits          42 samples [regs]
read_bytes                1025 samples [bytes] 4096 1048576 1073741824
write_bytes               512 samples [bytes] 4096 4194304 2147483648
osc_read                  1029 samples [bytes] 4096 1048576 1073762304
open                      136 samples [regs]
close                     96 samples [regs]
getattr                   41 samples [regs]
inode_permission          398 samples [regs]
"""
STATS_2_15 = """\
snapshot_time             1795805109.331040915 secs.nsecs
start_time                1795800000.000000000 secs.nsecs
elapsed_time              5109.331040915 secs.nsecs
read_bytes                1025 samples [bytes] 4096 1048576 1073741824 1125899906842624
write_bytes               512 samples [bytes] 4096 4194304 2147483648 9007199254740992
read                      1025 samples [usec] 5 90000 2050000 8000000000
write                     512 samples [usec] 8 120000 5120000 90000000000
ioctl                     2 samples [reqs]
open                      136 samples [usec] 1 7252 136000 8835364
close                     96 samples [usec] 47 7784 9600 1754297
mknod                     8 samples [usec] 119 77 16000 101191
statfs                    7 samples [usec] 147 197 1236 220284
opencount                 137 samples [reqs] 1 2 207 345
openclosetime             60 samples [usec] 2225920 34405427 163169641155 11416538743
"""


def mount_lustre(
    root: Path, stats: str = STATS_2_15, name: str = "a1b2cbev-ffff9440f1003000", at: str = DEBUGFS
) -> None:
    """Mount a file system at /fsx, or once more where it is mounted."""
    folder = root / at / name
    folder.mkdir(parents=True)
    (folder / "stats").write_text(stats)
    mounts = root / "proc/self/mounts"
    mounts.parent.mkdir(parents=True, exist_ok=True)
    mount_name = name.rpartition("-")[0]
    with mounts.open("a") as stream:
        stream.write(f"/dev/root / ext4 rw 0 0\n198.51.100.7@tcp:/{mount_name} /fsx lustre rw,flock 0 0\n")
