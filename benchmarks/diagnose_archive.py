"""An archive as ParallelCluster exports it, of made-up logs of many nodes, in which a few things went wrong."""

from __future__ import annotations

import datetime as dt
import io
import random
import tarfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_BEGIN = dt.datetime(2025, 5, 6, 13, tzinfo=dt.UTC)
_POOL_LINES = 20_000
# What stands in braces is drawn anew for each line: a number, a hexadecimal one, the day and time, a host.
_LINES = {
    "syslog": (
        "{month} {clock} {host} systemd[1]: Started Session {n} of User root.",
        "{month} {clock} {host} kernel: [{n}.{n}] ena 0000:{h}:00.0 ens{n}: Local page cache is disabled",
        "{month} {clock} {host} dhclient[{n}]: DHCPREQUEST for 10.0.{n}.{n} on ens5 to 10.0.0.1 port 67 (xid=0x{h})",
        "{month} {clock} {host} CRON[{n}]: (root) CMD (   cd / && run-parts --report /etc/cron.hourly)",
        "{month} {clock} {host} chronyd[{n}]: Selected source 169.254.169.123, offset {n}.{n} s",
        "{month} {clock} {host} amazon-ssm-agent[{n}]: INFO [HealthCheck] HealthCheck reporting agent health {h}",
        "{month} {clock} {host} kernel: [{n}.{n}] nvidia-nvswitch{n}: open (major={n}) for {h}",
        '{month} {clock} {host} audit[{n}]: AVC apparmor="STATUS" operation="profile_load" name="{h}" pid={n}',
    ),
    "slurmd": (
        "[{iso}] task/affinity: task_p_slurmd_batch_request: task_p_slurmd_batch_request: {n}",
        "[{iso}] task/affinity: batch_bind: job {n} CPU input mask for node: 0x{h}",
        "[{iso}] Launching batch job {n} for UID {n}",
        "[{iso}] [{n}.batch] done with job",
        "[{iso}] debug:  _rpc_terminate_job: uid = {n} JobId={n}",
        "[{iso}] launch task StepId={n}.{n} request from UID:{n} GID:{n} HOST:10.0.{n}.{n} PORT:{n}",
    ),
    "computemgtd": (
        "{iso_comma} - [slurm_plugin.computemgtd:_run_computemgtd] - INFO - Latest heartbeat from clustermgtd: {iso}",
        "{iso_comma} - [slurm_plugin.computemgtd:_self_terminate] - INFO - Checked {n} times, instance i-{h}{h} stays",
    ),
    "chef-client": (
        "[{iso}+00:00] INFO: Processing directory[/opt/parallelcluster/{h}] action create (shared::setup line {n})",
        "[{iso}+00:00] INFO: template[/etc/{h}.conf] updated file contents /etc/{h}.conf",
        "[{iso}+00:00] INFO: execute[step {n}] ran successfully, it took {n}.{n} seconds",
        "[{iso}+00:00] WARN: Cinc Client license deprecation notice: resource property {h} goes in release {n}",
    ),
}  # fmt: skip
_JOB = (
    "{host}:{n}:{n} [{d}] NCCL INFO Channel {n}/0 : {n}[{d}] -> {n}[{d}] [send] via NET/Libfabric/{n}/GDRDMA",
    "{host}:{n}:{n} [{d}] NCCL INFO comm 0x{h} rank {n} nranks 8000 cudaDev {d} busId {h} - Init COMPLETE",
    "[{host}] step {n} | loss {n}.{n} | lr {n}.{n}e-05 | tokens/s {n} | grad norm {n}.{n} | memory {n}.{n} GiB",
)
_FAILURES = {
    "syslog": "{month} {clock} {host} kernel: [{n}.{n}] NVRM: Xid (PCI:0000:a8:00): 79, pid={n}, name=python3, "
    "GPU has fallen off the bus.",
    "slurmd": "[{iso}] error: Node configuration differs from hardware: CPUs={n}:{n}(hw)",
}
_WATCHDOG = (
    "[rank{n}]:[E506 {clock}.{n} ProcessGroupNCCL.cpp:607] [Rank {n}] Watchdog caught collective operation timeout: "
    "WorkNCCL(SeqNum={n}, OpType=ALLREDUCE, NumelIn={n}, NumelOut={n}, Timeout(ms)=600000) ran for {n} milliseconds "
    "before timing out."
)
# The last numbers of the hosts that fail, and how large a part of its logs each kind has.
_FAILING = {100, 203, 204}
_PARTS = {"syslog": 0.5, "slurmd": 0.2, "computemgtd": 0.1, "chef-client": 0.15}
_JOB_PART = 0.05


def write_archive(file: Path, megabytes: int, nodes: int = 1000) -> None:
    """Write a tar.gz that unpacks to so many 10^6 bytes. The same arguments give the same logs."""
    drawn = random.Random(9)  # noqa: S311  logs, not secrets
    pools = {kind: [_filled(line, drawn) for line in drawn.choices(lines, k=_POOL_LINES)]
             for kind, lines in {**_LINES, "job": _JOB}.items()}  # fmt: skip
    with tarfile.open(file, "w:gz", compresslevel=6) as archive:
        for node in range(nodes):
            host = f"ip-10-0-{node // 250}-{node % 250}"
            for kind, part in _PARTS.items():
                size = int(megabytes * 1e6 * part / nodes)
                lines = _of_log(kind, pools[kind], size, host, drawn)
                name = f"train-logs-202505061300/cloudwatch-logs/{host}.i-{node:017x}.{kind}"
                _add(archive, name, lines)
            if node % 100 == 0:
                size = int(megabytes * 1e6 * _JOB_PART * 100 / nodes)
                lines = _of_log("job", pools["job"], size, host, drawn)
                _add(archive, f"train-logs-202505061300/job-output/slurm-{node}.out", lines)


def _of_log(kind: str, pool: list[str], size: int, host: str, drawn: random.Random) -> Iterator[str]:
    written, at = 0, _BEGIN
    while written < size:
        for line in drawn.choices(pool, k=20):
            at += dt.timedelta(milliseconds=drawn.randrange(20_000))
            prefix = "" if kind == "job" else f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03}Z "
            whole = f"{prefix}{line.replace('HOST', host)}\n"
            written += len(whole)
            yield whole
    if int(host.rpartition("-")[2]) in _FAILING:
        failure = _filled(_FAILURES.get(kind, _WATCHDOG), drawn).replace("HOST", host)
        yield f"{at:%Y-%m-%dT%H:%M:%S}.000Z {failure}\n" * 16


def _filled(line: str, drawn: random.Random) -> str:
    at = _BEGIN + dt.timedelta(seconds=drawn.randrange(86_400))
    words = {
        "{month}": f"{at:%b} {at.day:2}", "{clock}": f"{at:%H:%M:%S}", "{iso}": f"{at:%Y-%m-%dT%H:%M:%S}.123",
        "{iso_comma}": f"{at:%Y-%m-%d %H:%M:%S},123", "{host}": "HOST",
    }  # fmt: skip
    for word, value in words.items():
        line = line.replace(word, value)
    while "{" in line:
        line = line.replace("{n}", str(drawn.randrange(10 ** drawn.randrange(1, 7))), 1)
        line = line.replace("{h}", f"{drawn.randrange(16**14):014x}", 1).replace("{d}", str(drawn.randrange(8)), 1)
    return line


def _add(archive: tarfile.TarFile, name: str, lines: Iterator[str]) -> None:
    data = "".join(lines).encode()
    header = tarfile.TarInfo(name)
    header.size, header.mtime = len(data), int(_BEGIN.timestamp())
    archive.addfile(header, io.BytesIO(data))
