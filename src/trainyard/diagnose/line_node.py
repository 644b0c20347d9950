"""Which node a line is about: the line's own word where it names one, else the host in the name of its log."""

from __future__ import annotations

import re

from trainyard.diagnose.log_kind import STREAM

_HEAD_CHARACTERS = 4000
_HOST = r"(?P<host>[A-Za-z][A-Za-z0-9-]{0,62})(?:\.[A-Za-z0-9.-]{1,190})?"
# What mpirun --tag-output, srun --label and torchrun write before the line of a rank.
_RANK = r"(?:\[\d+,\d+\]<std(?:out|err)>: ?|\d{1,5}: |\[?rank\d{1,5}\]?: ?)?"
# `[2025-10-16 00:46:19] `, and what CloudWatch's exports begin with.
_TIME = r"(?:\[?20\d\d-\d\d-\d\d[T ][0-9:.,]{8,18}(?:Z|[+-]\d\d:?\d\d)?\]? )?"
# `srun: error: gpu-st-p5-2: task 0: Out Of Memory`, also behind what NCCL writes: https://slurm.schedmd.com/srun.html
BEFORE_SRUN_HOST = "srun: error: "
_SRUN = re.compile(rf"\b{BEFORE_SRUN_HOST}{_HOST}: ")
# `ip-10-0-0-7:71:75 [1] NCCL INFO`, which NCCL writes before each of its lines:
# https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html#nccl-debug
_NCCL = re.compile(rf"{_TIME}{_RANK}{_TIME}{_HOST}:\d{{1,8}}:\d{{1,8}} \[\d{{1,3}}\] ")
# `May  6 13:00:01 ip-10-0-0-7 kernel: `, or with a time as of ISO 8601, as newer rsyslog has it.
_SYSLOG = re.compile(
    rf"{_TIME}(?:(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) {{1,2}}\d{{1,2}} [0-9:]{{8}} "
    rf"|20\d\d-\d\d-\d\dT[0-9:.]{{8,15}}(?:Z|[+-]\d\d:\d\d) ){_HOST} [A-Za-z0-9_./@()-]{{1,48}}(?:\[\d{{1,8}}\])?: "
)
# Events of ParallelCluster and what journalctl -o json writes:
# https://docs.aws.amazon.com/parallelcluster/latest/ug/cw-logs-v3.html, https://systemd.io/JOURNAL_EXPORT_FORMATS/
_EVENT = re.compile(rf"""\\?"(?:hostname|_HOSTNAME|node-name|nodeName)\\?"\s{{0,2}}:\s{{0,2}}\\?"{_HOST}\\?\"""")
# `p5-st-node-1: message`, as pdsh and clush write it; ParallelCluster's names of nodes, so that no program fits.
_PREFIX = re.compile(
    rf"{_TIME}(?P<host>[a-z][a-z0-9-]{{0,60}}-(?:st|dy)-[a-z0-9-]{{1,60}}-\d{{1,5}}|ip(?:-\d{{1,3}}){{4}}): "
)


def node_of(name: str, text: str) -> str | None:
    """Return the node of a line in the log of this name; None where neither tells."""
    head = text[:_HEAD_CHARACTERS]
    of_srun = BEFORE_SRUN_HOST in head and _SRUN.search(head)
    own = of_srun or _NCCL.match(head) or ('"' in head and _EVENT.search(head))
    if own:
        return str(own["host"])
    if host := host_of(name):
        return host
    match = _SYSLOG.match(head) or _PREFIX.match(head)
    return match["host"] if match else None


def node_of_nccl(beginning: str) -> str | None:
    """Return the node of a line by what NCCL writes before its words, up to the space; None where it is not NCCL's."""
    match = _NCCL.fullmatch(beginning)
    return match["host"] if match else None


def may_be_same(node: str | None, other: str | None) -> bool:
    """Return whether two lines of one log may be of one node: one that names none may be of any."""
    return node is None or other is None or node == other


def host_of(name: str) -> str | None:
    """Return the host in the name of a stream, `<host>.<instance>.<log>`; None where the name is of another form."""
    stream = STREAM.match(name.rpartition("/")[2])
    return stream["host"] if stream else None
