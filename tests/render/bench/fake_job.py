"""A job of Slurm that is a folder: the scripts, their settings, and stand-ins for what they call.

job = FakeJob(tmp_path)
ran = job.run()
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from trainyard.render.bench.sbatch import scripts

# The stand-in for srun runs what it is given once on each host, where uname tells the name of the host.
SRUN = """\
printf '%s\\n' "$*" >>"$STUB/srun"
hosts=($(scontrol show hostnames "$SLURM_JOB_NODELIST"))
for word in "$@"; do
  case $word in
  --nodes=1 | --distribution=arbitrary) hosts=("${hosts[0]}") ;;
  --container-image=*) inside=1 ;;
  esac
done
[ -z "${SLURM_HOSTFILE:-}" ] || cp "$SLURM_HOSTFILE" "$STUB/ranks"
while [[ ${1:-} == --* ]]; do shift; done
if [ -n "${inside:-}" ]; then set -- bash "$SCRIPTS/${2##*/}" "${@:3}"; fi
for host in "${hosts[@]}"; do FAKE_HOST=$host "$@"; done
"""
MPIRUN = """\
printf '%s\\n' "$@" >"$STUB/mpirun"
env | grep -E '^(NCCL|FI|OFI|RDMAV)_' | sort >"$STUB/environment"
while [ "$1" != bash ]; do
  [ "$1" != --hostfile ] || cp "$2" "$STUB/hostfile"
  shift
done
exec "$@"
"""
PROGRAMS = {
    "uname": 'if [ "$1" = -n ]; then echo "${FAKE_HOST:-q-st-1}"; else exec /usr/bin/uname "$@"; fi',
    "scontrol": """\
case "$2" in
hostnames) tr , '\\n' <<<"$3" ;;
topology) cat "$STUB/topology" 2>/dev/null || exit 1 ;;
esac
""",
    "srun": SRUN,
    "nvidia-smi": """\
[ -z "${FAKE_DEAD_GPU:-}" ] || exit 9
case "$*" in
*query-gpu*) printf '%s, NVIDIA H100 80GB HBM3, 81559 MiB, 570.86.15\\n' 0 1 ;;
*) echo "| NVIDIA-SMI 570.86.15    ${FAKE_CUDA:-Driver Version: 570.86.15    CUDA Version: 12.8}     |" ;;
esac
""",
    "fi_info": """\
[ "$1" != --version ] || { printf 'fi_info: 2.1.0amzn1.0\\nlibfabric: 2.1.0amzn1.0\\n'; exit; }
for card in 79 80; do
  printf 'provider: efa\\n    fabric: efa\\n    domain: rdmap%ss0-rdm\\n    version: 201.0\\n' "$card"
  printf '    type: FI_EP_RDM\\n    protocol: FI_PROTO_EFA\\n'
done
""",
}  # fmt: skip
TABLE = """\
# nccl-tests version 2.17.6 nccl-headers=22707 nccl-library=22707
# Collective test starting: {program}
# nThread 1 nGpus 1 minBytes 1024 maxBytes 2048 step: 2(factor) warmup iters: 5 iters: 20
#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong
        1024           256     float     sum      -1    20.00    0.05    0.10       0    20.00    0.05    0.10       0
        2048           512     float     sum      -1    21.00    0.10    0.18       0    21.00    0.10    0.18       0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 0.14
#
# Collective test concluded: {program}
"""
SETTINGS = {
    "TRAINYARD_BENCH_JOB": "gpu-p1-all_reduce",
    "TRAINYARD_INSTANCE_TYPE": "p5.48xlarge",
    "TRAINYARD_PROGRAMS": "all_reduce_perf",
    "TRAINYARD_ARGUMENTS": "-b 8 -e 1024 -f 2 -g 1 -c 1 -n 20 -w 5",
    "TRAINYARD_RANKS_PER_NODE": "8",
    "TRAINYARD_VARIABLES": "NCCL_DEBUG NCCL_DEBUG_SUBSYS",
    "TRAINYARD_SHARED": "/fsx",
    "NCCL_DEBUG": "INFO",
    "NCCL_DEBUG_SUBSYS": "INIT,ENV",
    "SLURM_JOB_ID": "7",
    "SLURM_JOB_NUM_NODES": "2",
    "SLURM_JOB_NODELIST": "q-st-10,q-st-9",
}


class FakeJob:
    """`root` is the root of every node, `stub` what stand-ins remember, `bench` the folder of the scripts."""

    def __init__(self, place: Path) -> None:
        """Make nodes with GPUs, EFA, Open MPI, and nccl-tests where AWS's images have it."""
        self.root, self.stub, self.bin, self.bench = (place / name for name in ("root", "stub", "bin", "be nch"))
        for folder in (self.root, self.stub, self.bin, self.bench):
            folder.mkdir()
        for name, content in scripts().items():
            (self.bench / name).write_bytes(content)
        for name, body in PROGRAMS.items():
            self.program(self.bin / name, body)
        self.program(self.root / "opt/amazon/openmpi/bin/mpirun", MPIRUN)
        for name in ("all_reduce_perf", "alltoall_perf"):
            self.program(self.root / "opt/nccl-tests/build" / name, says(name))
        self.write("sys/devices/virtual/dmi/id/product_name", "p5.48xlarge\n")
        self.write("opt/amazon/efa_installed_packages", "# EFA installer version: 1.43.2\n# Debug packages: no\n")
        self.write("opt/amazon/ofi-nccl/lib/libnccl-net-ofi.so", "\x7fELF\0aws-ofi-nccl 1.16.3\0NET/OFI\0")
        self.write("opt/nccl/build/lib/libnccl.so.2", "\x7fELF\0NCCL version 2.27.7+cuda12.8\0")
        self.write("sys/module/efa/version", "2.17.2g\n")
        for card, driver in (("rdmap79s0", "efa"), ("rdmap80s0", "efa"), ("ibp1s0", "mlx5_core")):
            self.write(f"sys/class/infiniband/{card}/ports/1/state", "4: ACTIVE\n")
            (self.root / f"drivers/{driver}").mkdir(parents=True, exist_ok=True)
            (self.root / f"sys/class/infiniband/{card}/device").mkdir()
            (self.root / f"sys/class/infiniband/{card}/device/driver").symlink_to(self.root / f"drivers/{driver}")

    def program(self, file: Path, body: str) -> None:
        """Write a stand-in."""
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"#!/usr/bin/env bash\n{body}\n")
        file.chmod(0o755)

    def write(self, path: str, content: str) -> None:
        """Write a file of the nodes."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)

    def remembered(self, name: str) -> list[str]:
        """Return the lines that a stand-in left."""
        return (self.stub / name).read_text().splitlines()

    def run(
        self, *arguments: str, script: str = "run-nccl-test.sh", **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a script with both streams in one, as Slurm writes them."""
        environment = {
            "PATH": f"{self.bin}:/usr/bin:/bin", "HOME": "/root", "STUB": str(self.stub), "SCRIPTS": str(self.bench),
            "TRAINYARD_SYSROOT": str(self.root), "TMPDIR": str(self.stub), **SETTINGS, **variables,
        }  # fmt: skip
        return subprocess.run(
            ["/bin/bash", str(self.bench / script), *arguments], env=environment, text=True, check=False, timeout=300,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip


def says(program: str, status: int = 0) -> str:
    """Return the body of a stand-in for a program of nccl-tests, which prints its table."""
    table = TABLE.format(program=program)
    keep = 'printf "%s\\n" "$@" >"$STUB/arguments"\necho "$LD_LIBRARY_PATH" >"$STUB/libraries"\n'
    return f"{keep}cat <<'TABLE'\n{table}TABLE\nexit {status}"


def lines_with(said: str, pattern: str) -> list[str]:
    """Return the lines in which a pattern is found."""
    return [line for line in said.splitlines() if re.search(pattern, line)]
