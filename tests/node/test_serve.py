"""What is served: the last readings, however many ask, and how the collectors are doing."""

from __future__ import annotations

import contextlib
import gzip
import http.client
import shutil
import socket
import subprocess
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.half_open import half_open_connections
from tests.node.collectors.exposed import exposed
from tests.node.doubles import FakeClock
from tests.waiting import wait_until
from trainyard_node.clock import RealClock
from trainyard_node.collector_reader import CollectorReader
from trainyard_node.collectors.collector import NothingHere
from trainyard_node.errors import NodeError
from trainyard_node.exposition import Exposition
from trainyard_node.samples import Samples
from trainyard_node.serve_command import make_server

pytestmark = pytest.mark.enable_socket


class Collector:
    """Reads as a test says, and counts how often."""

    name = "slurm"
    interval_s = 30.0
    deadline_s = 5.0

    def __init__(self, *ends: Exception | int) -> None:
        """End one reading after another so, the last way over and over."""
        self.readings = 0
        self._ends = list(ends)

    def collect(self) -> Samples:
        self.readings += 1
        end = self._ends.pop(0) if len(self._ends) > 1 else self._ends[0]
        if isinstance(end, Exception):
            raise end
        samples = Samples("slurm")
        samples.add("slurm_nodes_total", end)
        return samples


@contextmanager
def served(*collectors: Collector, client_s: float = 10.0) -> Iterator[tuple[Exposition, int]]:
    exposition = Exposition(collectors, RealClock())
    exposition.read_once()
    with make_server(exposition, "127.0.0.1:0", client_s) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield exposition, server.server_port
        server.shutdown()


def ask(
    port: int, path: str = "/metrics", method: str = "GET", **headers: str
) -> tuple[int, bytes, http.client.HTTPMessage]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    connection.request(method, path, headers=headers)
    answer = connection.getresponse()
    return answer.status, answer.read(), answer.headers


def about(exposition: Exposition) -> dict[str, float]:
    return {name: value for (name, _), value in exposed(b"".join(exposition.text()).decode()).items()}


def test_a_scrape_gets_the_last_reading_and_makes_none():
    collector = Collector(7)
    with served(collector) as (_, port):
        for _ in range(5):
            status, body, headers = ask(port)
        assert status == 200
        assert headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
        assert exposed(body.decode())["slurm_nodes_total", ()] == 7
    assert collector.readings == 1


def test_a_scrape_that_takes_gzip_gets_the_same():
    with served(Collector(7)) as (_, port):
        _, packed, headers = ask(port, **{"Accept-Encoding": "gzip"})
        _, plain, _ = ask(port)
    assert headers["Content-Encoding"] == "gzip"
    without_age = [line for line in plain.splitlines() if b"age_seconds{" not in line]
    assert [line for line in gzip.decompress(packed).splitlines() if b"age_seconds{" not in line] == without_age


@pytest.mark.parametrize(("method", "status"), [("POST", 501), ("PUT", 501), ("DELETE", 501), ("HEAD", 200)])
def test_nothing_but_reading_is_possible(method: str, status: int):
    with served(Collector(7)) as (_, port):
        assert ask(port, method=method)[0] == status


def test_other_paths_are_not_found_and_say_where_the_metrics_are():
    with served(Collector(7)) as (_, port):
        assert ask(port, "/etc/passwd")[:2] == (404, b"trainyard-node: the metrics of this node are at /metrics\n")
        assert ask(port, "/")[0] == 200


def test_a_collector_that_fails_keeps_its_last_samples_and_hides_no_other():
    failing, working = Collector(7, NodeError("slurmctld is away")), Collector(9)
    working.name = "other"
    clock = FakeClock()
    exposition = Exposition([failing, working], clock)
    exposition.read_once()
    clock.passed_s = 60
    exposition.readings[0].read()
    found = exposed(exposition.readings[0].kept.text.decode())  # type: ignore[union-attr]
    assert found == {("slurm_nodes_total", ()): 7}
    said = exposed(b"".join(exposition.text()[2:]).decode())
    assert said["trainyard_collector_success", (("collector", "slurm"),)] == 0
    assert said["trainyard_collector_success", (("collector", "other"),)] == 1
    assert said["trainyard_collector_age_seconds", (("collector", "slurm"),)] == 60
    assert said["trainyard_collector_failures_total", (("collector", "slurm"),)] == 1


def test_a_node_without_the_hardware_is_no_failure():
    exposition = Exposition([Collector(NothingHere("no EFA"))], FakeClock())
    exposition.read_once()
    said = about(exposition)
    assert said["trainyard_collector_success"] == 1
    assert said["trainyard_collector_present"] == said["trainyard_collector_samples"] == 0


def test_a_bug_in_a_collector_counts_as_its_failure(capsys: pytest.CaptureFixture[str]):
    exposition = Exposition([Collector(ZeroDivisionError("x"))], FakeClock())
    exposition.read_once()
    exposition.read_once()
    said = about(exposition)
    assert said["trainyard_collector_success"] == 0
    assert "trainyard_collector_age_seconds" not in said
    # Said once, not at every reading.
    assert capsys.readouterr().err == "trainyard: collector slurm: ZeroDivisionError: x\n"


def test_a_reading_that_hangs_has_failed_before_it_ends():
    clock = FakeClock()
    during: list[bool] = []

    class Hanging(Collector):
        def collect(self) -> Samples:
            clock.passed_s += 4
            during.append(reading.success)
            clock.passed_s += 2
            during.append(reading.success)
            return super().collect()

    collector = Hanging(7)
    reading = CollectorReader(collector, clock)
    reading.read()
    reading.read()
    assert during == [False, False, True, False]
    assert reading.success


def test_fifty_scrapers_at_once_are_all_served():
    answers: list[int] = []
    with served(Collector(7)) as (_, port):
        threads = [threading.Thread(target=lambda: answers.append(ask(port)[0])) for _ in range(50)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert answers == [200] * 50


def test_the_packed_text_is_one_member_that_every_client_reads_whole():
    exposition = Exposition([Collector(7), Collector(NothingHere("no EFA"))], FakeClock())
    exposition.read_once()
    for _ in range(2):
        packed = b"".join(exposition.zipped())
        reader = zlib.decompressobj(31)
        assert reader.decompress(packed) == b"".join(exposition.text())
        assert (reader.eof, reader.unused_data) == (True, b"")


def test_clients_that_take_their_time_do_not_keep_others_out():
    with served(Collector(7), client_s=0.5) as (_, port), contextlib.ExitStack() as slow:
        for _ in range(100):
            connection = slow.enter_context(socket.create_connection(("127.0.0.1", port)))
            connection.sendall(b"GET /metrics HT")

        def answered() -> bool:
            with contextlib.suppress(OSError, http.client.HTTPException):
                return ask(port)[0] == 200
            return False

        wait_until(answered)


def test_a_scrape_takes_the_place_of_one_that_asks_nothing():
    with served(Collector(7), client_s=300.0) as (_, port), half_open_connections(port):
        assert [ask(port)[0] for _ in range(3)] == [200] * 3


def test_readings_go_on_in_the_background_each_at_its_interval():
    collector = Collector(1)
    collector.interval_s = 1.0
    exposition = Exposition([collector], RealClock())
    exposition.start()
    wait_until(lambda: collector.readings >= 2)
    exposition.stop()


@pytest.mark.parametrize("address", ["9341", "127.0.0.1", "127.0.0.1:x", ":9341", "127.0.0.1:99999", "256.1.1.1:1"])
def test_an_address_that_cannot_be_had_is_refused_in_words(address: str):
    with pytest.raises(NodeError):
        make_server(Exposition([], FakeClock()), address)


def test_an_address_that_somebody_has_is_refused_in_words():
    with (
        served() as (_, port),
        pytest.raises(NodeError, match=f"cannot listen on 127.0.0.1:{port}: Address already in use"),
    ):
        make_server(Exposition([], FakeClock()), f"127.0.0.1:{port}")


@pytest.mark.integration
def test_promtool_accepts_what_collectors_say_of_themselves():
    exposition = Exposition([Collector(7)], FakeClock())
    exposition.read_once()
    promtool = shutil.which("promtool")
    assert promtool is not None
    said = subprocess.run(
        [promtool, "check", "metrics"], input=b"".join(exposition.text()), capture_output=True, check=False
    )
    assert (said.returncode, said.stdout, said.stderr) == (0, b"", b"")
