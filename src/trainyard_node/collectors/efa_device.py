"""One device below /sys/class/infiniband: whether it is an EFA interface, and what it counts."""

from __future__ import annotations

import os
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from trainyard_node.samples import Samples, metrics

PREFIX = "node_amazonefa_"
# On p6-b200, two controllers of NVLink lie beside the eight interfaces, with another driver.
# https://github.com/aws/sagemaker-hyperpod-cli/pull/282
DRIVER = "efa"
# The driver gives a device one port, and counts commands and their failures for the device, in a folder of its own.
# It used to have one list for both, from which AWS's exporter took them for the port; so they stay with the port.
# EFA_DEFINE_DEVICE_STATS in https://github.com/amzn/amzn-drivers/blob/master/kernel/linux/efa/src/efa_verbs.c,
# the former list in https://github.com/linux-rdma/perftest/issues/113
PORT = "1"
# Whatever lies in a folder, it does not fill the memory. An interface has about 40 counters.
_MOST_NAMES = 1000
# What a sound interface never counts, or seldom: told once more of those that have counted any, so that who looks for
# them among 32,000 interfaces reads a few.
_ERRORS = frozenset({"no_completion_cmds", "rdma_read_wr_err", "rdma_write_wr_err"})
# A counter has 64 bits, which are at most 20 digits: what fills all that is read is none.
_LARGEST, _READ_BYTES = 2**64 - 1, 32
# Where the file is a pipe, nobody is waited for.
_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK


class _Tally(NamedTuple):
    """What was not exported of a folder."""

    unreadable: int
    unknown: int = 0


def read_device(path: str, name: str, samples: Samples) -> bool:
    """Add what a device counts, and return whether it is an EFA interface: not so where that cannot be told."""
    try:
        is_efa = Path(path, "device/driver").readlink().name == DRIVER
    except (FileNotFoundError, NotADirectoryError):  # as with devices that are made of software
        return False
    except OSError:
        samples.add("trainyard_efa_unreadable_counters", 1, name)
        return False
    if is_efa:
        _read_interface(path, name, samples)
    return is_efa


def _read_interface(path: str, name: str, samples: Samples) -> None:
    """Add the counters of an interface: what the device and a port both have is the port's, which comes last."""
    tallies = []
    if os.path.lexists(f"{path}/hw_counters"):
        tallies.append(_read_folder(f"{path}/hw_counters", name, PORT, samples))
    try:
        ports = names_in(f"{path}/ports")
    except OSError:
        ports = []
    tallies += [_read_folder(f"{path}/ports/{port}/hw_counters", name, port, samples) for port in ports]
    if not ports:  # as with an interface that has only just appeared
        tallies.append(_Tally(unreadable=1))
    samples.add(f"{PREFIX}info", 1, name)
    samples.add("trainyard_efa_unreadable_counters", sum(tally.unreadable for tally in tallies), name)
    samples.add("trainyard_efa_unknown_counters", sum(tally.unknown for tally in tallies), name)


def _read_folder(path: str, device: str, port: str, samples: Samples) -> _Tally:
    """Add the counters of a folder, with calls that are quick: an instance has more than a thousand."""
    try:
        names = names_in(path)
        folder = os.open(path, _FLAGS)
    except OSError:
        return _Tally(unreadable=1)
    metric_of, unreadable = _metrics_by_file(), 0
    known_files = [name for name in names if name in metric_of]
    try:
        for file in known_files:
            value = _counter(file, folder)
            if value is None:
                unreadable += 1
            else:
                samples.add(metric_of[file], value, device, port)
                if value and file in _ERRORS:
                    samples.add("trainyard_efa_interface_errors", value, device, file)
    finally:
        os.close(folder)
    return _Tally(unreadable, len(names) - len(known_files))


def _counter(file: str, folder: int) -> int | None:
    """Return what a file counts, or None where it cannot be read or holds anything but one number."""
    try:
        handle = os.open(file, _FLAGS, dir_fd=folder)
    except OSError:
        return None
    try:
        text = os.read(handle, _READ_BYTES)
    except OSError:
        return None
    finally:
        os.close(handle)
    digits = text[:-1] if text.endswith(b"\n") else text
    is_number = digits.isdigit() and len(text) < _READ_BYTES
    return value if is_number and (value := int(digits)) <= _LARGEST else None


@lru_cache(maxsize=1)
def _metrics_by_file() -> dict[str, str]:
    named = [metric.name for metric in metrics("efa").values() if metric.labels == ("device", "port")]
    return {name[len(PREFIX) :]: name for name in named}


def names_in(path: str) -> list[str]:
    """Return what is in a folder, in order."""
    with os.scandir(path) as entries:
        return sorted([entry.name for entry in islice(entries, _MOST_NAMES)])
