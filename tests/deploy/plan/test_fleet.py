"""The nodes of a cluster, coming up at once."""

from __future__ import annotations

from typing import Any

import pytest

from tests.specs import spec_of
from trainyard.bundle.asset_lock import AssetLock, LockedAsset
from trainyard.deploy.plan.fleet import Assumptions, Fleet, assumptions_of, simulate_fleet, sizes_in
from trainyard.deploy.plan.time_budget import time_budget

SOFTWARE = "software: {setup: gpu, containers: true, efa_version: 1.48.0}\nmonitoring: {mode: amp-only}\n"
QUEUES = (
    "queues: [{name: a, instance_type: p5.48xlarge, nodes: 2}, "
    "{name: b, instance_type: m5.large, setup: cpu, nodes: {min: 0, max: 6}}]\n"
)
EXISTING = "network: {existing: {vpc: vpc-0123456789abcdef0, private_subnets: [subnet-0123456789abcdef0]}}\n"
SPEC = spec_of(SOFTWARE + QUEUES)


def fleet(count: int, **assumed: Any) -> Fleet:
    found = simulate_fleet(SPEC, count, assumptions=Assumptions()._replace(**assumed))
    assert found is not None
    return found


@pytest.mark.parametrize(("count", "shares"), [(8, {"a": 2, "b": 6}), (7, {"a": 2, "b": 5}), (1, {"b": 1})])
def test_queues_share_the_nodes_by_the_most_that_they_may_have(count, shares):
    assert {queue.queue: queue.nodes for queue in fleet(count).queues} == shares


def test_the_same_seed_gives_the_same_and_another_seed_something_else():
    assert fleet(50, seed=3) == fleet(50, seed=3)
    assert fleet(50, seed=3).queues != fleet(50, seed=4).queues


def test_nodes_that_do_not_wait_for_each_other_stay_within_their_budget():
    budget = time_budget(SPEC)
    assert budget is not None
    totals = {node.name.removeprefix("queue/"): node for node in budget.nodes}
    for queue in fleet(200, spread_s=0).queues:
        for ready, total in ((queue.official, totals[queue.queue].official), (queue.baked, totals[queue.queue].baked)):
            assert ready.times is not None
            assert total.least_s <= ready.times.first_s <= ready.times.median_s <= ready.times.p99_s
            assert ready.times.p99_s <= ready.times.last_s <= total.most_s + 1


def test_nodes_that_share_little_are_late_and_those_with_a_baked_image_are_not():
    queue = fleet(1000, shared_gbit_s=1).queues[0]
    assert queue.official.not_in_time == queue.nodes == 250
    assert queue.baked.not_in_time == 0


def test_a_step_fetches_what_its_assets_weigh():
    light = simulate_fleet(SPEC, 1000, sizes={"efa": 1, "docker": 1}, assumptions=Assumptions(shared_gbit_s=5))
    heavy = fleet(1000, shared_gbit_s=5)
    assert light is not None
    assert (light.queues[0].official.times or ()) < (heavy.queues[0].official.times or ())


def test_a_node_whose_every_attempt_is_refused_never_comes_up():
    queue = fleet(100, refused=0.9).queues[0]
    assert queue.official.not_in_time > 0
    never = fleet(20, refused=0.9999999)
    assert all(queue.official == (None, queue.nodes) for queue in never.queues)
    assert all(queue.baked.not_in_time == 0 for queue in never.queues)


def test_only_a_network_of_one_s_own_is_known_to_have_no_shared_limit():
    assert assumptions_of(SPEC).shared_gbit_s is None
    assert assumptions_of(spec_of(EXISTING)).shared_gbit_s == 5


def test_what_nobody_measured_is_named():
    assert "packages" in fleet(8).not_counted


def test_other_platforms_have_no_such_nodes():
    assert simulate_fleet(spec_of("platform: eks"), 10) is None


def locked(name: str, size: int, os: str | None = None, arch: str | None = None) -> LockedAsset:
    return LockedAsset(name, "1", os, arch, f"{name}.tgz", "https://example.com/x", size, "0" * 64, None)


def test_a_lock_says_what_a_step_fetches():
    lock = AssetLock(
        (
            locked("docker", 70, arch="x86_64"),
            locked("docker", 60, arch="aarch64"),
            locked("nvidia-container-toolkit", 5, "ubuntu2204", "x86_64"),
            locked("nvidia-container-toolkit", 4, "ubuntu2204", "x86_64"),
            locked("nvidia-container-toolkit", 1000, "alinux2023", "x86_64"),
            locked("nccl", 10),
        )
    )
    assert sizes_in(SPEC, lock) == {"docker": 70, "nvidia-toolkit": 9}
