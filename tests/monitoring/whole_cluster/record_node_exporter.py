"""Record what a real node_exporter says: `python -m tests.monitoring.whole_cluster.record_node_exporter PROGRAM`.

It reads this machine, with the file systems that a compute node mounts besides: a copy of /proc names them. What names
this machine is replaced. PROGRAM is of Debian's package prometheus-node-exporter.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import suppress
from pathlib import Path

from tests.slurm import free_ports

RECORDED = Path(__file__).parent / "recorded" / "node_exporter.prom"
# The root volume, /home of the head node, FSx for Lustre and the local disks, as ParallelCluster mounts them.
# The devices: https://docs.aws.amazon.com/parallelcluster/latest/ug/SharedStorage-v3.html
MOUNTS = """\
/dev/root / ext4 rw,relatime 0 0
10.0.16.4:/home /home nfs4 rw,relatime,vers=4.2 0 0
10.0.32.9@tcp:/zzzzzbev /fsx lustre rw,noatime,flock 0 0
/dev/mapper/vg.01-lv_ephemeral /scratch ext4 rw,noatime,nodiratime 0 0
"""
# The counters of NFS' client: https://github.com/prometheus/procfs/blob/master/nfs/parse.go
NFS = """\
net 18628 0 18628 6
rpc 4329785 0 4338291
proc4 60 1 2188 1944 22 7 3 411 6 1 1 2 4 0 4 118 9133 1 5 3 3 0 1 0 2 0 0 0 0 8 0 0 0 0 0 0 0 1 1 1 2 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
"""  # noqa: E501  one line of the kernel's
# Of its server, as on the head node: https://github.com/prometheus/procfs/blob/master/nfs/parse_nfsd.go
NFSD = """\
rc 0 841 1298333
fh 0 0 0 0 0
io 61847529062 23622320128
th 8 0 0.000 0.000 0.000 0.000 0.000 0.000 0.000 0.000 0.000 0.000
ra 32 0 0 0 0 0 0 0 0 0 0 0
net 1299174 0 1299174 6
rpc 1299174 0 0 0 0
proc4 2 2 1299172
proc4ops 72 0 0 0 14098 2 0 0 0 0 8179 9896 0 0 0 0 8900 0 0 0 0 5 0 1098 2 0 0 0 0 8179 9896 0 0 0 0 8900 0 0 0 0 0 0 1 0 0 0 0 1 1 1 2 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
"""  # noqa: E501  one line of the kernel's
FILES = (
    "stat", "meminfo", "loadavg", "net/dev", "net/netstat", "net/snmp", "net/snmp6", "net/sockstat", "net/sockstat6",
    "net/softnet_stat", "net/udp", "net/udp6", "diskstats", "vmstat", "cpuinfo", "sys/fs/file-nr",
    "sys/kernel/random/entropy_avail", "sys/kernel/random/poolsize", "schedstat", "pressure/cpu", "pressure/io",
    "pressure/memory", "self/limits", "self/stat",
)  # fmt: skip
# Of this machine alone, or of the exporter's own process and runtime.
LEFT_OUT = re.compile(r"^(node_dmi_info|node_arp_entries|node_selinux)|device=\"(zram|ifb)")
MACHINE = {
    r"nodename=\"[^\"]*\"": 'nodename="HOST"',
    r"release=\"[^\"]*\"": 'release="6.8.0-1021-aws"',
    r"address=\"(?!00:00:00:00:00:00)[^\"]*\",broadcast": 'address="02:00:00:00:00:01",broadcast',
    r"device=\"eth0\"": 'device="ens32"',
    r"device=\"vda\"": 'device="nvme0n1"',
}


def main() -> None:
    """Record it."""
    with tempfile.TemporaryDirectory() as folder:
        text = _exposition(sys.argv[1], Path(folder))
    for found, instead in MACHINE.items():
        text = re.sub(found, instead, text)
    lines = [line for line in text.splitlines() if not LEFT_OUT.search(line)]
    RECORDED.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _exposition(program: str, folder: Path) -> str:
    proc, root = folder / "proc", folder / "root"
    _copy_proc(proc)
    for mounted in MOUNTS.splitlines():
        (root / mounted.split()[1].lstrip("/")).mkdir(parents=True, exist_ok=True)
    (port,) = free_ports(1)
    options = [f"--path.procfs={proc}", f"--path.rootfs={root}", f"--web.listen-address=127.0.0.1:{port}"]
    with subprocess.Popen([program, *options, f"--collector.textfile.directory={folder}"]) as process:
        try:
            time.sleep(2)
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=300) as answer:
                text: str = answer.read().decode()
        finally:
            process.terminate()
    return text


def _copy_proc(proc: Path) -> None:
    for name in FILES:
        (proc / name).parent.mkdir(parents=True, exist_ok=True)
        # Not every kernel has all of them.
        with suppress(OSError):
            (proc / name).write_bytes(Path("/proc", name).read_bytes())
    (proc / "1").mkdir()
    (proc / "1" / "mounts").write_text(MOUNTS)
    (proc / "net/rpc").mkdir()
    (proc / "net/rpc/nfs").write_text(NFS)
    (proc / "net/rpc/nfsd").write_text(NFSD)


if __name__ == "__main__":
    main()
