"""A deployed cluster whose spec names another environment, none, or one in place of its own network."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.rehearsal.account_copies import account_for, copied
from tests.rehearsal.whole import deployed, destroyed
from tests.rehearsal.whole_account import whole_account

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]
ENVIRONMENT = """\
kind: environment
name: {name}
region: us-east-2
network: {{availability_zone: us-east-2a, secondary_availability_zone: us-east-2b}}
file_systems: [{{mount: /fsx, lustre: {{size_gib: 1200, throughput_mb_s_per_tib: 125}}}}]
monitoring: {{mode: amp-only}}
"""
IN_ENVIRONMENT = """\
name: llm
region: us-east-2
platform: {platform}
environment: {environment}
queues: [{{name: q, instance_type: p5.48xlarge, nodes: {{min: 0, max: 2}}}}]
file_systems: [{{mount: /fsx, lustre: {{id: environment}}}}]
"""
ALONE = (
    IN_ENVIRONMENT.replace(
        "environment: {environment}",
        "network: {{availability_zone: us-east-2a, secondary_availability_zone: us-east-2b}}",
    ).replace("{{id: environment}}", "{{size_gib: 1200, throughput_mb_s_per_tib: 125}}")
    + "monitoring: {{mode: amp-only}}\n"
)


@pytest.mark.exhaustive
@pytest.mark.parametrize("platform", ["batch", "eks", "parallelcluster"])
def test_a_cluster_moves_to_another_environment_as_a_whole_or_not_at_all(platform: str):
    first, second = (ENVIRONMENT.format(name=name) for name in ("shared", "other"))
    shared, other = (IN_ENVIRONMENT.format(platform=platform, environment=name) for name in ("shared", "other"))
    alone = ALONE.format(platform=platform)
    with account_for(first, second, shared, other, alone) as account:
        assert all(deployed(account, text).ok for text in (first, second))
        environments = whole_account(account)
        for before, after in ((shared, other), (shared, alone), (alone, shared)):
            with copied(account) as copy:
                assert deployed(copy, before).ok
                there = whole_account(copy)
                done = deployed(copy, after)
                assert done.ok or whole_account(copy) == there
                assert environments - whole_account(copy) == Counter()
                assert destroyed(copy, after if done.ok else before).ok
                left = [thing for thing in whole_account(copy) - environments if "parallelcluster-" not in thing]
                assert left == []
