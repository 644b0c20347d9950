"""Outputs of bandwidth tests in the forms in which they reach us, as foreign_outputs.yaml names them.

The formats are those of the programs' own sources:
https://github.com/NVIDIA/nccl-tests/blob/master/src/util.cu
https://awsdocs-neuron.readthedocs-hosted.com/en/latest/tools/neuron-sys-tools/nccom-test.html
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

DATA = YAML(typ="safe").load(Path(__file__).with_suffix(".yaml"))
BYTES = {"int8": 1, "uint8": 1, "f8e4m3": 1, "f8e5m2": 1, "half": 2, "bfloat16": 2, "double": 8}
Point = tuple[int, float]
_REDUCING = {"all_reduce", "reduce_scatter", "reduce"}
_PARAMETERS = (
    "# nThread 1 nGpus 1 minBytes 1048576 maxBytes 17179869184 step: 2(factor) warmup iters: 1 iters: 20 agg iters: 1 "
    "validation: 1 graph: 0 unalign: 0"
)


def cases() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = DATA["cases"]
    return found


def content(case: dict[str, Any]) -> bytes:
    """Return the file of a case."""
    if case.get("form"):
        return FORMS[case["form"]](case).encode()
    lines = OTHER_TABLES[case["tool"]](case) if case.get("tool") else misbuilt_lines(case)
    return WRAPPINGS[case["wrap"]](lines) if "wrap" in case else ("\n".join(lines) + "\n").encode()


def points(case: dict[str, Any]) -> list[Point]:
    """Return size and bus bandwidth in the order in which rows are printed, over all series."""
    curve = DATA["curves"][case["curve"]]["busbw"]
    cycles = case.get("cycles", 1)
    series = max(1, len(case.get("types", ()))) * max(1, len(case.get("redops", ())))
    found = []
    for cycle in range(cycles):
        last = case.get("last_cycle_speed", 1.0) if cycle == cycles - 1 else 1.0
        speeds = [case.get("speed", 1.0) * last] * (series - 1) + [
            case.get("last_type_speed", case.get("speed", 1.0) * last)
        ]
        found += [(size, busbw * speed) for speed in speeds for size, busbw in curve.items()]
    return found


def ranks_of(case: dict[str, Any]) -> int:
    if "ranks" in case:
        return int(case["ranks"])
    return int(DATA["machines"][case["type"]][0] * case["nodes"])


def factor(collective: str, ranks: int) -> float:
    """Return busbw by algbw: https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md."""
    share = (ranks - 1) / ranks
    return {"all_reduce": 2 * share, "broadcast": 1.0, "reduce": 1.0, "sendrecv": 1.0}.get(collective, share)


def figure(value: float, width: int) -> str:
    """Return a figure as getFloatStr prints it."""
    for decimals in (2, 1, 0):
        text = f"{value:{width}.{decimals}f}"
        if len(text) <= width:
            return text
    return f"{value:{width}.1e}"


def nccl_lines(case: dict[str, Any]) -> list[str]:
    options = case.get("options", ())
    head = [] if "bare" in options else _opening(case)
    rows = _old_rows(case) if "old" in options else _rows(case)
    return [*head, *_header(case), *rows, *_closing(case)]


def _opening(case: dict[str, Any]) -> list[str]:
    collective = case.get("collective", "all_reduce")
    return [
        "# nccl-tests version 2.19.6 nccl-headers=23007 nccl-library=23007",
        f"# Collective test starting: {collective}_perf",
        _PARAMETERS,
        "#",
        "# Using devices",
        *_devices(case),
    ]


def _devices(case: dict[str, Any]) -> list[str]:
    per_node, name = DATA["machines"][case["type"]]
    misbuilt = case.get("misbuilt")
    places = [(node, device) for node in range(case["nodes"]) for device in range(per_node)]
    if misbuilt == "nine-ranks":
        places.append((0, 8))
    if misbuilt == "same-device":
        places = [(node, device // 2) for node, device in places]
    return [
        f"#  Rank {rank:2} Group  0 Pid {4000 + rank:6} on ip-10-0-{node // 250}-{node % 250} device {device:2} "
        f"[0000:{0x53 + device:02x}:00] {name}"
        for rank, (node, device) in enumerate(places)
    ]


def _header(case: dict[str, Any]) -> list[str]:
    options = case.get("options", ())
    if "old" in options:
        return _old_header(case)
    stamp = ["          timestamp", "%Y-%m-%d %H:%M:%S"] if "timestamps" in options else ["", ""]
    clock = "cputime" if "cputime" in options else "time"
    names, units = ["algbw", "busbw", "#wrong"], ["(GB/s)", "(GB/s)", ""]
    if "per-iteration" in options:
        names += ["i_min", "i_max", "i_p99", "i_cv%"]
        units += ["(us)", "(us)", "(us)", "(%)"]
    half, half_units = [clock, *names], ["(us)", *units]
    return [
        "#",
        f"# {'':10}  {'':12}  {'':8}  {'':6}  {'':6}           out-of-place                       in-place          ",
        f"# {'size':>10}  {'count':>12}  {'type':>8}  {'redop':>6}  {'root':>6}  "
        + "  ".join(f"{one:>7}" for one in (*half, *half)) + " " + stamp[0],
        f"# {'(B)':>10}  {'(elements)':>12}  {'':8}  {'':6}  {'':6}  "
        + "  ".join(f"{one:>7}" for one in (*half_units, *half_units)) + " " + stamp[1],
    ]  # fmt: skip


def _rows(case: dict[str, Any]) -> list[str]:
    collective, ranks = case.get("collective", "all_reduce"), ranks_of(case)
    by = factor("sendrecv" if case.get("misbuilt") == "wrong-factor" else collective, ranks)
    per_series = len(DATA["curves"][case["curve"]]["busbw"])
    types, redops = case.get("types", ["float"]), case.get("redops", ["sum"])
    series = [(dtype, redop) for dtype in types for redop in redops]
    found = []
    for at, (size, busbw) in enumerate(points(case)):
        dtype, redop = series[at // per_series % len(series)]
        options = case.get("options", ())
        without_sum = collective in {"all_gather", "broadcast", "alltoall"}
        start = (
            f"{size:12}  {size // BYTES.get(dtype, 4):12}  {dtype:>8}  {'none' if without_sum else redop:>6}  {-1:6}"
        )
        wrong = "3" if case.get("misbuilt") == "wrong" and at == 2 else "0"
        if "unchecked" in options:
            wrong = "N/A"
        half = (
            f"  {figure(size / busbw * by / 1e3, 7):>7}  {figure(busbw / by, 6):>6}  {figure(busbw, 6):>6}  {wrong:>6}"
        )
        if "per-iteration" in options:
            half += "".join(f"  {figure(size / busbw * by / 1e3 * one, 7)}" for one in (0.98, 1.1, 1.09)) + "     1.72"
        second = half.replace("       0", "     N/A") if collective in {"alltoall", "sendrecv"} else half
        found.append(start + half + second + ("  2026-03-04 10:20:30" if "timestamps" in options else ""))
    return found


def _old_header(case: dict[str, Any]) -> list[str]:
    """Return the columns of nccl-tests before 2.11: no root, and the largest error in place of wrong elements.

    https://github.com/NVIDIA/nccl-tests/issues/107
    """
    names = ["type", *(["redop"] if case.get("collective", "all_reduce") in _REDUCING else [])]
    return [
        "#",
        f"# {'':{28 + 8 * len(names)}}out-of-place                       in-place",
        f"#       size         count  {'  '.join(f'{name:>6}' for name in names)}"
        + "     time   algbw   busbw  error" * 2,
        f"#        (B)    (elements)  {'  '.join(' ' * 6 for name in names)}" + "     (us)  (GB/s)  (GB/s)       " * 2,
    ]


def _old_rows(case: dict[str, Any]) -> list[str]:
    collective = case.get("collective", "all_reduce")
    by = factor(collective, ranks_of(case))
    words = "     sum" if collective in _REDUCING else ""
    found = []
    for size, busbw in points(case):
        half = f"  {figure(size / busbw * by / 1e3, 7):>7}  {figure(busbw / by, 6):>6}  {figure(busbw, 6):>6}  5e-07"
        found.append(f"{size:12}  {size // 4:12}  {'float':>6}{words}{half}{half}")
    return found


def _closing(case: dict[str, Any]) -> list[str]:
    busbws = [busbw for _, busbw in points(case)]
    wrong = 2 if case.get("misbuilt") == "wrong" else 0
    return [
        f"# Out of bounds values : {wrong} {'FAILED' if wrong else 'OK'}",
        f"# Avg bus bandwidth    : {sum(busbws) / len(busbws):g} ",
        "#",
        f"# Collective test concluded: {case.get('collective', 'all_reduce')}_perf",
    ]


def misbuilt_lines(case: dict[str, Any]) -> list[str]:
    """Return the lines of a run, after what has gone wrong with it."""
    lines = nccl_lines(case)
    at = next((index for index, line in enumerate(lines) if "134217728  " in line), 0)
    match case.get("misbuilt"):
        case "rank-zero-twice":
            other = [line.replace("ip-10-0-0-0", "ip-10-0-0-1") for line in lines]
            return [line for pair in zip(lines, other, strict=True) for line in pair]
        case "row-broken":
            log = "ip-10-0-0-1:4000:4088 [0] NCCL INFO Using network Libfabric"
            return [*lines[:at], lines[at][:60], log, *lines[at + 1 :]]
        case "cut":
            return [*lines[:at], lines[at][:60]]
    return lines


def nccom_lines(case: dict[str, Any]) -> list[str]:
    options, by = case.get("options", ()), factor(case.get("collective", "all_reduce"), ranks_of(case))
    names = ["size(B)", "count(elems)"]
    names += ["total_input_size(B)", "total_output_size(B)"] if "sizes" in options else []
    percentiles = [25, 50, 90, 99] if "stats" in options else []
    names += ["type", *(["time:p50(us)"] if "p50" in options else ["time:avg(us)"])]
    names += [f"time:p{one}(us)" for one in percentiles] + ["algbw(GB/s)", "busbw(GB/s)"]
    names += ["algorithm"] if "algorithm" in options else []
    lines = [case["command"], "    ".join(f"{name:>7}" for name in names)]
    for size, busbw in points(case):
        time = size / (busbw / by) / 1024**3 * 1e6
        cells = [str(size), str(size // 4)]
        cells += [str(size // 32), str(size)] if "sizes" in options else []
        cells += ["fp32", f"{time:.2f}", *(f"{time * (0.9 + one / 500):.0f}" for one in percentiles)]
        cells += [f"{busbw / by:.2f}", f"{busbw:.2f}"] + (["kangaring"] if "algorithm" in options else [])
        lines.append("    ".join(f"{cell:>{len(name)}}" for cell, name in zip(cells, names, strict=True)))
    busbws = [busbw for _, busbw in points(case)]
    return [*lines, f"Avg bus bandwidth:\t{sum(busbws) / len(busbws):.4f}GB/s"]


def _nccom_json(case: dict[str, Any]) -> str:
    by = factor("all_gather", ranks_of(case))
    results = [
        {
            "size(B)": size, "count(elems)": size // 4, "type": "fp32", "algbw(GB/s)": busbw / by, "busbw(GB/s)": busbw,
            "time:avg(us)": size / (busbw / by) / 1024**3 * 1e6,
        }
        for size, busbw in points(case)
    ]  # fmt: skip
    return json.dumps({"results": results}, indent=4)


def _nccom_failure(case: dict[str, Any]) -> str:
    return (
        "nccom-test -r 2 allr\n     size(B)    count(elems)    type    time(us)    algbw(GB/s)    busbw(GB/s)\n"
        "    33554432    Failure running neuron-bench - log file /tmp/nccom_test_log_7pqpdfjf.log\n"
        "1 errors found - test failed\n"
    )


def nccl_json(case: dict[str, Any], *, real: bool = False, checked: bool = True) -> dict[str, Any]:
    collective, ranks = case.get("collective", "all_reduce"), ranks_of(case)
    by, (per_node, name) = factor(collective, ranks), DATA["machines"][case["type"]]
    flag: Any = False if real else "false"
    results = []
    for size, busbw in points(case):
        half = {
            "time": size / busbw * by / 1e3,
            "alg_bw": busbw / by,
            "bus_bw": busbw,
            "nwrong": 0.0 if checked else None,
        }
        results.append(
            {
                "size": size, "count": size // 4, "type": "float", "redop": "sum", "root": "    -1",
                "out_of_place": half, "in_place": dict(half), "actual_iterations": 20, "experiment_name": "",
            }
        )  # fmt: skip
    return {
        "version": 3, "start_time": "2026-03-04 10:20:30",
        "args": [f"/opt/nccl-tests/build/{collective}_perf", "-J", "a.json"],
        "env": ["NCCL_DEBUG=WARN"], "nccl_version": 23007,
        "config": {
            "nthreads": 1, "ngpus": 1, "minimum_bytes": 8, "maximum_bytes": 17179869184, "step_factor": 2,
            "warmup_iters": 1, "iterations": 20, "aggregated_iterations": 1, "validation": int(checked), "graph": 0,
            "blocking_collectives": flag, "per_iter_timing": flag, "per_iter_skip": 0, "parallel_init": flag,
            "devices": [
                {
                    "rank": rank, "group": 0, "pid": 4000 + rank, "hostname": f"ip-10-0-0-{rank // per_node}",
                    "device": rank % per_node, "device_hex": "0x53", "device_info": name,
                }
                for rank in range(ranks)
            ],
        },
        "results": results,
        "out_of_bounds": {"count": 0, "okay": True if real else "true"},
        "average_bus_bandwidth": {"bandwidth": 300.0, "okay": True if real else "true"},
        "end_time": "2026-03-04 10:25:30",
    }  # fmt: skip


FORMS: dict[str, Callable[[dict[str, Any]], str]] = {
    "json": lambda case: json.dumps(nccl_json(case)),
    "json-sorted-pretty": lambda case: json.dumps(nccl_json(case), indent=2, sort_keys=True),
    "json-real-booleans": lambda case: json.dumps(nccl_json(case, real=True), indent=4),
    "json-two": lambda case: "\n".join([json.dumps(nccl_json(case))] * 2),
    "json-list": lambda case: json.dumps([nccl_json(case)] * 2),
    "json-unchecked": lambda case: json.dumps(nccl_json(case, checked=False)),
    "json-cut": lambda case: json.dumps(nccl_json(case))[:-900],
    "json-compact": lambda case: json.dumps(nccl_json(case), separators=(",", ":")),
    "json-behind-log": lambda case: "\n".join([*_opening(case), json.dumps(nccl_json(case), indent=2)]),
    "nccom-json": _nccom_json,
    "nccom-failure": _nccom_failure,
}


def _osu(title: str, columns: str, make: Callable[[int], str]) -> Callable[[dict[str, Any]], list[str]]:
    return lambda _: [f"# {title}", f"# {columns}", *(f"{2**at:<10}{make(2**at)}" for at in range(23))]


def _new_columns(case: dict[str, Any]) -> list[str]:
    """Return a table with a column in front, as some version to come may print it."""
    header = f"#{'slot':>8}{'bytes':>14}{'type':>9}{'p50(us)':>10}{'p99(us)':>10}{'busbw':>9}"
    return [
        *_opening(case),
        header,
        *(f"{at:>9}{size:>14}{'float':>9}{size / busbw / 600:>10.1f}{size / busbw / 500:>10.1f}{busbw:>9.2f}"
          for at, (size, busbw) in enumerate(points(case))),
    ]  # fmt: skip


OTHER_TABLES: dict[str, Callable[[dict[str, Any]], list[str]]] = {
    "nccom": nccom_lines,
    # https://mvapich.cse.ohio-state.edu/benchmarks/
    "osu_allreduce": _osu(
        "OSU MPI-CUDA Allreduce Latency Test v7.4",
        "Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations",
        lambda size: f"{20 + size / 9e4:>18.2f}{19 + size / 9e4:>18.2f}{22 + size / 9e4:>18.2f}{1000:>12}",
    ),
    "osu_bw": _osu(
        "OSU MPI Bandwidth Test v7.4", "Size      Bandwidth (MB/s)", lambda size: f"{min(12000, size * 4):>18.2f}"
    ),
    # https://github.com/ofiwg/libfabric/blob/main/fabtests/common/shared.c
    "fi_rdm_bw": lambda _: [
        "bytes   iters   total       time     MB/sec    usec/xfer   Mxfers/sec",
        *(f"{size:<8}{'1k':<8}{size:<8}{size / 1e4:>8.2f}s{9000 + size / 100:>11.2f}{size / 1e4:>11.2f}{0.11:>11.2f}"
          for size in (64, 256, 1024, 4096, 65536, 1048576)),
    ],
    # https://github.com/linux-rdma/perftest
    "ib_write_bw": lambda _: [
        " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]",
        *(f" {size:<11}5000             {90 + at:.2f}              {89 + at:.2f}              0.{at}74" for at, size in
          enumerate((65536, 131072, 262144, 1048576))),
    ],
    "torch_table": lambda _: [
        "world size 16, backend nccl",
        "  payload MB    median ms    algbw GBps    busbw GBps",
        *(f"{2**at:>12}{2**at / 200:>13.3f}{150 + at:>14.2f}{(150 + at) * 1.875:>14.2f}" for at in range(14)),
    ],
    "new_columns": _new_columns,
    # https://github.com/NVIDIA/cuda-samples/tree/master/cpp/5_Domain_Specific/p2pBandwidthLatencyTest
    "p2p_matrix": lambda _: [
        "Bidirectional P2P=Enabled Bandwidth Matrix (GB/s)",
        "   D\\D     0      1      2      3",
        *(f"     {at} 771.10 772.20 773.30 774.40" for at in range(4)),
    ],
    # https://github.com/openucx/ucc/pull/223
    "ucc_perftest": lambda _: [
        "Collective:             Alltoall",
        "       Count        Size                Time, us                           Bandwidth, GB/s",
        "                                 avg         min         max         avg         min         max",
        *(f"{2**at:>12}{2**at * 4:>12}{70 + 2**at / 900:>12.2f}{68 + 2**at / 950:>12.2f}{75 + 2**at / 800:>12.2f}"
          f"{24 + at:>12.2f}{25 + at:>12.2f}{22 + at:>12.2f}" for at in range(16, 24)),
    ],
    "one_rank": lambda case: [
        *_opening(case),
        *_header(case),
        *(f"{size:12}  {size // 4:12}     float     sum      -1" + f"  {size / 4e5:7.2f}  400.00    0.00      0" * 2
          for size, _ in points(case)),
        *_closing(case),
    ],
    # https://docs.nvidia.com/nvshmem/api/using.html#nvshmem-performance-tests
    "nvshmem_put": lambda _: [
        "+------------------------+----------------------+",
        "|       shmem_put_bw     |         None         |",
        "+------------------------+----------------------+",
        "|        size (B)        |       BW GB/sec      |",
        "+------------------------+----------------------+",
        *(f"|        {2**at:<15} |       {at * 9.5:<14.6f} |" for at in range(10, 24)),
    ],
    # https://github.com/NVIDIA/nvbandwidth
    "nvbandwidth": lambda _: [
        "Running host_to_device_memcpy_ce.",
        "memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)",
        "           0         1         2         3",
        " 0     55.63     55.64     55.62     55.63",
        "",
        "SUM host_to_device_memcpy_ce 222.52",
    ],
}  # fmt: skip


def _prefix(text: str) -> Callable[[list[str]], bytes]:
    return lambda lines: "".join(
        f"{text.replace('%d', str(at % 60))}{line}\n" for at, line in enumerate(lines)
    ).encode()


def _events(lines: list[str]) -> list[dict[str, Any]]:
    return [{"timestamp": 1772619630000 + at, "message": line, "ingestionTime": 1772619631000 + at} for at, line in
            enumerate(lines)]  # fmt: skip


def _is_row(line: str) -> bool:
    return re.match(r" +\d+ +\d+ ", line) is not None


def _inside(line: str) -> str:
    """Put the tag where mpirun puts it when a row is flushed in two parts."""
    return line[:59] + "[1,0]<stdout>:" + line[59:] if _is_row(line) else line


def _flushed(line: str) -> str:
    """Put the tag before each half of a row, which is flushed alone: https://github.com/NVIDIA/nccl/issues/1453."""
    if not _is_row(line):
        return line
    half = (len(line) - 52) // 2
    return line[:52] + "[0]" + line[52 : 52 + half] + "[0]" + line[52 + half :]


WRAPPINGS: dict[str, Callable[[list[str]], bytes]] = {
    "ansi-line": lambda lines: "".join(f"\x1b[36m{line}\x1b[0m\n" for line in lines).encode(),
    "ansi-figures": lambda lines: "".join(
        re.sub(r"\d+(\.\d+)?", lambda one: f"\x1b[1;32m{one[0]}\x1b[0m", line) + "\n" if _is_row(line) else line + "\n"
        for line in lines
    ).encode(),
    "aws-logs-tail": _prefix("2026-03-04T10:20:30.123000+00:00 nccl/default/0f3c1d9e7a64 "),
    "aws-logs-tail-short": _prefix("2026-03-04T10:20:30 "),
    "cloudwatch-json": lambda lines: json.dumps(
        {"events": _events(lines), "nextForwardToken": "f/1"}, indent=4
    ).encode(),
    "cloudwatch-jsonl": lambda lines: "".join(json.dumps(event) + "\n" for event in _events(lines)).encode(),
    "docker-compose": _prefix("nccl-1  | "),
    "docker-json-file": lambda lines: "".join(
        json.dumps({"log": line + "\n", "stream": "stdout", "time": "2026-03-04T10:20:30.123456789Z"}) + "\n"
        for line in lines
    ).encode(),
    "cri-log-file": _prefix("2026-03-04T10:20:30.123456789Z stdout F "),
    "stern": _prefix("nccl-test-launcher-x8k2f nccl-test-launcher "),
    "kubectl-prefix": _prefix("[pod/nccl-test-launcher-x8k2f/launcher] "),
    "kubectl-timestamps": _prefix("2026-03-04T10:20:30.123456789Z "),
    "syslog": _prefix("Mar  4 10:20:%d ip-10-0-0-1 slurmstepd[12345]: "),
    "journal-iso": _prefix("2026-03-04T10:20:30+0000 ip-10-0-0-1 nccl.sh[812]: "),
    "email": _prefix("> "),
    "email-twice": _prefix(">> "),
    "mpirun-timestamp": _prefix("Wed Mar  4 10:20:%d 2026<stdout>:"),
    "mpirun-timestamp-tag": _prefix("Wed Mar  4 10:20:%d 2026[1,0]<stdout>:"),
    "prterun-tag": _prefix("[prterun-ip-10-0-0-1-2719@1,0]<stdout>: "),
    "tag-inside-rows": lambda lines: _prefix("[1,0]<stdout>:")([_inside(line) for line in lines]),
    "srun-label-wide": _prefix("  0: "),
    "pdsh": _prefix("ip-10-0-0-1: "),
    "python-logging": _prefix("2026-03-04 10:20:30,123 - nccl - INFO - "),
    "torchrun-rank": _prefix("[default0]:"),
    "github-actions": _prefix("2026-03-04T10:20:30.1234567Z "),
    "logfmt": lambda lines: "".join(
        f'time="2026-03-04T10:20:30Z" level=info msg="{line}" job=41\n' for line in lines
    ).encode(),
    "grep-n": lambda lines: "".join(f"{at}:{line}\n" for at, line in enumerate(lines, 1)).encode(),
    "cat-n": lambda lines: "".join(f"{at:6}\t{line}\n" for at, line in enumerate(lines, 1)).encode(),
    "tabs": lambda lines: "".join(re.sub(" {2,}", "\t", line) + "\n" for line in lines).encode(),
    "crlf": lambda lines: "".join(f"{line}\r\n" for line in lines).encode(),
    "progress-cr": lambda lines: "".join(f"running  50 %\r\x1b[K{line}\n" for line in lines).encode(),
    "powershell-utf16": lambda lines: ("\ufeff" + "".join(f"{line}\r\n" for line in lines)).encode("utf-16-le"),
    "markdown-table": lambda lines: "".join(
        "| " + " | ".join(line.split()) + " |\n" if _is_row(line) else line + "\n" for line in lines
    ).encode(),
    "ansible-lines": lambda lines: (
        'ok: [head] => {\n    "stdout_lines": [\n'
        + ",\n".join(f"        {json.dumps(line)}" for line in lines)
        + "\n    ]\n}\n"
    ).encode(),
    "loguru": _prefix("2026-03-04 10:20:30.123 | INFO     | __main__:run:42 - "),
    "spdlog": _prefix("[2026-03-04 10:20:30.123] [info] "),
    "klog": _prefix("I0304 10:20:30.123456   12345 bench.go:112] "),
    "ray": _prefix("(NcclWorker pid=1234, ip=10.0.0.1) "),
    "sagemaker-tag": _prefix("[1,mpirank:0,algo-1]<stdout>:"),
    "sagemaker-tag-inside": lambda lines: _prefix("[1,mpirank:0,algo-1]<stdout>:")(
        [_inside(line).replace("[1,0]", "[1,mpirank:0,algo-1]") for line in lines]
    ),
    "fluentd": lambda lines: "".join(
        f"2026-03-04 10:20:30.000000000 +0000 kube.nccl: {json.dumps({'log': line, 'stream': 'stdout'})}\n"
        for line in lines
    ).encode(),
    "csv-export": lambda lines: "".join(
        f'"2026-03-04T10:20:30Z","ip-10-0-0-1","nccl","{line}"\n' for line in lines
    ).encode(),
    "comma-separated": lambda lines: "".join(
        ",".join(line.split()) + "\n" if _is_row(line) else line + "\n" for line in lines
    ).encode(),
    "html-pre": lambda lines: (
        "<pre>" + "".join(f"{line.replace(' ', '&nbsp;')}<br>\n" for line in lines) + "</pre>"
    ).encode(),
    "no-break-spaces": lambda lines: "".join(line.replace(" ", "\u00a0") + "\n" for line in lines).encode(),
    "diff": _prefix("+"),
    "moreutils-ts": _prefix("Mar 04 10:20:%d "),
    "epoch": _prefix("1772619630.123456 "),
    "kernel-style": _prefix("[   12.345678] "),
    "docker-service": _prefix("nccl.1.q7x2v0r8@ip-10-0-0-1    | "),
    "logcli": _prefix('2026-03-04T10:20:30Z {app="nccl", pod="nccl-0"} '),
    "hard-wrapped": lambda lines: "".join(_wrapped(line, "") for line in lines).encode(),
    "hard-wrapped-quoted": lambda lines: "".join(_wrapped(line, "> ") for line in lines).encode(),
    "quoted-printable": lambda lines: "".join(
        "=\n".join(line[at : at + 75] for at in range(0, max(len(line), 1), 75)) + "\n" for line in lines
    ).encode(),
    "typescript": lambda lines: (
        "Script started on 2026-03-04\r\n\x1b[?2004h\x1b]0;user@head: ~\x07user@head:~$ ./run\r\n\x1b[?2004l"
        + "".join(f"\x1b[0m{line}\x1b[K\r\n" for line in lines)
    ).encode(),
    "indented-list": _prefix("  - "),
    "numbered-listing": lambda lines: "".join(f"{at}. {line}\n" for at, line in enumerate(lines, 1)).encode(),
    "nested-json": lambda lines: "".join(
        json.dumps({"time": "t", "kubernetes": {"pod": "nccl-0"}, "log_processed": {"msg": line, "level": "info"}})
        + "\n"
        for line in lines
    ).encode(),
    "kubectl-all-prefixes": _prefix("[pod/nccl-0/launcher] 2026-03-04T10:20:30.123456789Z [1,0]<stdout>:"),
    # How CI, notebooks, log stores and terminals give lines back.
    "go-test": _prefix("        [1,0]<stdout>:"),
    "flush-tags": lambda lines: _prefix("[0] ")([_flushed(line) for line in lines]),
    "hash-stripped": lambda lines: "".join(f"{line.removeprefix('#')}\n" for line in lines).encode(),
    "argo": _prefix("nccl-test-7xk2p: "),
    "loki-json": lambda lines: json.dumps(
        {
            "status": "success",
            "data": {
                "resultType": "streams",
                "result": [
                    {
                        "stream": {"app": "nccl"},
                        "values": [[f"17726196300000{at:05}", line] for at, line in enumerate(lines)],
                    }
                ],
            },
        }
    ).encode(),
    "insights-json": lambda lines: json.dumps(
        {
            "status": "Complete",
            "results": [
                [{"field": "@timestamp", "value": "2026-03-04 10:20:30.123"}, {"field": "@message", "value": line}]
                for line in lines
            ],
        },
        indent=4,
    ).encode(),
    "yaml-block": lambda lines: ("status: Succeeded\nlog: |\n" + "".join(f"  {line}\n" for line in lines)).encode(),
    "notebook": lambda lines: json.dumps(
        {
            "cells": [
                {
                    "cell_type": "code",
                    "outputs": [{"name": "stdout", "output_type": "stream", "text": [f"{line}\n" for line in lines]}],
                }
            ],
            "nbformat": 4,
        },
        indent=1,
    ).encode(),
    "gitlab": _prefix("2026-03-04T10:20:30.123456Z 01O "),
    "teamcity": _prefix("[10:20:30] [Step 2/3] "),
    "airflow": _prefix("[2026-03-04, 10:20:30 UTC] {subprocess.py:93} INFO - "),
    "squeezed": lambda lines: "".join(re.sub(" +", " ", line).strip() + "\n" for line in lines).encode(),
    "utf8-bom": lambda lines: ("\ufeff" + "".join(f"{line}\n" for line in lines)).encode(),
    "hard-wrapped-100": lambda lines: "".join(
        f"{line[at : at + 100]}\n" for line in lines for at in range(0, max(len(line), 1), 100)
    ).encode(),
    "fenced": lambda lines: ("Here is what we see:\n\n```shell\n" + "\n".join(lines) + "\n```\n").encode(),
    "panel": lambda lines: "".join(f"\u2502 {line:<130} \u2502\n" for line in lines).encode(),
    "journal-precise": _prefix("Mar 04 10:20:30.123456 ip-10-0-0-1 nccl.sh[812]: "),
    # What collects the output of containers and services, in the forms in which it gives that back.
    "stern-json": lambda lines: "".join(
        json.dumps({"message": line, "nodeName": "ip-10-0-0-1", "podName": "nccl-0", "containerName": "launcher"})
        + "\n"
        for line in lines
    ).encode(),
    "stern-timestamps": lambda lines: (
        b"+ nccl-0 \xe2\x80\xba launcher\n" + _prefix("nccl-0 launcher 2026-03-04T10:20:30.123456789Z ")(lines)
    ),
    "compose-colours": lambda lines: (
        b"Attaching to nccl-1\n"
        + _prefix("\x1b[36mnccl-1  | \x1b[0m")(lines)
        + b"\x1b[36mnccl-1 exited with code 0\x1b[0m\n"
    ),
    "compose-timestamps": _prefix("nccl-1  | 2026-03-04T10:20:30.123456789Z "),
    "docker-details": _prefix("com.docker.compose.service=nccl,rank=0 "),
    "journal-json": lambda lines: "".join(json.dumps(_journal(line)) + "\n" for line in lines).encode(),
    "journal-json-bytes": lambda lines: "".join(
        json.dumps(_journal(line) | {"MESSAGE": [*line.encode()]}) + "\n" for line in lines
    ).encode(),
    "journal-json-pretty": lambda lines: "".join(
        json.dumps(_journal(line), indent=8) + "\n" for line in lines
    ).encode(),
    "journal-export": lambda lines: "".join(
        "".join(f"{key}={value}\n" for key, value in _journal(line).items()) + "\n" for line in lines
    ).encode(),
    "cri-partial": lambda lines: "".join(_cri_parts(line) for line in lines).encode(),
    "vector-json": lambda lines: "".join(
        json.dumps({"file": "/var/log/nccl.out", "host": "ip-10-0-0-1", "message": line, "timestamp": "t"}) + "\n"
        for line in lines
    ).encode(),
    "fluent-bit-stdout": lambda lines: "".join(
        f'[{at}] kube.nccl: [[1772619630.123456789, {{}}], {{"log"=>"{line}"}}]\n' for at, line in enumerate(lines)
    ).encode(),
    "aws-output-text": lambda lines: "".join(
        f"EVENTS\t1772619631000\t{line}\t1772619630000\n" for line in lines
    ).encode(),
}


def _journal(line: str) -> dict[str, str]:
    """Return an entry of the journal: https://systemd.io/JOURNAL_EXPORT_FORMATS/."""
    return {
        "__CURSOR": "s=0639;i=5d;b=e0c1", "__REALTIME_TIMESTAMP": "1772619630123456", "PRIORITY": "6",
        "SYSLOG_IDENTIFIER": "nccl.sh", "_PID": "812", "_HOSTNAME": "ip-10-0-0-1", "MESSAGE": line,
    }  # fmt: skip


def _cri_parts(line: str) -> str:
    """Return a line in two parts, as runtimes write one that comes in two: https://github.com/kubernetes/cri-api."""
    time = "2026-03-04T10:20:30.123456789Z stdout"
    return f"{time} P {line[:50]}\n{time} F {line[50:]}\n" if len(line) > 50 else f"{time} F {line}\n"


def _wrapped(line: str, quote: str) -> str:
    """Return a line as programs for e-mail break it: before the word that would pass 76 characters."""
    words, parts = re.findall(r" *\S+", line) or [""], [""]
    for word in words:
        if len(parts[-1]) + len(word) > 76 and parts[-1]:
            parts.append(word.strip())
        else:
            parts[-1] += word
    return "".join(f"{quote}{part}\n" for part in parts)
