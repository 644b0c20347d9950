"""What a node exports: the last reading of each collector, and how they are doing."""

from __future__ import annotations

import struct
import threading
import zlib
from collections.abc import Iterable

from trainyard_node.clock import Clock
from trainyard_node.collector_reader import CollectorReader
from trainyard_node.collectors.collector import Collector
from trainyard_node.samples import Samples
from trainyard_node.this_package import version

# No file name, no time, an unknown system: https://www.rfc-editor.org/rfc/rfc1952#section-2.3
_HEAD = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
_RAW = -15


class Exposition:
    """The collectors of a node."""

    def __init__(self, collectors: Iterable[Collector], clock: Clock) -> None:
        """Begin without readings."""
        self.readings = [CollectorReader(collector, clock) for collector in collectors]
        self._stop = threading.Event()
        self._zipped: dict[int, tuple[bytes, bytes]] = {}

    def start(self) -> None:
        """Read each collector in the background, none of them waiting for another."""
        for reading in self.readings:
            threading.Thread(
                target=reading.keep_reading, args=(self._stop,), name=reading.collector.name, daemon=True
            ).start()

    def stop(self) -> None:
        """Begin no more readings."""
        self._stop.set()

    def read_once(self) -> None:
        """Read each collector once, one after another."""
        for reading in self.readings:
            reading.read()

    def text(self) -> list[bytes]:
        """Return all of it, as Prometheus reads it, in parts: who serves many at once does not copy them."""
        return [*self._texts(), self._about_itself()]

    def zipped(self) -> list[bytes]:
        """Return all of it as gzip, of which each reading is packed only once.

        What is packed ends at a whole byte and refers to nothing before it, so that parts can follow one another in
        one member: https://www.rfc-editor.org/rfc/rfc1951#section-3.2.4 and https://www.rfc-editor.org/rfc/rfc1952
        """
        texts = self._texts()
        about = self._about_itself()
        checksum, size = 0, 0
        for text in (*texts, about):
            checksum, size = zlib.crc32(text, checksum), size + len(text)
        packed = [self._packed(number, text) for number, text in enumerate(texts)]
        return [_HEAD, *packed, _packed(about, zlib.Z_FINISH), struct.pack("<II", checksum, size & 0xFFFFFFFF)]

    def _texts(self) -> list[bytes]:
        return [reading.kept.text if reading.kept is not None else b"" for reading in self.readings]

    def _packed(self, number: int, text: bytes) -> bytes:
        before = self._zipped.get(number)
        if before is None or before[0] is not text:
            before = self._zipped[number] = (text, _packed(text, zlib.Z_FULL_FLUSH))
        return before[1]

    def _about_itself(self) -> bytes:
        samples = Samples("collectors")
        samples.add("trainyard_node_info", 1, version())
        for reading in self.readings:
            _add(samples, reading)
        return samples.text().encode()


def _packed(text: bytes, ending: int) -> bytes:
    packing = zlib.compressobj(1, zlib.DEFLATED, _RAW)
    return packing.compress(text) + packing.flush(ending)


def _add(samples: Samples, reading: CollectorReader) -> None:
    name = reading.collector.name
    last_reading = reading.kept
    samples.add("trainyard_collector_success", int(reading.success), name)
    samples.add("trainyard_collector_readings_total", reading.readings, name)
    samples.add("trainyard_collector_failures_total", reading.failures, name)
    if reading.duration_s is not None:
        samples.add("trainyard_collector_duration_seconds", round(reading.duration_s, 6), name)
    if last_reading is not None and reading.age_s is not None:
        samples.add("trainyard_collector_present", int(last_reading.present), name)
        samples.add("trainyard_collector_age_seconds", round(reading.age_s, 3), name)
        samples.add("trainyard_collector_samples", last_reading.samples, name)
        samples.add("trainyard_collector_size_bytes", len(last_reading.text), name)
