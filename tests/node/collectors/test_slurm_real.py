"""The collector of Slurm and a real Slurm: every figure is what Slurm itself says when it is asked in another way."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.node.collectors.busy_slurm import REASON, busy_slurm
from tests.node.collectors.exposed import exposed
from tests.node.collectors.slurm_says import figures
from tests.node.newer_slurm import write_programs
from tests.slurm import Slurm
from tests.waiting import wait_until
from trainyard_node.clock import RealClock
from trainyard_node.collector_reader import CollectorReader
from trainyard_node.collectors.slurm.collector import SlurmCollector
from trainyard_node.collectors.slurm.scheduler import SchedulerCollector
from trainyard_node.programs import RealPrograms

pytestmark = [
    pytest.mark.integration,
    pytest.mark.enable_socket,
    pytest.mark.skipif(os.geteuid() != 0, reason="hardware: a Slurm of its own takes root"),
]


@pytest.fixture(scope="module", params=["22.05", "24.11"])
def slurm(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Slurm]:
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "24.11":
            programs: Path = tmp_path_factory.mktemp("programs")
            write_programs(programs)
            patch.setenv("PATH", str(programs), prepend=os.pathsep)
        with busy_slurm() as made:
            patch.setenv("SLURM_CONF", made.variables["SLURM_CONF"])
            assert f" {request.param}." in made.run("scontrol", "--version")
            yield made


def read(names: str = "vpenso") -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    return exposed(SlurmCollector(RealPrograms(), names).collect().text())


def test_every_figure_is_slurms_own(slurm: Slurm):
    check_every_figure(slurm)


def check_every_figure(slurm: Slurm) -> None:
    said = figures(slurm)
    found = read()
    assert {key: found.get(key) for key in said} == said
    # And nothing is counted beyond that: what Slurm did not name is 0.
    families = {name for name, _ in said}
    assert {key: value for key, value in found.items() if key[0] in families and value and key not in said} == {}


def test_slurmctld_tells_of_itself(slurm: Slurm):
    collector = SchedulerCollector(RealPrograms(), "rivosinc")
    before = exposed(collector.collect().text())
    slurm.run("scontrol", "ping")
    after = exposed(collector.collect().text())
    of_root = ("slurm_user_rpc_stats", (("user", "root"),))
    assert after[of_root] > before[of_root]
    assert before["slurm_scheduler_threads", ()] > 0


def test_gpus_are_counted_where_they_are_used_and_by_whom(slurm: Slurm):
    found = read()
    first, _, third = slurm.nodes
    assert found["slurm_gpus_total", ()] == 3 * 4 + 7 * 8
    assert found["slurm_gpus_alloc", ()] == 2 + 1 + 8
    # Four of a node that is drained, eight of one that is down.
    assert found["slurm_gpus_other", ()] == 4 + 8
    assert found["slurm_gpus_idle", ()] == 3 * 4 + 7 * 8 - 11 - 12
    node = (("gres_type", "gpu:h100"), ("node", first), ("partition", "q"))
    assert found["slurm_node_gres_used", tuple(sorted(node))] == 2 + 1
    assert found["slurm_user_gpus_running", (("user", "root"),)] == 1
    assert found["slurm_user_gpus_running", (("user", "nobody"),)] == 2
    assert found["slurm_partition_gpus_allocated", (("partition", "gpu"),)] == 8
    assert found["slurm_partition_gpus_idle", (("partition", "gpu"),)] == 5 * 8
    assert third


def test_why_a_node_is_drained_is_told_whole_and_forges_nothing(slurm: Slurm):
    found = read()
    _, _, third = slurm.nodes
    reasons = {dict(labels)["node"]: dict(labels)["reason"] for name, labels in found if name.endswith("reason_info")}
    assert reasons == {third: REASON, "gpu-dy-p5-11": "no answer"}
    assert not [labels for name, labels in found if "forged" in str(labels) and name != "slurm_node_drain_reason_info"]
    since = found["slurm_node_drain_since_timestamp_seconds", (("node", third),)]
    assert 0 < RealClock().now().timestamp() - since < 600


def test_the_other_vocabulary_says_the_same(slurm: Slurm):
    community, found = read(), read("rivosinc")
    for name in ("slurm_cpus_total", "slurm_cpus_idle"):
        assert found[name, ()] == community[name, ()]
    assert sum(value for (name, _), value in found.items() if name == "slurm_node_count_per_state") == 11
    pending = (("state", "PENDING"), ("username", "nobody"))
    assert found["slurm_user_state_total", pending] == community["slurm_user_jobs_pending", (("user", "nobody"),)]
    assert found["slurm_mem_real", ()] == (4 * 500 + 7 * 2_000_000) << 20
    assert slurm.nodes


def test_a_node_is_followed_while_it_is_powered_up_and_down(slurm: Slurm):
    node = "q-dy-cpu-1"
    assert slurm.node(node) == "idle~"
    slurm.run("scontrol", "update", f"NodeName={node}", "State=POWER_UP")
    wait_until(lambda: slurm.node(node).endswith("#"))
    assert power("powering_up") == 1
    # slurmctld compares when the node booted with when it was asked for, in whole seconds, and looks again much later.
    time.sleep(2)
    slurm.start_node(node, "-b")
    wait_until(lambda: slurm.node(node) == "idle")
    assert power("powering_up") == power("powered_down") == 0
    check_every_figure(slurm)
    slurm.run("scontrol", "update", f"NodeName={node}", "State=POWER_DOWN")
    wait_until(lambda: slurm.node(node) in ("idle%", "idle~"))
    assert power("powering_down") + power("powered_down") == 1


def power(state: str) -> float:
    return read()[f"slurm_nodes_{state}", (("active_feature_set", ""), ("partition", "q"))]


def test_while_slurmctld_is_gone_the_last_figures_stay_and_say_how_old_they_are(slurm: Slurm):
    reading = CollectorReader(SlurmCollector(RealPrograms()), RealClock())
    reading.read()
    assert succeeded(reading)
    before = reading.kept
    slurm.stop_controller()
    try:
        reading.read()
        assert not succeeded(reading)
        assert reading.kept is before
        first = reading.age_s
        reading.read()
        assert first is not None
        assert reading.age_s is not None
        assert reading.age_s > first
        assert reading.failures == 2
    finally:
        slurm.start_controller()
    wait_until(lambda: _answers(slurm))
    reading.read()
    assert succeeded(reading)
    assert reading.kept is not before


def succeeded(reading: CollectorReader) -> bool:
    return reading.success


def _answers(slurm: Slurm) -> bool:
    try:
        return len(slurm.run("sinfo", "-h", "-N").splitlines()) > 0
    except AssertionError:
        return False
