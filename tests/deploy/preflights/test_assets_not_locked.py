import pytest

from tests.deploy.preflights.good import changed, found, problems
from trainyard.bundle.asset_lock import AssetLock
from trainyard.rehearsal.stand_in_assets import stand_in_lock
from trainyard.spec.parsing import parse

PREFLIGHT = "assets-not-locked"
SPEC = changed("monitoring: {mode", "software: {setup: gpu, efa_version: 1.47.0}\nmonitoring: {mode")
LOCK = stand_in_lock(parse(SPEC, "cluster.yaml").spec)


def test_what_is_not_locked_is_found_and_the_command_that_locks_it_named():
    (problem,) = problems(PREFLIGHT, SPEC, asset_lock=AssetLock())
    assert problem.path == ("software",)
    assert problem.message.startswith("nodes install what is not locked: dcgm-exporter for ubuntu2204 on x86_64, ")
    assert problem.remedy == "run `trainyard assets lock cluster.yaml`, then deploy again"


def test_another_version_than_the_spec_names_is_found():
    spec = SPEC.replace("efa_version: 1.47.0", "efa_version: 1.46.0")
    (problem,) = problems(PREFLIGHT, spec, asset_lock=LOCK)
    assert problem.message == "another version is locked than the spec names: efa-installer 1.46.0"


@pytest.mark.parametrize("lock", [LOCK, None], ids=["whole", "nobody looked"])
def test_a_whole_lock_is_fine_and_so_is_a_plan_that_looks_at_none(lock):
    assert found(PREFLIGHT, SPEC, asset_lock=lock) == []


def test_what_is_locked_and_not_needed_does_no_harm():
    surplus = AssetLock((*LOCK.assets, LOCK.assets[0]._replace(name="neuron")))
    assert found(PREFLIGHT, SPEC, asset_lock=surplus) == []
