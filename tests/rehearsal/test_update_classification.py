"""What each change of one field needs, against what the real ParallelCluster says of a cluster in that state."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any, NamedTuple

import pytest

from tests.rehearsal.account_copies import copied, prepared_account
from tests.rehearsal.test_every_edit import pairs, text_of
from tests.rehearsal.whole import deployed
from tests.render.changes import BASE
from trainyard.bundle.config_text import config_text
from trainyard.deploy.deployment import work_for
from trainyard.deploy.preflight_step import known_outputs
from trainyard.deploy.steps.reservation_groups import known_groups
from trainyard.edge.aws.account import Account
from trainyard.edge.pcluster_command import FleetNeed, Pcluster
from trainyard.edge.pcluster_environment import environment
from trainyard.platforms.parallelcluster.deployment.classification import config_for
from trainyard.render.rendering import render
from trainyard.spec.parsing import parse

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]
# One in so many is taken in the normal run.
EVERY = 40
VERSIONS = ("3.16.1", "3.15.1", "3.14.2")
# A strategy that a running fleet is asked with, or a fleet that stands.
STATES: tuple[FleetNeed, ...] = ("live", "drain", "terminate", "stop")


class Edit(NamedTuple):
    """A field of the spec, and the spec with another value of it."""

    field: str
    text: str


def before(version: str) -> dict[str, Any]:
    return {**BASE, "parallelcluster": {"version": version}}


def edits(version: str) -> Iterator[Edit]:
    """Yield the specs that differ in one field from the one that is deployed."""
    for field, former, new in pairs():
        section = {**new.get("parallelcluster", {}), "version": version}
        text = text_of({**new, "parallelcluster": section})
        if former == BASE and text is not None and field != "parallelcluster.version":
            yield Edit(field, text)


def deploy(account: Account, text: str) -> None:
    done = deployed(account, text)
    assert done.ok, done


def document_of(account: Account, text: str) -> dict[str, Any]:
    """Return the configuration, with stand-ins for what is not made yet."""
    spec = parse(text, "cluster.yaml").spec
    work = work_for(spec, account)
    outputs = {**known_outputs(work), **known_groups(work), "AssetsBucket": work.bucket}
    document: dict[str, Any] = render(spec, outputs).documents["cluster.yaml"]
    return document


def stop_fleet(account: Account) -> None:
    """Let the table of the fleet's status say that it stands."""
    data = {"status": {"S": "STOPPED"}, "lastStatusUpdatedTime": {"S": "2026-11-22 00:00:00+00:00"}}
    item = {"Id": {"S": "COMPUTE_FLEET"}, "Data": {"M": data}}
    account.client("dynamodb").put_item(TableName="parallelcluster-base", Item=item)


def asked_for(document: dict[str, Any], state: FleetNeed) -> dict[str, Any]:
    """Return the configuration as an update in a state would have it."""
    if state in ("drain", "terminate"):
        return config_for(document, state)
    settings = {**document["Scheduling"]["SlurmSettings"], "QueueUpdateStrategy": "COMPUTE_FLEET_STOP"}
    return {**document, "Scheduling": {**document["Scheduling"], "SlurmSettings": settings}}


def disagreements(version: str, chosen: list[Edit]) -> list[tuple[str, str, bool, str]]:
    """Return the fields and states of which the real update-cluster says something else than the classification."""
    different: list[tuple[str, str, bool, str]] = []
    with ExitStack() as stack:
        running = stack.enter_context(prepared_account(str(text_of(before(version))), deploy))
        stopped = stack.enter_context(copied(running))
        stop_fleet(stopped)
        made = environment(version, lambda _: None)
        programs = {account: stack.enter_context(Pcluster(made, account)) for account in (running, stopped)}
        for field, text in chosen:
            spec, document = parse(text, "cluster.yaml").spec, document_of(running, text)
            classified = programs[running].classify("base", config_text(spec, document))
            for state in STATES:
                program = programs[stopped if state == "stop" else running]
                verdict = program.dry_run("base", config_text(spec, asked_for(document, state)), update=True)
                changes = {change.parameter: change.problem for change in verdict.changes}
                if not changes and verdict.messages:
                    continue  # its validators refuse the value, in whatever state
                allowed = {".".join(change.path): state in change.allowed_when for change in classified}
                said = {parameter: problem is None for parameter, problem in changes.items()}
                if said != allowed:
                    different.append((field, state, verdict.accepted, str((said, allowed))))
    return different


def test_some_changes_need_what_the_real_parallelcluster_says():
    assert disagreements(VERSIONS[0], list(edits(VERSIONS[0]))[::EVERY]) == []


@pytest.mark.long
@pytest.mark.exhaustive
@pytest.mark.parametrize("version", VERSIONS)
def test_every_change_needs_what_the_real_parallelcluster_says(version: str):
    chosen = list(edits(version))
    assert len(chosen) >= 60
    assert disagreements(version, chosen) == []
