"""What a kind of nodes carries out of a release, and how that differs between two releases."""

from __future__ import annotations

import pytest

from tests.specs import spec_of
from trainyard.bootstrap.steps import STEPS
from trainyard.bundle.asset_lock import lock_text, locked
from trainyard.bundle.node_work import NOTHING, Difference, difference, node_work
from trainyard.bundle.release import release
from trainyard.errors import TrainyardError
from trainyard.rehearsal.stand_in_assets import stand_in_lock
from trainyard.render import needed_assets

QUEUE = "queues: [{name: q, instance_type: p5.48xlarge, setup: gpu}]\n"
FSX = "file_systems: [{mount: /fsx, lustre: {size_gib: 1200, throughput_mb_s_per_tib: 250}}]\n"
PLAIN = "software: {setup: gpu}\n"


def changed(former: str, now: str, kind: str = "head") -> Difference | None:
    works = (node_work(release(spec_of(f"{QUEUE}{FSX}{software}")).content, kind) for software in (former, now))
    return difference(*works)


def found(former: str, now: str, kind: str = "head") -> Difference:
    difference_found = changed(former, now, kind)
    assert difference_found is not None
    return difference_found


def test_the_same_release_is_the_same_work():
    assert changed(PLAIN, PLAIN) is None


def test_containers_are_new_steps_of_head_and_login_nodes():
    now = "software: {setup: gpu, containers: true}\n"
    assert found(PLAIN, now).new == ("enroot-pyxis",)
    login = "login_nodes: {count: 1}\n"
    assert found(PLAIN + login, now + login, "login").new == ("enroot-pyxis",)
    assert str(found(PLAIN, now)).startswith("new steps: enroot-pyxis")


def test_images_to_import_are_a_new_step_and_then_another_setting():
    one = 'software: {setup: gpu, containers: true, container_images: ["a#b:1"]}\n'
    two = one.replace('"a#b:1"', '"a#b:1", "a#c:1"')
    assert found("software: {setup: gpu, containers: true}\n", one).new == ("images",)
    assert found(one, two) == Difference((), (), ("TRAINYARD_CONTAINER_IMAGES",), ())


def test_another_version_of_nccl_is_another_setting():
    old = "software: {setup: gpu, nccl: {version: 2.27.7-1}}\n"
    assert "TRAINYARD_NCCL_VERSION" in found(old, old.replace("2.27.7", "2.28.3")).settings


@pytest.mark.parametrize(
    "now", ["software: {setup: gpu, efa_version: 1.47.0}\n", "software: {setup: gpu, on_failure: hold}\n"]
)
def test_what_only_compute_nodes_do_is_nothing_to_the_head_node(now):
    assert changed(PLAIN, now) is None


def test_what_is_no_longer_asked_for_is_dropped():
    assert found("software: {setup: gpu, containers: true}\n", PLAIN).dropped == ("enroot-pyxis",)


def test_another_file_that_a_step_installs_is_named():
    spec = spec_of(f"{QUEUE}{PLAIN}monitoring: {{mode: amp-only}}")
    lock = stand_in_lock(spec)
    other = locked([one._replace(sha256="0" * 64, file=f"other-{one.file}") for one in lock.assets])
    former, now = (node_work(release(spec, lock_text(one).encode()).content, "head") for one in (lock, other))
    assert {one.name for one in now.assets} == {"node-exporter"}
    words = str(difference(former, now))
    assert "other-stand-in-node-exporter-" in words
    assert "dcgm" not in words


def test_head_and_login_nodes_fetch_nothing_that_is_called_otherwise_than_its_step():
    fetching = [step.name for step in STEPS if {"head", "login"} & set(step.roles) and step.network]
    assert set(fetching) - {"images"} <= {name for name, assets in needed_assets._OF_STEP.items() if assets == (name,)}


def test_of_nothing_everything_is_new():
    work = node_work(release(spec_of(QUEUE + PLAIN)).content, "head")
    found_now = difference(NOTHING, work)
    assert found_now is not None
    assert found_now.new == tuple(work.steps)
    assert "others" in str(found_now)


def test_a_kind_that_a_release_does_not_have_has_no_work():
    assert node_work(release(spec_of(QUEUE + PLAIN)).content, "login") == NOTHING


@pytest.mark.parametrize("content", [b"", b"x" * 5000, b"\x1f\x8b" + b"0" * 600])
def test_a_damaged_release_is_one_clear_line(content):
    with pytest.raises(TrainyardError, match="a release cannot be read") as caught:
        node_work(content, "head")
    assert len(caught.value.problem.splitlines()) == 1
