"""The collector of Lustre, on trees as clients of several versions show them, and on what no client should show."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.node.collectors.exposed import exposed
from tests.node.collectors.lustre_tree import DEBUGFS, PROC, STATS_2_10, STATS_2_15, mount_lustre
from tests.node.doubles import FakeClock, FakeProcesses
from trainyard.bootstrap.steps import ASSETS
from trainyard_node.collectors.collector import NothingHere
from trainyard_node.collectors.lustre import FOLDERS, OPERATIONS, LustreCollector
from trainyard_node.errors import NodeError
from trainyard_node.machine import World
from trainyard_node.places import Places

GOLDEN = Path(__file__).parent / "golden"
VERSIONS = {"2.10": (STATS_2_10, PROC), "2.15": (STATS_2_15, DEBUGFS)}


def text(root: Path) -> str:
    clock = FakeClock()
    return LustreCollector(World(Places(str(root)), clock, FakeProcesses(clock))).collect().text()


def figures(root: Path) -> dict[tuple[str, ...], float]:
    return {(name.removeprefix("trainyard_lustre_"), *(value for _, value in labels)): number
            for (name, labels), number in exposed(text(root)).items()}  # fmt: skip


@pytest.mark.parametrize("version", VERSIONS)
def test_a_client_gives_the_golden_exposition(version: str, tmp_path: Path):
    stats, at = VERSIONS[version]
    mount_lustre(tmp_path, stats, at=at)
    assert text(tmp_path) == (GOLDEN / f"lustre-{version}.prom").read_text()


@pytest.mark.integration
@pytest.mark.parametrize("version", VERSIONS)
def test_promtool_has_nothing_to_say_about_it(version: str):
    promtool = shutil.which("promtool")
    assert promtool is not None
    given = (GOLDEN / f"lustre-{version}.prom").read_bytes()
    said = subprocess.run([promtool, "check", "metrics"], input=given, capture_output=True, check=False)
    assert (said.returncode, said.stdout, said.stderr) == (0, b"", b"")


def test_bytes_operations_and_their_time_are_those_of_the_client(tmp_path: Path):
    mount_lustre(tmp_path)
    read = figures(tmp_path)
    assert read["read_bytes_total", "a1b2cbev", "/fsx"] == 1 << 30
    assert read["written_bytes_total", "a1b2cbev", "/fsx"] == 2 << 30
    assert read["operations_total", "a1b2cbev", "/fsx", "write"] == 512
    assert read["operation_seconds_total", "a1b2cbev", "/fsx", "write"] == 5.12
    assert read["operations_total", "a1b2cbev", "/fsx", "rename"] == 0


def test_a_client_that_counts_no_time_exports_none(tmp_path: Path):
    mount_lustre(tmp_path, STATS_2_10)
    read = figures(tmp_path)
    assert read["operations_total", "a1b2cbev", "/fsx", "open"] == 136
    assert not [key for key in read if key[0] == "operation_seconds_total"]


def test_what_is_mounted_twice_counts_as_one_and_two_file_systems_as_two(tmp_path: Path):
    mount_lustre(tmp_path)
    mount_lustre(tmp_path, name="a1b2cbev-ffff9440f2000000")
    mount_lustre(tmp_path, name="fs-x-ffff9440f3000000")
    read = figures(tmp_path)
    assert read["read_bytes_total", "a1b2cbev", "/fsx"] == 2 << 30
    assert read["read_bytes_total", "fs-x", "/fsx"] == 1 << 30
    assert sum(key[0] == "operations_total" for key in read) == 2 * len(OPERATIONS)


def test_the_mounts_of_pods_are_no_label(tmp_path: Path):
    mount_lustre(tmp_path)
    mounts = tmp_path / "proc/self/mounts"
    mounts.write_text(mounts.read_text().replace(" /fsx ", " /var/lib/kubelet/pods/0a-1/volumes/x/mount "))
    assert figures(tmp_path)["read_bytes_total", "a1b2cbev", ""] == 1 << 30


def test_the_mounts_of_the_first_process_are_read_where_our_own_are_not_there(tmp_path: Path):
    """As in a pod that was put into the file system of the node."""
    mount_lustre(tmp_path)
    (tmp_path / "proc/self").rename(tmp_path / "proc/1")
    assert figures(tmp_path)["read_bytes_total", "a1b2cbev", "/fsx"] == 1 << 30


def test_a_node_without_lustre_exports_nothing(tmp_path: Path):
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/mounts").write_text("/dev/root / ext4 rw 0 0\n")
    with pytest.raises(NothingHere):
        text(tmp_path)
    with pytest.raises(NothingHere):
        text(tmp_path / "elsewhere")


def test_a_mount_whose_counters_cannot_be_read_is_a_failure(tmp_path: Path):
    mount_lustre(tmp_path)
    shutil.rmtree(tmp_path / "sys")
    with pytest.raises(NodeError, match=r"Lustre is mounted at '/fsx', and none of .* can be read"):
        text(tmp_path)


@pytest.mark.parametrize(
    "stats",
    ["", "read_bytes", "read_bytes -3 samples [bytes] 1 1 1\n", "\0" * 9, "read_bytes 1 samples [bytes]\nopen x\n"],
)
def test_what_is_no_counter_counts_nothing(stats: str, tmp_path: Path):
    mount_lustre(tmp_path, stats)
    assert figures(tmp_path)["read_bytes_total", "a1b2cbev", "/fsx"] == 0


def test_a_folder_with_another_name_is_no_file_system(tmp_path: Path):
    mount_lustre(tmp_path)
    (tmp_path / DEBUGFS / 'x"y').mkdir()
    (tmp_path / DEBUGFS / 'x"y' / "stats").write_text(STATS_2_15)
    assert {key[1] for key in figures(tmp_path)} == {"a1b2cbev"}


def test_the_service_gets_the_folder_that_the_collector_reads_first():
    unit = (ASSETS / "units" / "trainyard-node-metrics-compute.conf").read_text()
    bound = f"BindReadOnlyPaths=-/{DEBUGFS.removesuffix('/llite')}:{FOLDERS[0].removesuffix('/llite')}\n"
    assert bound in unit


if __name__ == "__main__":
    import tempfile

    for one, (given, place) in VERSIONS.items():
        with tempfile.TemporaryDirectory() as folder:
            mount_lustre(Path(folder), given, at=place)
            (GOLDEN / f"lustre-{one}.prom").write_text(text(Path(folder)))
