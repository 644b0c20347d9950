"""Measures the collector of Slurm beside Slurm's own commands, on a real slurmctld. `make benchmark` runs it, as root.

Every round runs the three bare commands and one reading in turn, so that a slow moment of the machine hits both; ratios
are of medians within the same rounds. benchmarks/README.md keeps results.
"""

from __future__ import annotations

import argparse
import http.client
import os
import resource
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.slurm import free_ports, real_slurm

from trainyard_node.collectors.slurm.collector import SlurmCollector
from trainyard_node.collectors.slurm.scheduler import SchedulerCollector
from trainyard_node.collectors.slurm.slurm_reading import VARIABLES, commands_with
from trainyard_node.programs import RealPrograms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from tests.slurm import Slurm

NODES = 1022
JOBS = 10_000
SCRAPERS = 50
COMMANDS = commands_with("\x1e")
# Nodes of the cloud without power, of which ParallelCluster has many, and of three states.
CLUSTER = f"""\
PrivateData=cloud
SuspendProgram=/bin/true
ResumeProgram=/bin/true
SuspendTime=3600
MaxJobCount=200000
MaxArraySize=100001
NodeName=big-dy-p5-[1-{NODES}] State=CLOUD CPUs=192 RealMemory=2000000 Gres=gpu:h100:8 Features=dynamic,p5.48xlarge
PartitionName=big Nodes=big-dy-p5-[1-{NODES}]
"""


def main() -> None:
    """Measure, and print a table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=25)
    rounds = options.parse_args().rounds
    with real_slurm(2, gpus=8, more=CLUSTER, queue="q-st-cpu-[1-2]") as slurm:
        os.environ["SLURM_CONF"] = slurm.variables["SLURM_CONF"]
        fill(slurm)
        for name, value in {**collection(rounds), **scheduler(rounds), **served(slurm), **whole_json()}.items():
            print(f"| {name} | {value} |", flush=True)
    for name, value in recorded().items():
        print(f"| {name} | {value} |")


def fill(slurm: Slurm) -> None:
    """Submit jobs, most of them one by one, and take some nodes out."""
    script = slurm.folder / "wait.sh"
    script.write_text("#!/bin/sh\nsleep 600\n")
    script.chmod(0o755)
    options = ["--uid=65534", "--chdir=/", "--output=/dev/null", "--partition=big", "--gres=gpu:8"]
    each = [
        "xargs",
        "-P8",
        "-I{}",
        "sbatch",
        "--quiet",
        "--job-name=train-{}",
        "--hold",
        "--nodes=2",
        *options,
        str(script),
    ]
    numbers = "\n".join(map(str, range(JOBS // 2)))
    subprocess.run(each, input=numbers, text=True, check=True, stdout=subprocess.DEVNULL)
    slurm.run("sbatch", "--quiet", "--hold", f"--array=1-{JOBS // 2}", *options, str(script))
    slurm.run("scontrol", "update", "NodeName=big-dy-p5-[1-40]", "State=down", "Reason=Xid 79")
    slurm.submit("sleep 600", "--partition=q", "--gres=gpu:2", "--nodelist=q-st-cpu-1")


def scheduler(rounds: int) -> dict[str, str]:
    """Return what slurmctld's own figures cost, which are read once a minute."""
    collector = SchedulerCollector(RealPrograms(), "vpenso")
    times = statistics.median([timed(lambda: len(collector.collect().text())) for _ in range(rounds)])
    return {"one reading of sdiag and sshare, once a minute": f"{times * 1000:.0f} ms"}


def collection(rounds: int) -> dict[str, str]:
    """Return what one reading costs beside the three commands alone, in time and in time of the processor."""
    programs = RealPrograms()
    collector = SlurmCollector(programs)
    bare: list[float] = []
    ours: list[float] = []
    bare_cpu: list[float] = []
    ours_cpu: list[float] = []
    for _ in range(rounds):
        for times, cpu, what in (
            (bare, bare_cpu, run_bare),
            (ours, ours_cpu, lambda: len(collector.collect().text())),
        ):
            before = processor_s()
            times.append(timed(what))
            cpu.append(processor_s() - before)
    return {
        "three bare commands": f"{statistics.median(bare) * 1000:.0f} ms",
        "one reading": f"{statistics.median(ours) * 1000:.0f} ms",
        "reading / bare commands (limit 1.5)": f"{statistics.median(ours) / statistics.median(bare):.2f}",
        "the same in time of the processor": f"{statistics.median(ours_cpu) / statistics.median(bare_cpu):.2f}",
        "samples of a reading": str(len(collector.collect())),
    }


def run_bare() -> None:
    """Run what a reading runs, as a shell would: nothing looks at what they print."""
    for command in COMMANDS:
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True, env={**os.environ, **VARIABLES})


def served(slurm: Slurm) -> dict[str, str]:
    """Return how quickly many scrapers at once are served by a process of its own, and what it holds."""
    (port,) = free_ports(1)
    command = [sys.executable, "-m", "trainyard_node", "serve", "--collector=slurm", f"--listen=127.0.0.1:{port}"]
    with subprocess.Popen(command, env={**os.environ, **slurm.variables}) as process:
        try:
            wait_for(port)
            times = [time_s for _ in range(10) for time_s in at_once(SCRAPERS, port)]
            memory_mb = peak_mb(process.pid)
        finally:
            process.terminate()
    times.sort()
    return {
        f"scrape, 99th percentile, {SCRAPERS} at once (limit 100 ms)": f"{times[int(len(times) * 0.99)] * 1000:.0f} ms",
        "scrape, median of them": f"{statistics.median(times) * 1000:.0f} ms",
        "memory of the process (limit 100 MB)": f"{memory_mb:.0f} MB",
    }


def at_once(count: int, port: int) -> Iterable[float]:
    """Let scrapers ask at the same moment, as Prometheus does, and return how long each waited for all of it."""
    times: list[float] = []
    gate = threading.Barrier(count)

    def scrape() -> None:
        gate.wait()
        times.append(timed(lambda: ask(port)))

    threads = [threading.Thread(target=scrape) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return times


def ask(port: int) -> bytes:
    """Scrape."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", "/metrics", headers={"Accept-Encoding": "gzip"})
    return connection.getresponse().read()


def wait_for(port: int) -> None:
    """Wait until a reading is served."""
    for _ in range(200):
        try:
            if len(ask(port)) > 5000:
                return
        except OSError:
            pass
        time.sleep(0.05)
    raise SystemExit("nothing is served")


def whole_json() -> dict[str, str]:
    """Return what reading all jobs as JSON costs, which is what others do."""
    command = [COMMANDS[-1][0], "--json"]
    times = [timed(lambda: subprocess.run(command, stdout=subprocess.DEVNULL, check=True)) for _ in range(3)]
    return {"squeue --json alone": f"{statistics.median(times) * 1000:.0f} ms"}


class Recorded:
    """100,000 jobs and 5,000 nodes, as Slurm would print them: no two jobs alike."""

    def __init__(self) -> None:
        """Write it once."""
        jobs_ = "".join(
            f"{'RUNNING' if n % 3 else 'PENDING'}\x1fq{n % 9}\x1fu{n % 500}\x1f{n}\x1f1\x1f1"
            f"\x1fcpu={n},mem=1T,node=1\x1fN/A\x1fgres/gpu:8\x1fN/A\x1fPriority\x1fa{n % 50}\x1e\n"
            for n in range(100_000)
        )
        groups = "".join(
            f"n-dy-p5-[{n}-{n + 49}]\x1fq{n % 9}\x1fup\x1fidle~\x1f0/9600/0/9600\x1fdynamic\x1fUnknown\x1fnone\x1e\n"
            for n in range(1, 5000, 50)
        )
        line = (
            "NodeName=n-dy-p5-{n} CoresPerSocket=1  CPUAlloc=0 CPUEfctv=192 CPUTot=192 CPULoad=N/A "
            "AvailableFeatures=dynamic ActiveFeatures=dynamic Gres=gpu:h100:8 GresDrain=N/A "
            "GresUsed=gpu:h100:0 NodeAddr=n-dy-p5-{n} "
            "NodeHostName=n-dy-p5-{n}  RealMemory=2000000 AllocMem=0 FreeMem=N/A Sockets=192 Boards=1 "
            "State=IDLE+CLOUD+POWERED_DOWN ThreadsPerCore=1 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A Partitions=q  \n"
        )
        all_nodes = "".join(line.format(n=n) for n in range(1, 5001))
        self._printed: Mapping[str, bytes] = {
            "squeue": jobs_.encode(), "sinfo": groups.encode(), "scontrol": all_nodes.encode(),
        }  # fmt: skip

    def read(self, command: Sequence[str], timeout_s: float, most_bytes: int, variables: Mapping[str, str]) -> bytes:
        """Print it."""
        del timeout_s, most_bytes, variables
        return self._printed[command[0]].replace(b"\x1e", b"\x1e" + command[-1].rpartition("\x1e")[2].encode())


def recorded() -> dict[str, str]:
    """Return what a reading of a very large cluster costs, in a process of its own."""
    child = os.fork()
    if child == 0:
        collector = SlurmCollector(Recorded())
        took_s = timed(lambda: len(collector.collect().text()))
        print(f"| 100,000 jobs, 5,000 nodes (limit 3 s) | {took_s:.2f} s |", flush=True)
        os._exit(0)
    _, _, usage = os.wait4(child, 0)
    return {"memory for them (limit 300 MB)": f"{usage.ru_maxrss * 1024 / 1e6:.0f} MB"}


def timed(what: Callable[[], object]) -> float:
    """Return how long something takes."""
    began = time.perf_counter()
    what()
    return time.perf_counter() - began


def processor_s() -> float:
    """Return the time of the processor that this process and its ended children took."""
    usages = (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def peak_mb(pid: int) -> float:
    """Return the largest memory that a process held, in 10^6 bytes."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024 / 1e6
    raise SystemExit("the process is gone")


if __name__ == "__main__":
    main()
