"""What each change of one field needs, against what the real ParallelCluster says of a cluster in that state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any, NamedTuple

import pytest
import yaml

from tests.rehearsal.account_copies import account_for, copied, deployed_account
from tests.rehearsal.every_edit import Edit, edits
from tests.rehearsal.warm_parallelcluster import warm_parallelcluster
from tests.rehearsal.whole import SPEC, deployed
from trainyard.bundle.config_text import config_text
from trainyard.deploy.deployment import work_for
from trainyard.deploy.preflight_step import known_outputs
from trainyard.deploy.steps.reservation_groups import known_groups
from trainyard.document.write import yaml_text
from trainyard.edge.aws.account import Account
from trainyard.edge.pcluster_answers import FleetState, Verdict
from trainyard.edge.pcluster_command import Pcluster
from trainyard.platforms.parallelcluster.deployment.classification import config_for
from trainyard.render.rendering import render
from trainyard.spec.parsing import parse

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]
# In the normal run, of a cluster that other tests deploy as well.
SOME = [
    Edit(name, SPEC, SPEC.replace(former, new))
    for name, former, new in (
        ("queues[0].efa", "nodes: 2", "nodes: 2\n    efa: false"),
        ("login_nodes.instance_type", "count: 1, instance_type: m5.large", "count: 1, instance_type: m5.xlarge"),
    )
]
VERSIONS = ("3.16.1", "3.15.1", "3.14.2")
PARTS = 20
# A strategy that a running fleet is asked with, or a fleet that stands; or login nodes that stand while the fleet runs.
STATES: tuple[FleetState, ...] = ("live", "drain", "terminate", "stop", "live-logins")


def edits_of(version: str) -> list[Edit]:
    """Return the edits of the spec that most of them begin with, of a version of ParallelCluster."""
    every = edits("parallelcluster")
    ((before, _),) = Counter(edit.before for edit in every).most_common(1)
    return [
        Edit(edit.name, with_version(edit.before, version), with_version(edit.after, version))
        for edit in every
        if edit.before == before and edit.name != "parallelcluster.version"
    ]


def with_version(text: str, version: str) -> str:
    spec = yaml.safe_load(text)
    return yaml_text({**spec, "parallelcluster": {**spec.get("parallelcluster", {}), "version": version}})


def document_of(account: Account, text: str) -> dict[str, Any]:
    """Return the configuration, with stand-ins for what is not made yet."""
    spec = parse(text, "cluster.yaml").spec
    work = work_for(spec, account)
    outputs = {**known_outputs(work), **known_groups(work), "AssetsBucket": work.bucket}
    document: dict[str, Any] = render(spec, outputs).documents["cluster.yaml"]
    return document


def put_fleet_status(account: Account, cluster: str, status: str) -> None:
    """Let the table of the fleet's status say so."""
    data = {"status": {"S": status}, "lastStatusUpdatedTime": {"S": "2026-11-22 00:00:00+00:00"}}
    item = {"Id": {"S": "COMPUTE_FLEET"}, "Data": {"M": data}}
    account.client("dynamodb").put_item(TableName=f"parallelcluster-{cluster}", Item=item)


def stop_login_nodes(account: Account) -> None:
    """Empty the groups of login nodes."""
    scaling = account.client("autoscaling")
    for group in scaling.describe_auto_scaling_groups()["AutoScalingGroups"]:
        sizes = {"MinSize": 0, "MaxSize": 0, "DesiredCapacity": 0}
        scaling.update_auto_scaling_group(AutoScalingGroupName=group["AutoScalingGroupName"], **sizes)


def asked_for(document: dict[str, Any], state: FleetState) -> dict[str, Any]:
    """Return the configuration as an update in a state would have it."""
    if state in ("drain", "terminate"):
        return config_for(document, state)
    settings = {**document["Scheduling"].get("SlurmSettings", {}), "QueueUpdateStrategy": "COMPUTE_FLEET_STOP"}
    return {**document, "Scheduling": {**document["Scheduling"], "SlurmSettings": settings}}


class Programs(NamedTuple):
    """The real ParallelCluster with a cluster that runs, and with copies whose fleet or login nodes stand."""

    version: str
    running: Account
    stopped: Account
    without_logins: Account

    def at(self, state: FleetState) -> Pcluster:
        """Return it for the account whose cluster is in a state."""
        account = {"stop": self.stopped, "live-logins": self.without_logins}.get(state, self.running)
        return warm_parallelcluster(account, self.version)


@contextmanager
def account_with_base(version: str) -> Iterator[Account]:
    """Give an account with the cluster that every edit of a version begins with."""
    every = edits_of(version)
    with account_for(every[0].before, *(edit.after for edit in every)) as account:
        assert deployed(account, every[0].before).ok
        yield account


@contextmanager
def programs_of(version: str, deployed_cluster: AbstractContextManager[Account], name: str) -> Iterator[Programs]:
    """Give the program of a version, with a cluster in two states."""
    with ExitStack() as stack:
        running = stack.enter_context(deployed_cluster)
        stopped = stack.enter_context(copied(running))
        put_fleet_status(stopped, name, "STOPPED")
        without_logins = stack.enter_context(copied(running))
        stop_login_nodes(without_logins)
        yield Programs(version, running, stopped, without_logins)


@pytest.fixture(scope="module")
def programs(request: pytest.FixtureRequest) -> Iterator[Programs]:
    with programs_of(request.param, account_with_base(request.param), "base") as made:
        yield made


def is_unreadable(verdict: Verdict) -> bool:
    """Return whether it fails before there is anything to compare, as with a subnet that is not there."""
    return not (verdict.accepted or verdict.changes or "No changes found" in verdict.problem)


def compare(programs: Programs, chosen: list[Edit]) -> tuple[list[str], list[str]]:
    """Compare with the real update-cluster. Return which edits were compared, and what it says otherwise of them."""
    compared, different = [], []
    for name, _, text in chosen:
        spec, document = parse(text, "cluster.yaml").spec, document_of(programs.running, text)
        classified = programs.at("live").classify(spec.name, config_text(spec, document))
        for state in STATES:
            verdict = programs.at(state).dry_run(spec.name, config_text(spec, asked_for(document, state)), update=True)
            if any(message.level == "ERROR" for message in verdict.messages) or is_unreadable(verdict):
                continue  # what validators refuse, stand-ins for instance, is refused before policies are asked
            compared.append(name)
            said = {change.parameter: change.problem is None for change in verdict.changes}
            supposed = {".".join(change.path): state in change.allowed_when for change in classified}
            different += [f"{name}, {state}: {said}, not {supposed}"] if said != supposed else []
    return list(dict.fromkeys(compared)), different


@pytest.mark.exhaustive
def test_some_changes_need_what_the_real_parallelcluster_says():
    assert all(edit.after != edit.before for edit in SOME)
    with programs_of(VERSIONS[0], deployed_account(SPEC), "llm") as programs:
        assert compare(programs, SOME) == ([edit.name for edit in SOME], [])


@pytest.mark.exhaustive
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("programs", VERSIONS, indirect=True)
def test_every_change_needs_what_the_real_parallelcluster_says(
    programs: Programs, part: int, request: pytest.FixtureRequest
):
    every = edits_of(request.node.callspec.params["programs"])
    chosen = every[part::PARTS]
    compared, different = compare(programs, chosen)
    assert different == []
    # Most of what an edit leads to passes the validators: at least 60 of 115 are compared with every version.
    assert len(compared) * 2 > len(chosen)
