"""Every kind of data outlives its cluster, and goes with nothing left of it where that is asked for."""

from __future__ import annotations

import pytest

from tests.rehearsal.account_copies import seeded_account
from tests.rehearsal.whole import deployed
from trainyard.api.deploy import DeploymentResult, Options, data_of, destroy_cluster
from trainyard.deploy.steps.bucket import bucket_of_cluster
from trainyard.edge.aws import s3
from trainyard.edge.aws.account import Account
from trainyard.edge.pcluster_command import artifact_bucket
from trainyard.rehearsal.rehearsal import inventory

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]

SPEC = """\
name: llm
region: us-east-2
platform: parallelcluster
network: {availability_zone: us-east-2a}
head_node: {instance_type: m5.large}
queues: [{name: q, instance_type: m5.large, nodes: {min: 0, max: 2}}]
file_systems:
  - {mount: /shared, efs: {}}
  - {mount: /apps, ebs: {size_gib: 100, when_deleted: Snapshot}}
  - {mount: /data, ebs: {size_gib: 50}}
  - {mount: /zfs, openzfs: {size_gib: 64, throughput_mb_s: 160}}
monitoring: {mode: amp-only}
assets: {bucket: my-assets}
"""


def destroyed(account: Account, *, delete_data: bool) -> DeploymentResult:
    """Destroy it by its name alone, as people do who have no spec any more."""
    return destroy_cluster("llm", account, options=Options(delete_data=delete_data))


def left(account: Account, before: list[str]) -> list[str]:
    """Return what is there that was not before. ParallelCluster never removes its bucket."""
    own = artifact_bucket(account.id, account.region)
    return [one for one in inventory(account) if one not in before and own not in one]


def kinds(things: list[str]) -> set[str]:
    return {thing.split(":")[0] for thing in things}


@pytest.mark.exhaustive
def test_data_of_every_kind_stays_first_and_goes_then():
    with seeded_account(SPEC) as account:
        before = inventory(account)
        assert deployed(account, SPEC).ok
        assert bucket_of_cluster(account, "llm") == "my-assets"
        assert list(s3.sizes_below(account, "my-assets", "trainyard/llm/"))
        shown = [one.rsplit(" ", 1)[0] for one in data_of("llm", account)]
        assert {one for one in shown if one.startswith("EBS")} == {"EBS volume of 50 GiB", "EBS volume of 100 GiB"}
        assert len(shown) > 4

        done = destroyed(account, delete_data=False)
        assert done.ok
        assert list(s3.sizes_below(account, "my-assets", "trainyard/llm/")) == []
        assert any(one.startswith("EBS snapshot of 100 GiB") for one in done.kept)
        assert {
            "EFS file systems",
            "FSx file systems",
            "EC2 volumes",
            "EC2 snapshots",
            "Prometheus workspaces",
            "Log groups",
        } <= kinds(left(account, before))
        assert any(one.startswith("stack llm-network, because") for one in done.kept)

        done = destroyed(account, delete_data=True)
        assert (done.ok, done.kept) == (True, ())
        assert left(account, before) == []
