"""Samples of the past, written to a Prometheus as another one writes them to it.

promtool makes blocks of OpenMetrics too, at some 10 µs a sample, as it reads the labels of a series anew for each; in
remote write a series has its labels once. That is many times as quick, and there is a mark for a series that ends.
https://prometheus.io/docs/specs/prw/remote_write_spec/ (version 1.0)
"""

from __future__ import annotations

import struct
import urllib.request
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import islice

OPTIONS = ("--web.enable-remote-write-receiver",)
# What is not a number, and means that a series is over: staleness markers of the specification.
STALE = struct.unpack("<d", (0x7FF0000000000002).to_bytes(8, "little"))[0]
_SERIES_A_REQUEST = 5000
# Field 1 of a sample is its value, a double, and field 2 its time, a varint:
# https://github.com/prometheus/prometheus/blob/main/prompb/types.proto
_VALUE, _TIME = b"\x09", b"\x10"


def write(url: str, series: Iterable[bytes]) -> None:
    """Write series, each made by `encoded_series`."""
    rest = iter(series)
    while part := list(islice(rest, _SERIES_A_REQUEST)):
        request = urllib.request.Request(f"{url}/api/v1/write", data=_snappy(b"".join(part)), method="POST")
        request.add_header("Content-Encoding", "snappy")
        request.add_header("Content-Type", "application/x-protobuf")
        request.add_header("X-Prometheus-Remote-Write-Version", "0.1.0")
        with urllib.request.urlopen(request, timeout=600):
            pass


def encoded_series(labels: Mapping[str, str], samples: bytes) -> bytes:
    """Return a series of a request, with samples made by `encoded_samples`."""
    told = b"".join(_label(name, labels[name]) for name in sorted(labels))
    return _field(b"\x0a", told + samples)


def encoded_samples(samples: Iterable[tuple[float, float]]) -> bytes:
    """Return samples: times in seconds since 1970, and values."""
    return b"".join(_sample(at_s, value) for at_s, value in samples)


def _sample(at_s: float, value: float) -> bytes:
    message = _VALUE + struct.pack("<d", value) + _TIME + _varint(round(at_s * 1000))
    return b"\x12" + bytes((len(message),)) + message


@cache
def _label(name: str, value: str) -> bytes:
    return _field(b"\x0a", _field(b"\x0a", name.encode()) + _field(b"\x12", value.encode()))


def _field(tag: bytes, content: bytes) -> bytes:
    return tag + _varint(len(content)) + content


def _varint(number: int) -> bytes:
    return bytes(_varint_bytes(number))


def _varint_bytes(number: int) -> Iterator[int]:
    while number > 0x7F:
        yield number & 0x7F | 0x80
        number >>= 7
    yield number


def _snappy(content: bytes) -> bytes:
    """Return it in Snappy's format, as one literal, which is not compressed.

    https://github.com/google/snappy/blob/main/format_description.txt
    """
    return _varint(len(content)) + b"\xfc" + (len(content) - 1).to_bytes(4, "little") + content
