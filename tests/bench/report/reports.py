"""Reports of clusters that there could be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.bench.clusters import all_pairs, json_with_process_times, text, write_pairs
from trainyard.api.bench_report import report_files

_LOG = (
    "p5-dy-1:4000:4000 [0] NCCL INFO NCCL version 2.29.3+cuda13.0",
    "p5-dy-1:4000:4000 [0] NCCL INFO cudaDriverVersion 12080",
    "p5-dy-1:4000:4088 [0] NCCL INFO NET/OFI Initializing aws-ofi-nccl 1.16.3",
    "p5-dy-1:4000:4088 [0] NCCL INFO NET/OFI Selected provider is efa, fabric is efa-direct (found 31 nics)",
    "p5-dy-1:4000:4088 [0] NCCL INFO NCCL_PROTO set by environment to Simple",
)
HOSTILE = '<script>alert("x")</script>&\u202e'


def pairs(folder: Path) -> dict[str, Any]:
    """Return a report on all pairs of six nodes, of which the third is slow."""
    write_pairs(folder / "pairs", all_pairs(6), {"p5-dy-3": 1.6})
    return report_files((str(folder / "pairs"),), instance_type="p5.48xlarge")


def growing(folder: Path, **settings: Any) -> dict[str, Any]:
    """Return a report on 1 to 8 nodes with versions that do not go together, and fewer network cards."""
    (folder / "scaling").mkdir(parents=True)
    for nodes, times in ((1, 0.99), (2, 1.0), (4, 1.25), (8, 1.28)):
        hosts = [f"p5-dy-{at + 1}" for at in range(nodes)]
        (folder / "scaling" / f"nodes-{nodes}.out").write_text(text(hosts, times, log=_LOG))
    return report_files((str(folder / "scaling"),), instance_type="p5.48xlarge", **settings)


def unknown(folder: Path) -> dict[str, Any]:
    """Return a report on 1 to 4 nodes of which nothing is known."""
    for nodes in (1, 2, 4):
        content = text([f"node{at}" for at in range(nodes)], nodes).replace("NVIDIA H100 80GB HBM3", "CPU")
        (folder / f"nodes-{nodes}.out").write_text(content)
    return report_files((str(folder),))


def processes(folder: Path) -> dict[str, Any]:
    """Return a report on one run of four nodes with the times of all processes, of which the third's are longer."""
    (folder / "all_reduce.json").write_text(json_with_process_times({"p5-3": 1.4}))
    return report_files((str(folder / "all_reduce.json"),), instance_type="p5.48xlarge")


def hostile(folder: Path) -> dict[str, Any]:
    """Return a report in which names of hosts, files, and settings try to be markup."""
    host = HOSTILE.replace(" ", "")
    lines = [line.replace("p5-dy-1:", f"{host}:") for line in _LOG]
    lines.append(f"{host}:4000:4088 [0] NCCL INFO NCCL_SOCKET_IFNAME set by environment to {HOSTILE}")
    lines.append(f"{host}:4000:4088 [0] NCCL WARN {HOSTILE}")
    file = folder / "<img src=x onerror=alert(1)>.out"
    file.write_text(text([host, "p5-dy-2"], log=lines))
    return report_files((str(file),), instance_type="p5.48xlarge", with_host_names=True)
