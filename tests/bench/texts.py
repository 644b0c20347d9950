"""Outputs of nccl-tests, in the forms that there have been."""

from __future__ import annotations

# 2 × p5.48xlarge, all_reduce of floats: size, count, and time, algbw, busbw out of place and in place.
# https://github.com/aws-samples/awsome-distributed-training/tree/main/micro-benchmarks/nccl-tests
P5_TWO_NODES = (
    (8, 2, "69.12", "0.00", "0.00", "72.43", "0.00", "0.00"),
    (1024, 256, "69.24", "0.01", "0.03", "69.04", "0.01", "0.03"),
    (65536, 16384, "135.1", "0.48", "0.91", "103.8", "0.63", "1.18"),
    (1048576, 262144, "123.2", "8.51", "15.95", "121.3", "8.64", "16.21"),
    (16777216, 4194304, "298.1", "56.28", "105.52", "298.3", "56.24", "105.45"),
    (134217728, 33554432, "870.3", "154.22", "289.16", "876.8", "153.07", "287.01"),
    (1073741824, 268435456, "4607.6", "233.04", "436.95", "4565.6", "235.18", "440.96"),
    (4294967296, 1073741824, "17286", "248.46", "465.87", "17343", "247.64", "464.33"),
    (17179869184, 4294967296, "66132", "259.78", "487.09", "66109", "259.87", "487.26"),
)
_TWO = "time   algbw   busbw #wrong"
HEADER = (
    f"#{'out-of-place':>74}{'in-place':>31}",
    f"#       size         count      type   redop    root     {_TWO}     {_TWO}",
    f"#        (B)    (elements)  {'(us)  (GB/s)  (GB/s)':>50}{'(us)  (GB/s)  (GB/s)':>32}",
)
OPENING = (
    "# nccl-tests version 2.17.6 nccl-headers=22602 nccl-library=22703",
    "# Collective test starting: all_reduce_perf",
    "# nThread 1 nGpus 1 minBytes 8 maxBytes 17179869184 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1",
    "#",
    "# Using devices",
    *(
        f"#  Rank {rank:2} Group  0 Pid {4000 + rank:6} on p5-dy-{rank // 8 + 1} device {rank % 8:2} [0000:53:00] "
        "NVIDIA H100 80GB HBM3"
        for rank in range(16)
    ),
    "#",
)
CLOSING = (
    "# Out of bounds values : 0 OK",
    "# Avg bus bandwidth    : 176.613 ",
    "#",
    "# Collective test concluded: all_reduce_perf",
)
LOG = (
    "p5-dy-1:4000:4000 [0] NCCL INFO NCCL version 2.27.3+cuda12.8",
    "p5-dy-1:4000:4088 [0] NCCL INFO NET/OFI Initializing aws-ofi-nccl 1.16.3",
    "p5-dy-1:4000:4088 [0] NCCL INFO NET/OFI Using Libfabric version 2.1",
    "p5-dy-1:4000:4088 [0] NCCL INFO NET/OFI Selected provider is efa, fabric is efa-direct (found 32 nics)",
    "p5-dy-1:4000:4088 [0] NCCL INFO Using network Libfabric",
    "p5-dy-1:4000:4088 [0] NCCL INFO NCCL_PROTO set by environment to Simple",
    "p5-dy-1:4000:4088 [0] NCCL INFO Channel 00/0 : 8[0] -> 0[0] [receive] via NET/Libfabric/0/GDRDMA",
    "p5-dy-1:4000:4088 [0] NCCL INFO Channel 00/0 : 0[0] -> 8[0] [send] via NET/Libfabric/0/GDRDMA",
    "p5-dy-1:4000:4088 [0] NCCL INFO Channel 01/0 : 0[0] -> 8[0] [send] via NET/Libfabric/0",
    "p5-dy-1:4000:4088 [0] NCCL INFO comm 0x55 rank 0 nranks 16 cudaDev 0 busId 53000 - Init COMPLETE",
)


def row(figures: tuple[int | str, ...], wrong: str = "0", in_place: str | None = None) -> str:
    size, count, *values = figures
    first, second = values[:3], values[3:]
    return (
        f"{size:>12} {count:>13}     float     sum      -1 "
        f"{' '.join(f'{one:>8}' for one in first)} {wrong:>6} {' '.join(f'{one:>8}' for one in second)} "
        f"{in_place or wrong:>6}"
    )


def rows(wrong: str = "0") -> list[str]:
    return [row(one, wrong) for one in P5_TWO_NODES]


def old_rows() -> list[str]:
    """Return them as before 2.12: without a root, and with the deviation in place of the count."""
    return [line.replace("      -1 ", " ") for line in rows("5e-07")]


def whole(prefix: str = "", *, log: bool = False) -> bytes:
    lines = (*OPENING, *(LOG if log else ()), *HEADER, *rows(), *CLOSING)
    return "".join(f"{prefix}{line}\n" for line in lines).encode()
