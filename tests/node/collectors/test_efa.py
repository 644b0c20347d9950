"""The EFA collector, on trees of counter files. `python -m tests.node.collectors.test_efa` writes the golden file."""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path

import pytest

from tests.node.collectors.efa_reading import collected, collector, samples, unreadable
from tests.node.collectors.efa_tree import FORMERLY, INSTANCES, OF_DEVICE, OF_PORT, EfaTree, interface_name
from trainyard_node.collectors.collector import NothingHere
from trainyard_node.collectors.efa import EfaCollector
from trainyard_node.collectors.efa_device import PREFIX
from trainyard_node.errors import NodeError
from trainyard_node.samples import metrics

GOLDEN = Path(__file__).with_name("golden") / "efa-p6-b200.prom"
ONE, ANOTHER = interface_name(0), interface_name(1)


@pytest.fixture
def tree(tmp_path: Path) -> EfaTree:
    return EfaTree(tmp_path)


@pytest.mark.parametrize("instance", INSTANCES)
def test_every_counter_of_every_interface_of_an_instance_is_exported_with_its_value(tree: EfaTree, instance: str):
    interfaces, _ = INSTANCES[instance]
    found = collected(tree.instance(instance))
    in_files = {
        f'{PREFIX}{file.name}{{device="{device.name}",port="1"}}': int(file.read_text())
        for device in (tree.root / "sys/class/infiniband").glob("rdmap*")
        for file in [*device.glob("ports/1/hw_counters/*"), *device.glob("hw_counters/*")]
    }
    assert len(in_files) == 35 * interfaces
    assert {name: value for name, value in found.items() if 'port="' in name} == in_files
    assert found["trainyard_efa_interfaces"] == found["trainyard_efa_interfaces_expected"] == interfaces
    assert sum(name.startswith(f"{PREFIX}info") for name in found) == interfaces


def test_what_a_p6_b200_exports_is_as_reviewed_and_nothing_of_its_nvlink_controllers(tree: EfaTree):
    text = collector(tree.instance("p6-b200")).collect().text()
    assert text == GOLDEN.read_text()
    assert "ibp" not in text


def test_the_registry_knows_the_counters_of_the_driver_and_no_others():
    known = {name.removeprefix(PREFIX) for name, metric in metrics("efa").items() if "port" in metric.labels}
    assert known == {*OF_PORT, *OF_DEVICE}


def test_a_driver_that_lists_everything_for_both_port_and_device_is_exported_once_with_the_value_of_the_port(
    tree: EfaTree,
):
    folder = tree.add("efa_0", "efa", {"ports/1/hw_counters": FORMERLY, "hw_counters": FORMERLY})
    found = collected(tree)
    in_files = {
        f'{PREFIX}{name}{{device="efa_0",port="1"}}': int((folder / "ports/1/hw_counters" / name).read_text())
        for name in FORMERLY
    }
    assert {name: value for name, value in found.items() if 'port="' in name} == in_files


def test_an_interface_whose_driver_counts_nothing_for_the_device_is_in_order(tree: EfaTree):
    tree.add(ONE, "efa", {"ports/1/hw_counters": OF_PORT})
    assert unreadable(ONE, collected(tree)) == 0


def test_each_port_has_its_own_counters(tree: EfaTree):
    tree.add(ONE, "efa", {"ports/1/hw_counters": ["tx_bytes"], "ports/2/hw_counters": ["tx_bytes"]})
    found = collected(tree)
    assert [found[f'{PREFIX}tx_bytes{{device="{ONE}",port="{port}"}}'] for port in (1, 2)] == [1, 2]


def test_a_counter_that_the_registry_does_not_know_is_counted_and_has_no_name(tree: EfaTree):
    folder = tree.interface(ONE)
    (folder / "ports/1/hw_counters/brand_new").write_text("7\n")
    (folder / "hw_counters/get_dma_mr_err").write_text("7\n")
    found = collected(tree)
    assert found[f'trainyard_efa_unknown_counters{{device="{ONE}"}}'] == 2
    assert not any("brand_new" in name or "get_dma_mr_err" in name for name in found)


def test_a_device_that_comes_later_is_found_then(tree: EfaTree):
    tree.interface(ONE)
    running = collector(tree)
    assert samples(running.collect().text())["trainyard_efa_interfaces"] == 1
    tree.interface(ANOTHER)
    assert samples(running.collect().text())["trainyard_efa_interfaces"] == 2


def test_totals_begin_at_zero_and_grow_by_what_all_interfaces_count(tree: EfaTree):
    folders = [tree.interface(name) for name in (ONE, ANOTHER)]
    running = collector(tree)
    assert totals(running)["rx_bytes"] == 0
    for folder, more in zip(folders, (5, 7), strict=True):
        count(folder, "rx_bytes", more)
    assert totals(running)["rx_bytes"] == 12
    assert totals(running)["rx_bytes"] == 12
    assert totals(collector(tree))["rx_bytes"] == 0


def test_an_interface_that_goes_away_and_one_that_comes_change_no_total(tree: EfaTree):
    folder = tree.interface(ONE)
    running = collector(tree)
    totals(running)
    count(folder, "tx_bytes", 5)
    assert totals(running)["tx_bytes"] == 5
    other = tree.interface(ANOTHER)
    count(other, "tx_bytes", 1000)
    assert totals(running)["tx_bytes"] == 5
    shutil.rmtree(folder)
    count(other, "tx_bytes", 2)
    assert totals(running)["tx_bytes"] == 7
    shutil.rmtree(other)
    tree.expect(2)
    assert totals(running)["tx_bytes"] == 7


def test_an_interface_that_comes_back_adds_nothing_that_it_counted_meanwhile(tree: EfaTree):
    folder = tree.interface(ONE)
    running = collector(tree)
    totals(running)
    counter = folder / "ports/1/hw_counters/tx_bytes"
    before = counter.read_text()
    counter.write_text("")
    assert totals(running).get("tx_bytes") == 0
    counter.write_text(before)
    count(folder, "tx_bytes", 10**14)
    assert totals(running)["tx_bytes"] == 0
    count(folder, "tx_bytes", 5)
    assert totals(running)["tx_bytes"] == 5


def test_a_driver_that_was_loaded_anew_counts_from_zero(tree: EfaTree):
    folder = tree.interface(ONE)
    count(folder, "rx_pkts", 1000)
    running = collector(tree)
    totals(running)
    (folder / "ports/1/hw_counters/rx_pkts").write_text("3\n")
    assert totals(running)["rx_pkts"] == 3


def test_a_counter_that_no_interface_has_has_no_total(tree: EfaTree):
    tree.add(ONE, "efa", {"ports/1/hw_counters": ["tx_bytes"]})
    assert totals(collector(tree)) == {"tx_bytes": 0}


def test_only_an_interface_that_has_counted_errors_is_told_once_more(tree: EfaTree):
    folders = [tree.interface(name) for name in (ONE, ANOTHER)]
    for folder in folders:
        (folder / "hw_counters/no_completion_cmds").write_text("0\n")
        for counter in ("rdma_read_wr_err", "rdma_write_wr_err"):
            (folder / "ports/1/hw_counters" / counter).write_text("0\n")
    assert errors(collected(tree)) == {}
    (folders[0] / "hw_counters/no_completion_cmds").write_text("3\n")
    (folders[1] / "ports/1/hw_counters/rdma_read_wr_err").write_text("4\n")
    assert errors(collected(tree)) == {
        f'{{device="{ONE}",counter="no_completion_cmds"}}': 3,
        f'{{device="{ANOTHER}",counter="rdma_read_wr_err"}}': 4,
    }


def errors(found: dict[str, int]) -> dict[str, int]:
    prefix = "trainyard_efa_interface_errors"
    return {name.removeprefix(prefix): value for name, value in found.items() if name.startswith(prefix)}


def test_every_total_is_of_a_counter_that_is_exported():
    named = {name.removeprefix("trainyard_efa_").removesuffix("_total") for name in metrics("efa") if "_total" in name}
    assert named
    assert {f"{PREFIX}{name}" for name in named} <= metrics("efa").keys()


def totals(running: EfaCollector) -> dict[str, int]:
    found = samples(running.collect().text())
    names = {name: re.fullmatch("trainyard_efa_(.+)_total", name) for name in found}
    return {name[1]: found[metric] for metric, name in names.items() if name}


def count(folder: Path, counter: str, more: int) -> None:
    file = folder / "ports/1/hw_counters" / counter
    file.write_text(f"{int(file.read_text()) + more}\n")


@pytest.mark.parametrize("expected", [None, "", "0"])
@pytest.mark.parametrize("driver", [None, "mlx5_core"])
def test_a_node_without_efa_that_should_have_none_has_nothing_here(
    tree: EfaTree, driver: str | None, expected: str | None
):
    if driver:
        tree.add("ibp115s0f0", driver, {"ports/1/hw_counters": OF_PORT})
    if expected is not None:
        tree.expect(expected)
    with pytest.raises(NothingHere, match="no device in /sys/class/infiniband has the driver efa"):
        collector(tree).collect()


def test_a_node_without_the_interfaces_that_it_should_have_exports_both_numbers(tree: EfaTree):
    tree.expect(32)
    assert collected(tree) == {"trainyard_efa_interfaces": 0, "trainyard_efa_interfaces_expected": 32}


def test_an_interface_where_there_should_be_none_is_exported_beside_a_zero(tree: EfaTree):
    tree.interface(ONE)
    tree.expect(0)
    found = collected(tree)
    assert (found["trainyard_efa_interfaces"], found["trainyard_efa_interfaces_expected"]) == (1, 0)


@pytest.mark.parametrize("expected", [None, "", "many", "-1", "4294967296000", "٤"])
def test_an_expectation_that_nobody_knows_is_not_exported(tree: EfaTree, expected: str | None):
    tree.interface(ONE)
    if expected is not None:
        tree.expect(expected)
    found = collected(tree)
    assert found["trainyard_efa_interfaces"] == 1
    assert "trainyard_efa_interfaces_expected" not in found


def test_devices_that_cannot_be_listed_are_a_failure_with_one_line(tree: EfaTree):
    (tree.root / "sys/class").mkdir(parents=True)
    (tree.root / "sys/class/infiniband").touch()
    with pytest.raises(NodeError) as failure:
        collector(tree).collect()
    assert (
        str(failure.value)
        == f"{tree.root}/sys/class/infiniband cannot be listed (Not a directory): see who may read it"
    )


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        GOLDEN.write_text(collector(EfaTree(Path(place)).instance("p6-b200")).collect().text())
