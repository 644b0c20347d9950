"""The EFA collector where files, folders, devices and names are not as they should be."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.node.collectors.efa_reading import collected, of, unreadable
from tests.node.collectors.efa_tree import OF_DEVICE, OF_PORT, EfaTree, interface_name
from trainyard_node.collectors.efa_device import PREFIX

GOOD, BAD = interface_name(0), interface_name(1)


def two_interfaces(root: Path) -> tuple[EfaTree, dict[str, int]]:
    """Return two interfaces that are in order, and what the first of them exports."""
    tree = EfaTree(root)
    tree.interface(GOOD)
    tree.interface(BAD)
    return tree, of(GOOD, collected(tree))


@pytest.fixture
def tree(tmp_path: Path) -> EfaTree:
    return EfaTree(tmp_path)


@pytest.mark.parametrize(
    "write",
    [
        lambda file: file.write_bytes(b""),
        lambda file: file.write_bytes(b"-1\n"),
        lambda file: file.write_bytes(b"1_000\n"),
        lambda file: file.write_bytes(b"0x10\n"),
        lambda file: file.write_bytes(b"1.5\n"),
        lambda file: file.write_bytes("٣\n".encode()),
        lambda file: file.write_bytes(b"\x7fELF\x00\xff"),
        lambda file: file.write_bytes(b"1\n2\n"),
        lambda file: file.write_bytes(b"N/A (no PMA)\n"),
        lambda file: file.write_bytes(b"18446744073709551616\n"),
        lambda file: file.write_bytes(b"0" * 5000),
        lambda file: os.truncate(os.open(file, os.O_CREAT | os.O_WRONLY), 10 * 2**30),
        lambda file: file.mkdir(),
        os.mkfifo,
        lambda file: file.symlink_to(file.name),
        lambda file: file.symlink_to("nowhere"),
        lambda file: file.symlink_to("/dev/zero"),
        # Its first page is mapped nowhere, so that reading it fails as reading from a broken device does.
        lambda file: file.symlink_to("/proc/self/mem"),
    ],
    ids=[
        "empty", "negative", "underscore", "hexadecimal", "fraction", "Arabic digit", "binary", "two lines", "words",
        "more than 64 bits", "many digits", "10 GiB", "folder", "pipe", "link loop", "gone", "endless", "EIO",
    ],
)  # fmt: skip
def test_a_counter_that_cannot_be_read_is_counted_and_hides_no_other(tmp_path: Path, write: Callable[[Path], object]):
    tree, good = two_interfaces(tmp_path)
    file = tree.root / "sys/class/infiniband" / BAD / "ports/1/hw_counters/tx_bytes"
    file.unlink()
    write(file)
    found = collected(tree)
    assert of(GOOD, found) == good
    assert unreadable(BAD, found) == 1
    assert len(of(BAD, found)) == len(good) - 1
    assert f'{PREFIX}tx_bytes{{device="{BAD}",port="1"}}' not in found
    assert found["trainyard_efa_interfaces"] == 2


def replaced(folder: Path, write: Callable[[Path], object]) -> None:
    shutil.rmtree(folder)
    write(folder)


@pytest.mark.parametrize(
    ("place", "write", "left"),
    [
        ("ports", Path.exists, len(OF_DEVICE)),
        ("ports", Path.mkdir, len(OF_DEVICE)),
        ("ports", Path.touch, len(OF_DEVICE)),
        ("ports/1", Path.mkdir, len(OF_DEVICE)),
        ("ports/1/hw_counters", Path.touch, len(OF_DEVICE)),
        ("ports/1/hw_counters", lambda folder: folder.symlink_to(folder.name), len(OF_DEVICE)),
        ("hw_counters", Path.touch, len(OF_PORT)),
        ("hw_counters", lambda folder: folder.symlink_to("nowhere"), len(OF_PORT)),
    ],
    ids=[
        "no ports", "ports without any", "ports as a file", "port without counters", "counters as a file",
        "counters as a link loop", "counters of the device as a file", "counters of the device gone",
    ],
)  # fmt: skip
def test_a_folder_that_cannot_be_listed_is_counted_and_hides_no_other(
    tmp_path: Path, place: str, write: Callable[[Path], object], left: int
):
    tree, good = two_interfaces(tmp_path)
    replaced(tree.root / "sys/class/infiniband" / BAD / place, write)
    found = collected(tree)
    assert of(GOOD, found) == good
    assert unreadable(BAD, found) == 1
    assert sum('port="1"' in name for name in of(BAD, found)) == left
    assert found["trainyard_efa_interfaces"] == 2


@pytest.mark.parametrize(
    "spoil",
    [
        lambda link: (link.unlink(), link.symlink_to(link.name)),
        lambda link: ((link / "device/driver").unlink(), (link / "device/driver").mkdir()),
    ],
    ids=["link loop", "driver as a folder"],
)
def test_a_device_whose_driver_cannot_be_told_is_no_interface_and_is_counted(
    tmp_path: Path, spoil: Callable[[Path], object]
):
    tree, good = two_interfaces(tmp_path)
    spoil(tree.root / "sys/class/infiniband" / BAD)
    found = collected(tree)
    assert of(GOOD, found) == good
    assert of(BAD, found) == {f'trainyard_efa_unreadable_counters{{device="{BAD}"}}': 1}
    assert found["trainyard_efa_interfaces"] == 1


def test_devices_made_of_software_and_links_to_nowhere_are_no_interfaces_and_no_trouble(tree: EfaTree):
    tree.interface(GOOD)
    (tree.add("rxe0", "rxe", {"ports/1/hw_counters": OF_PORT}) / "device").unlink()
    (tree.root / "sys/class/infiniband/gone").symlink_to("../../devices/gone")
    (tree.root / "sys/class/infiniband/file").touch()
    found = collected(tree)
    assert found["trainyard_efa_interfaces"] == 1
    assert not any("rxe0" in name or "gone" in name or "file" in name for name in found)


def test_devices_that_come_and_go_during_a_reading_hide_no_other(tmp_path: Path):
    tree, good = two_interfaces(tmp_path)
    folder = (tree.root / "sys/class/infiniband" / BAD).resolve()
    done = threading.Event()

    def come_and_go() -> None:
        while not done.is_set():
            folder.rename(folder.with_name("away"))
            folder.with_name("away").rename(folder)

    thread = threading.Thread(target=come_and_go)
    thread.start()
    try:
        readings = [collected(tree) for _ in range(100)]
    finally:
        done.set()
        thread.join()
    assert all(of(GOOD, found) == good for found in readings)


@pytest.mark.parametrize("name", ['a"b', "a\\b", "a\nb", "a b{}=,", "größe", os.fsdecode(b"\xff\xfe")])
def test_a_device_of_any_name_exports_valid_lines(tree: EfaTree, name: str):
    tree.interface(name)
    found = collected(tree)
    more = [name for name in found if name.startswith("trainyard_efa_interface_errors") or name.endswith("_total")]
    assert len(found) - len(more) == len({*OF_PORT, *OF_DEVICE}) + 4
    assert found["trainyard_efa_interfaces"] == 1


def test_a_folder_with_very_many_files_is_not_listed_to_its_end(tree: EfaTree):
    folder = tree.interface(GOOD) / "hw_counters"
    for number in range(1100):
        (folder / f"counter{number}").touch()
    assert 900 < collected(tree)[f'trainyard_efa_unknown_counters{{device="{GOOD}"}}'] <= 1000


_DIGITS = st.integers(min_value=0, max_value=2**70).map(lambda number: f"{number:d}".encode())


@given(st.binary(max_size=64) | _DIGITS | _DIGITS.map(lambda digits: digits + b"\n") | st.just(b"0" * 32))
def test_only_a_number_of_64_bits_is_exported_whatever_a_file_holds(content: bytes):
    with tempfile.TemporaryDirectory() as root:
        tree, good = two_interfaces(Path(root))
        (Path(root) / "sys/class/infiniband" / BAD / "hw_counters/cmds_err").write_bytes(content)
        found = collected(tree)
    is_counter = re.fullmatch(rb"[0-9]+\n?", content) and len(content) < 32 and int(content) < 2**64
    name = f'{PREFIX}cmds_err{{device="{BAD}",port="1"}}'
    assert of(GOOD, found) == good
    assert (found.get(name), unreadable(BAD, found)) == ((int(content), 0) if is_counter else (None, 1))
