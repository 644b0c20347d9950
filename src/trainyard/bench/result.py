"""What a bandwidth test has measured, and what its log says about how. None is what the log does not say.

Units as nccl-tests has them: µs, and GB/s of 10⁹ bytes.
https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

_USUAL_DTYPES = {"float", "half", "bfloat16", "fp32", "fp16", "bf16"}
Tool = Literal["nccl-tests", "nccom-test"]


class Measurement(NamedTuple):
    """One time, and the bandwidths that follow from it."""

    time_us: float
    algbw_gb_s: float
    """Bytes by time."""
    busbw_gb_s: float
    """That times a factor of the collective and the number of ranks, so that it can be held against hardware."""
    wrong: int | None = None
    """Elements that were not as they should be; None where that was not checked."""
    error: float | None = None
    """The largest deviation, which old versions print in place of the count."""
    process_times_us: tuple[float, ...] | None = None
    """The median over all iterations of each process, in the order of their ranks; only JSON with `-I 1` has them."""


class Row(NamedTuple):
    """One line of the table: one size."""

    size_bytes: int
    elements: int
    dtype: str
    redop: str | None
    root: int | None
    out_of_place: Measurement | None
    in_place: Measurement | None
    line: int
    """Where it stands, counted from 1; 0 in JSON."""


class Device(NamedTuple):
    """A rank, and the GPU that it used."""

    rank: int
    group: int
    pid: int
    host: str
    device: int
    name: str


class Evidence(NamedTuple):
    """A line that says something."""

    line: int
    text: str


@dataclass(slots=True)
class Transport:
    """How ranks of different nodes reached each other."""

    provider: str | None = None
    """Libfabric's provider, such as efa."""
    nics: int | None = None
    """Network cards that the plugin found on a node."""
    network: str | None = None
    """What NCCL calls the network that it uses, such as AWS Libfabric, IB or Socket."""
    connections: int = 0
    """Connections over the network that the log names, to send or to receive."""
    gdr_connections: int = 0
    """Those of them that need no copy in the memory of the host."""
    evidence: list[Evidence] = field(default_factory=list)


@dataclass(slots=True)
class Run:
    """One test: a table, and what stood around it."""

    tool: Tool = "nccl-tests"
    collective: str | None = None
    rows: list[Row] = field(default_factory=list)
    damaged_rows: int = 0
    """Lines that begin as a row does, and are cut, or contradict themselves."""
    doubled_devices: list[str] = field(default_factory=list)
    """GPUs that two ranks name as theirs."""
    unread: Evidence | None = None
    """The columns of a table below which no row could be read."""
    devices: list[Device] = field(default_factory=list)
    ranks: int | None = None
    nodes: int | None = None
    """Only the command of nccom-test says it."""
    instance_type: str | None = None
    """Only jobs of `trainyard bench plan` say it."""
    began: str | None = None
    """When, as jobs of `trainyard bench plan` write it, in UTC, and the JSON of nccl-tests, in the node's own time."""
    parameters: dict[str, str] = field(default_factory=dict)
    """Those that the test prints, such as nGpus and maxBytes."""
    versions: dict[str, str] = field(default_factory=dict)
    """Of nccl, nccl-tests, plugin, cuda, libfabric, and so on."""
    transport: Transport = field(default_factory=Transport)
    environment: dict[str, str] = field(default_factory=dict)
    """Variables that NCCL says were set."""
    algorithms: dict[str, int] = field(default_factory=dict)
    """How often the log names each algorithm and protocol."""
    average_busbw_gb_s: float | None = None
    out_of_bounds: tuple[int, str] | None = None
    """How many results were out of bounds, and OK or FAILED."""
    concluded: bool = False
    """Whether the test says that it came to its end."""
    failures: list[Evidence] = field(default_factory=list)
    bandwidth_unit: str = "GB/s"
    """nccom-test writes GB/s over what are GiB/s."""
    first_line: int = 0
    last_line: int = 0

    @property
    def is_test(self) -> bool:
        """Return whether a test has begun, or has failed to: what NCCL says of itself is said in training as well."""
        return bool(self.rows or self.damaged_rows or self.unread or self.failures or self.parameters or self.devices)

    @property
    def on_cpus(self) -> bool:
        """Return whether no GPU took part: programs/collective_sweep/ names its devices so."""
        return bool(self.devices) and all(device.name.startswith("CPU") for device in self.devices)

    @property
    def hosts(self) -> list[str]:
        """The hosts of the ranks that the test lists, in their order."""
        return list(dict.fromkeys(device.host for device in self.devices))

    @property
    def process_hosts(self) -> list[str]:
        """The host of each process, in the order of the ranks: a process may have several GPUs."""
        return [host for host, _ in dict.fromkeys((device.host, device.pid) for device in self.devices)]

    @property
    def every_rank_listed(self) -> bool:
        """Return whether the devices are those of all ranks."""
        return {device.rank for device in self.devices} == set(range(len(self.devices)))

    @property
    def series(self) -> list[list[Row]]:
        """Return the rows of each data type, operation and root, and of each time that its sizes were run through."""
        found: dict[tuple[str, str | None, int | None], list[list[Row]]] = {}
        for row in self.rows:
            cycles = found.setdefault((row.dtype, row.redop, row.root), [[]])
            if cycles[-1] and row.size_bytes < cycles[-1][-1].size_bytes:
                cycles.append([])
            cycles[-1].append(row)
        return [cycle for cycles in found.values() for cycle in cycles]

    @property
    def usual_series(self) -> list[list[Row]]:
        """Return those of the kind that others publish: sums of floats, or anything where nothing is calculated."""
        return [rows for rows in self.series if rows[0].redop is None or _is_usual(rows[0])]

    @property
    def usual_rows(self) -> list[Row]:
        """Return the rows of the usual series, or all of them where there is none."""
        usual = [row for rows in self.usual_series for row in rows]
        return usual or self.rows

    @property
    def best(self) -> Row | None:
        """The row with the highest bus bandwidth, out of place where there is one; None where nothing was measured."""
        measured = [row for row in self.rows if busbw(row) is not None]
        return max(measured, key=lambda row: busbw(row) or 0.0, default=None)

    @property
    def wrong_total(self) -> int | None:
        """All wrong elements; None where nothing was checked."""
        counts = [
            measurement.wrong
            for row in self.rows
            for measurement in (row.out_of_place, row.in_place)
            if measurement is not None
        ]
        checked = [count for count in counts if count is not None]
        return sum(checked) if checked else None


def _is_usual(row: Row) -> bool:
    """Return whether switches and GPUs add it up as they do sums of floats: not so 8-bit types, products, integers.

    https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html#nccl-nvls-enable
    """
    return row.redop == "sum" and row.dtype in _USUAL_DTYPES


def busbw(row: Row) -> float | None:
    """Return the bus bandwidth of a row in GB/s: out of place, or in place where it has nothing else."""
    measurement = row.out_of_place or row.in_place
    return None if measurement is None else measurement.busbw_gb_s
