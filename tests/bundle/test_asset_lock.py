"""The lock of the assets: read, written and compared."""

from __future__ import annotations

import json

import pytest

from trainyard.bundle.asset_lock import (
    AssetLock,
    LockComparison,
    LockedAsset,
    compare_lock,
    lock_of_assets,
    lock_text,
    parse_lock,
)
from trainyard.errors import InputError
from trainyard.render.needed_assets import NeededAsset

DOCKER = LockedAsset(
    "docker", "29.4.0", None, "x86_64", "docker-29.4.0.tgz",
    "https://download.docker.com/linux/static/stable/x86_64/docker-29.4.0.tgz", 78_000_000, "a" * 64, None,
)  # fmt: skip
TOOLKIT = [
    LockedAsset(
        "nvidia-container-toolkit", "1.20.1", "ubuntu2204", "x86_64", f"{name}_1.20.1-1_amd64.deb",
        f"https://nvidia.github.io/{name}.deb", 1, "b" * 64, "https://nvidia.github.io/Packages",
    )
    for name in (
        "libnvidia-container-tools",
        "libnvidia-container1",
        "nvidia-container-toolkit-base",
        "nvidia-container-toolkit",
    )
]  # fmt: skip
NEEDS_DOCKER = NeededAsset("docker", None, None, "x86_64")
NEEDS_TOOLKIT = NeededAsset("nvidia-container-toolkit", None, "ubuntu2204", "x86_64")


def changed(**keys: object) -> bytes:
    entry = {**DOCKER._asdict(), **keys}
    return json.dumps(
        {"schema": 1, "assets": [{key: value for key, value in entry.items() if value != "left out"}]}
    ).encode()


def test_what_is_written_is_read_as_the_same():
    lock = lock_of_assets([*TOOLKIT, DOCKER])
    assert parse_lock(lock_text(lock).encode(), "assets.lock.json") == lock
    assert [asset.name for asset in lock.assets] == ["docker", *["nvidia-container-toolkit"] * 4]


def test_the_same_assets_give_the_same_bytes_in_whatever_order():
    assert lock_text(lock_of_assets([DOCKER, *TOOLKIT])) == lock_text(
        lock_of_assets([*reversed(TOOLKIT), DOCKER, DOCKER])
    )


def test_its_keys_are_those_that_nodes_read():
    written = json.loads(lock_text(lock_of_assets([DOCKER])))
    assert written == {"schema": 1, "assets": [DOCKER._asdict()]}
    assert list(written["assets"][0]) == [
        "name", "version", "os", "arch", "file", "url", "size_bytes", "sha256", "verified_by",
    ]  # fmt: skip


def test_no_file_is_an_empty_lock():
    assert parse_lock(None, "assets.lock.json") == AssetLock()


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[" * 100_000, b"\xff", b"[]", b'{"schema": 2, "assets": []}', b'{"schema": 1}',
     b'{"schema": 1, "assets": {}}', b'{"schema": 1, "assets": ["docker"]}'],
    ids=lambda content: ascii(content[:30]),
)  # fmt: skip
def test_what_is_no_lock_is_one_clear_line(content):
    with pytest.raises(InputError, match="the lock of the assets cannot be used: ") as caught:
        parse_lock(content, "assets.lock.json")
    assert caught.value.where == "assets.lock.json"
    assert "trainyard assets lock" in (caught.value.hint or "")


@pytest.mark.parametrize(
    "keys",
    [
        {"file": "../../etc/passwd"}, {"file": ".hidden"}, {"file": "a/b"}, {"file": ""}, {"file": "-rf"},
        {"file": "a b"}, {"file": "a\n"}, {"file": None}, {"sha256": "A" * 64}, {"sha256": "a" * 63},
        {"url": "http://example.com/x"}, {"url": "https://example.com/\n"}, {"size_bytes": -1}, {"size_bytes": True},
        {"size_bytes": 1.5}, {"size_bytes": "1"}, {"arch": "arm64"}, {"os": "Ubuntu 22.04"}, {"version": "$(id)"},
        {"name": "Docker"}, {"verified_by": "nobody"}, {"more": 1}, {"name": "left out"},
    ],
    ids=str,
)  # fmt: skip
def test_an_entry_that_could_lead_elsewhere_is_refused(keys):
    with pytest.raises(InputError, match=r"assets\[0\]"):
        parse_lock(changed(**keys), "assets.lock.json")


def test_a_lock_that_has_all_and_nothing_else_is_up_to_date():
    comparison = compare_lock([NEEDS_DOCKER, NEEDS_TOOLKIT], lock_of_assets([DOCKER, *TOOLKIT]))
    assert comparison.up_to_date
    assert comparison == LockComparison((), (), ())


def test_what_is_missing_and_what_is_surplus_is_named():
    comparison = compare_lock([NEEDS_DOCKER], lock_of_assets(TOOLKIT))
    assert (comparison.missing, comparison.stale, list(comparison.surplus)) == ((NEEDS_DOCKER,), (), TOOLKIT)
    assert not comparison.up_to_date


def test_another_architecture_or_system_is_another_asset():
    other = NeededAsset("docker", None, None, "aarch64")
    assert compare_lock([other], lock_of_assets([DOCKER])) == LockComparison((other,), (), (DOCKER,))


def test_another_version_than_the_spec_names_is_stale():
    wanted = NEEDS_DOCKER._replace(version="29.4.1")
    assert compare_lock([wanted], lock_of_assets([DOCKER])) == LockComparison((), (wanted,), ())
    assert compare_lock([NEEDS_DOCKER._replace(version="29.4.0")], lock_of_assets([DOCKER])).up_to_date


def test_where_the_spec_names_no_version_whatever_is_locked_stays():
    assert compare_lock([NEEDS_DOCKER], lock_of_assets([DOCKER._replace(version="20.10.0")])).up_to_date


@pytest.mark.parametrize("left_out", TOOLKIT, ids=lambda one: one.file)
def test_a_lock_with_only_some_packages_of_an_asset_is_incomplete(left_out):
    held = [locked_asset for locked_asset in TOOLKIT if locked_asset != left_out]
    comparison = compare_lock([NEEDS_TOOLKIT], lock_of_assets(held))
    assert not comparison.up_to_date
    assert (comparison.missing, comparison.stale, comparison.surplus) == ((NEEDS_TOOLKIT,), (), ())
    (incomplete,) = comparison.incomplete
    package = left_out.file.removesuffix("_1.20.1-1_amd64.deb")
    assert str(incomplete) == f"nvidia-container-toolkit for ubuntu2204 on x86_64 lacks {package}"


def test_the_packages_of_rpm_are_told_apart_too():
    needed = NEEDS_TOOLKIT._replace(os="alinux2023")
    files = [
        one._replace(os="alinux2023", file=one.file.replace("_1.20.1-1_amd64.deb", "-1.20.1-1.x86_64.rpm"))
        for one in TOOLKIT
    ]
    assert compare_lock([needed], lock_of_assets(files)).up_to_date
    (incomplete,) = compare_lock([needed], lock_of_assets(files[:-1])).incomplete
    assert incomplete.lacks == ("nvidia-container-toolkit",)


def test_a_file_of_somebodys_own_making_stands_for_all_packages():
    own = TOOLKIT[0]._replace(file="toolkit-bundle.run")
    assert compare_lock([NEEDS_TOOLKIT], lock_of_assets([own])).up_to_date


def test_packages_of_another_version_than_the_spec_names_are_stale_and_not_incomplete():
    wanted = NEEDS_TOOLKIT._replace(version="1.21.0")
    assert compare_lock([wanted], lock_of_assets(TOOLKIT[:2])) == LockComparison((), (wanted,), ())
